"""Requests as a preset and a model make them, so that documents' numbers can be checked."""

from collections.abc import Mapping

from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.history import Past, newest_turns
from stratal.context.sections import Parts
from stratal.context_parts import history_rules
from stratal.desk import info_of
from stratal.presets import known_window
from stratal.providers.models import parse_model
from stratal.settings import Settings, load_settings
from stratal_memory.records import Message
from tests.platform.context.making import (
    BARE,
    Words,
    user,
)

OPUS = "anthropic:claude-opus-4"


def of(
    preset: str, *, model: str = "offline:", environment: Mapping[str, str] | None = None
) -> Settings:
    return load_settings({"preset": preset, "model": model}, environment=environment or {})


def budget_of(settings: Settings) -> Budget:
    """As a conversation gets it."""
    model = parse_model(settings.model)
    known = known_window(settings.preset, model.name)
    info = info_of(settings, model)
    return settings.context.budget(info, known=known, recall=settings.recall)


def sent(
    settings: Settings,
    budget: Budget,
    *,
    parts: Parts = BARE,
    history: list[Message] | None = None,
    message: str = "go",
    tail: list[Message] | None = None,
) -> Assembled:
    rules = history_rules(settings.history, settings.tool_results, window=budget.effective)
    return assemble(
        parts,
        Past(turns=newest_turns(history or []), rules=rules),
        user(message),
        tail=tail or [],
        budget=budget,
        counter=Words(),
        rendering=Rendering(model="m", layout=settings.context.layout),
    )


def granted(made: Assembled) -> dict[str, int]:
    return {one.name: one.granted for one in made.ledger.sections if one.granted}


def words(number: int) -> str:
    return " ".join(["word"] * number)
