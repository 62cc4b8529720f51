"""Models that work beside the conversation: who summarises it, and who reads it for facts."""

from stratal.context.request import Request, SystemBlock
from stratal.conversation import Complete
from stratal.errors import UnknownModel
from stratal.metering import Cap, Metered
from stratal.providers.circuit import Circuits
from stratal.providers.model_table import Tier
from stratal.providers.models import ModelString, model_info, parse_model
from stratal.providers.opening import open_provider
from stratal.providers.provider import Provider, complete
from stratal.providers.tiers import model_of_tier
from stratal.settings import Settings
from stratal_memory.consolidation.night import Model
from stratal_memory.records import Message, Role
from stratal_memory.store import Store

READER = "You read what was said to an assistant and answer in JSON."
READING = 8_192  # tokens of an answer: 60 facts, and room for a model that thinks first


class Writers:
    """Makes functions that ask a model; a provider is opened when it is first asked.

    `own` is the provider of the agent's model, where there is one; it is not closed here.
    `circuits` are those of whoever opens providers beside this one.
    """

    def __init__(
        self,
        settings: Settings,
        own: Provider | None = None,
        *,
        circuits: Circuits | None = None,
    ) -> None:
        self._settings = settings
        self._own = own
        self._circuits = circuits or Circuits(settings.providers.circuit())
        self._opened: dict[str, Provider] = {}

    def complete(self, model: ModelString, *, role: str, most: int) -> Complete:
        """What `model` answers to a prompt, under `role`, in `most` tokens."""

        def completed(prompt: str) -> str:
            asked = _request(model, prompt, role=role, most=most)
            return complete(self._provider(model), asked).text

        return completed

    def reader(self, store: Store) -> Complete | None:
        """The model that reads messages for facts; None when the rules alone do."""
        metered = self._metered(store)
        return metered.complete if metered else None

    def sleeper(self, store: Store) -> Model | None:
        """The model that betters consolidation, the same that reads; None when rules do it all."""
        metered = self._metered(store)
        name = str(reading_model(self._settings))
        return Model(complete=metered.complete, name=name, spent=metered.spent) if metered else None

    def _metered(self, store: Store) -> Metered | None:
        """The model of memory within the spend cap of the store's user."""
        model = reading_model(self._settings)
        if model is None:
            return None
        learning = self._settings.learning
        return Metered(
            provider=lambda: self._provider(model),
            request=lambda prompt: _request(model, prompt, role=READER, most=READING),
            store=store,
            prices=model_info(model.provider, model.name).prices,
            cap=Cap(tokens=learning.daily_tokens or None, usd=learning.daily_usd or None),
        )

    def _provider(self, model: ModelString) -> Provider:
        if self._own is not None and model.provider == parse_model(self._settings.model).provider:
            return self._own
        if model.provider not in self._opened:
            self._opened[model.provider] = open_provider(
                model, keys=self._settings.keys(), circuits=self._circuits
            )
        return self._opened[model.provider]

    def close(self) -> None:
        """Close what was opened here."""
        for provider in self._opened.values():
            provider.close()


def _request(model: ModelString, prompt: str, *, role: str, most: int) -> Request:
    return Request(
        model=model.name,
        system=(SystemBlock(text=role),),
        messages=(Message(role=Role.USER, text=prompt),),
        max_output=most,
    )


def summary_model(settings: Settings, model: ModelString) -> ModelString | None:
    """The model that writes summaries: one of a tier, the agent's own, or none (C7, Z23)."""
    return _chosen(settings.summary.model, model)


def reading_model(settings: Settings) -> ModelString | None:
    """The model that reads messages for facts, as `learning.model` says, or none."""
    chosen = settings.learning.model
    return _chosen("low" if chosen == "auto" else chosen, parse_model(settings.model))


def _chosen(chosen: str, model: ModelString) -> ModelString | None:
    """Where a maker has no tiers it is the agent's own model; never `offline:`."""
    if chosen in ("", "none") or (model.provider == "offline" and chosen in ("same", *Tier)):
        return None
    if chosen == "same":
        return model
    if chosen not in tuple(Tier):
        return parse_model(chosen)
    try:
        return parse_model(model_of_tier(model.provider, Tier(chosen)))
    except UnknownModel:
        return model
