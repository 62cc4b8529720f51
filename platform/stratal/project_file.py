"""What a settings file that nobody named may not say: whoever wrote the folder is a stranger.

`./stratal.toml` is read because one stands in its folder. It may tune how a project is worked on;
it may not choose where keys are sent, whose memory is opened, what speaks in the prompt or which
programs start. `--config ./stratal.toml` says that one trusts it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from stratal_memory.errors import ConfigError

# Dotted settings, and what a stranger could do with each.
KEPT_BACK: Mapping[str, str] = {
    "tools.mcp": "starts programs",
    "data": "chooses whose memory is opened",
    "skills.folders": "chooses who speaks in the prompt",
    "skills.project": "chooses which skills need no approval",
    "prompt.folders": "chooses who speaks in the prompt",
    "providers": "chooses where keys and conversations are sent",
    "anthropic_url": "chooses where keys and conversations are sent",
    "openai_url": "chooses where keys and conversations are sent",
}


def check_project_file(path: Path, values: Mapping[str, object]) -> None:
    """Raises `ConfigError` naming the first setting that only a file one trusts may hold."""
    for name, harm in KEPT_BACK.items():
        if _there(values, name.split(".")):
            raise ConfigError(
                f"{path} sets {name}, and a file in the working directory never {harm}",
                hint=f"Put it into your own settings file, or say --config {path}.",
            )


def _there(values: Mapping[str, object], path: list[str]) -> bool:
    """Whether something stands at `path`; an empty table says nothing."""
    here: object = values
    for name in path:
        if not isinstance(here, Mapping) or name not in here:
            return False
        here = cast("Mapping[str, object]", here)[name]
    return here not in ({}, [], None)
