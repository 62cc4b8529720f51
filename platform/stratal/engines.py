"""What the settings name and this machine has: the embedding model and the token counter."""

from stratal.context.counting import Counter
from stratal.errors import ConfigError
from stratal.providers.circuit import Guarded
from stratal.providers.models import ModelInfo
from stratal.providers.provider import CountsTokens, Provider
from stratal.providers.wrapping import Wrapping
from stratal.settings import Settings
from stratal.tokens.approximate import OctopusCounter, PicoclawCounter
from stratal.tokens.auto import auto_counter
from stratal.tokens.endpoint import EndpointCounter
from stratal_memory.embedding.discovery import find_embedder
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.recent import RecentEmbedder
from stratal_memory.embedding.turnover import Find


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedding model of this machine, or None: then words alone are searched."""
    return former_of(settings)(settings.embedding.model)


def former_of(settings: Settings) -> Find:
    """Finds an embedding model by its setting, so that one used before can be found again."""

    def find(setting: str) -> Embedder | None:
        found = find_embedder(setting, models_dir=settings.models_dir)
        return found and RecentEmbedder(found)

    return find


def counter_of(settings: Settings, model: ModelInfo, *, provider: Provider) -> Counter:
    """The token counter the settings name, uncorrected; `auto` follows the model's family.

    `ConfigError` when the provider is to count and can't.
    """
    if settings.context.counter == "octopus":
        return OctopusCounter()
    if settings.context.counter == "picoclaw":
        return PicoclawCounter()
    if settings.context.counter == "provider":
        return _endpoint(provider, model)
    return auto_counter(model.family.value, model=model.match)


def _endpoint(provider: Provider, model: ModelInfo) -> Counter:
    """The provider's own count: a call for each new text, because the settings ask for it."""
    asked = provider
    while isinstance(asked, Wrapping):
        asked = asked.inner
    if isinstance(asked, CountsTokens):
        count = provider.checked(asked.count) if isinstance(provider, Guarded) else asked.count
        return EndpointCounter(count, model=model.match)
    raise ConfigError(
        f"context.counter is provider, and {provider.name}: counts no tokens for us",
        hint="Use context.counter=auto, which learns from what the provider bills.",
    )
