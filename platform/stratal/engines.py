"""What the settings name and this machine has: the embedding model and the token counter."""

from stratal.context.counting import Counter
from stratal.providers.models import ModelInfo
from stratal.settings import Settings
from stratal.tokens.approximate import OctopusCounter, PicoclawCounter
from stratal.tokens.auto import auto_counter
from stratal_memory.embedding.discovery import find_embedder
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.recent import RecentEmbedder


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedding model of this machine, or None: then words alone are searched."""
    found = find_embedder(settings.embedding.model, models_dir=settings.models_dir)
    return found and RecentEmbedder(found)


def counter_of(settings: Settings, model: ModelInfo) -> Counter:
    """The token counter the settings name; `auto` follows the model's family."""
    if settings.context.counter == "octopus":
        return OctopusCounter()
    if settings.context.counter == "picoclaw":
        return PicoclawCounter()
    return auto_counter(model.family.value)
