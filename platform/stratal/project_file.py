"""What a settings file that nobody named may say: whoever wrote the folder is a stranger.

`./stratal.toml` is read because one stands in its folder. It may tune how a project is worked on,
and that alone: not whose memory is opened, who gets the conversation, what is kept, what is spent,
what speaks in the prompt or which programs start. `--config ./stratal.toml` says one trusts it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from stratal_memory.errors import ConfigError

# Settings and whole sections that only tune; a setting that is added is kept back until it is here.
TUNING = frozenset(
    {
        "preset",
        "recall",
        "context",
        "history",
        "summary",
        "tool_results",
        "cache",
        "prompt.matrix",
        "skills.threshold",
        "skills.match",
        "skills.active",
        "skills.max_active",
        "skills.list_tokens",
        "turn.max_steps",
    }
)
# Settings and sections that are kept back, the longest name first, and what a stranger could do.
HARMS: Mapping[str, str] = {
    "summary.model": "chooses who gets the conversation",
    "recall.reranker": "chooses which models are loaded",
    "skills.folders": "chooses who speaks in the prompt",
    "skills.project": "chooses which skills need no approval",
    "prompt.folders": "chooses who speaks in the prompt",
    "anthropic_url": "chooses where keys and conversations are sent",
    "openai_url": "chooses where keys and conversations are sent",
    "providers": "chooses where keys and conversations are sent",
    "embedding": "chooses which models are loaded",
    "learning": "chooses who reads messages and what that may cost",
    "privacy": "chooses what is remembered of a person",
    "ingest": "opens the network",
    "agent": "chooses whose memory is opened",
    "model": "chooses who gets the conversation",
    "tools": "starts programs",
    "data": "chooses whose memory is opened",
    "user": "chooses whose memory is opened",
    "jobs": "chooses when jobs run and what they erase",
    "turn": "chooses what a turn may cost",
}
OTHERWISE = "does more than tune how a project is worked on"

Known = Callable[[list[str]], Sequence[str]]  # the names of the settings inside a section


def check_project_file(path: Path, values: Mapping[str, object], *, known: Known) -> None:
    """Raises `ConfigError` naming the first setting that only a file one trusts may hold.

    What is no setting at all is left to whoever checks that.
    """
    for name in _settings(values, [], known):
        harm = next((HARMS[held] for held in HARMS if _within(name, held)), OTHERWISE)
        tunes = any(_within(name, tuning) for tuning in TUNING)
        if not tunes or name in HARMS:
            raise ConfigError(
                f"{path} sets {name}, and a file in the working directory never {harm}",
                hint=f"Put it into your own settings file, or say --config {path}.",
            )


def _within(name: str, section: str) -> bool:
    return name == section or name.startswith(f"{section}.")


def _settings(values: Mapping[str, object], path: list[str], known: Known) -> Iterator[str]:
    """The dotted names of the settings in `values`; an empty table says nothing."""
    for name in known(path):
        here, value = [*path, name], values.get(name)
        if isinstance(value, Mapping) and known(here):
            yield from _settings(cast("Mapping[str, object]", value), here, known)
        elif value not in ({}, None):
            yield ".".join(here)
