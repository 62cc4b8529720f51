"""What can be chosen when an agent is opened."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stratal.errors import ConfigError
from stratal.prompt.sections import Mode
from stratal.settings import Settings
from stratal.tools.approval import Approve, refuse
from stratal.tools.tool import Tool, tool
from stratal_memory.scopes import DEFAULT_AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How an agent is opened; every field has a default but the user."""

    user: str
    agent: str = DEFAULT_AGENT
    project: str | None = None
    org: str | None = None
    session: str | None = None  # continue this one
    new_session: bool = False
    mode: Mode = Mode.AGENT
    tools: tuple[Tool, ...] = ()
    approve: Approve = refuse  # asked before a tool acts once untrusted text was read


def mode_of(name: str) -> Mode:
    """The mode called `name`; raises `ConfigError` with those there are."""
    try:
        return Mode(name)
    except ValueError as error:
        names = ", ".join(Mode)
        raise ConfigError(f"there is no mode {name!r}", hint=f"There are: {names}.") from error


def tools_of(given: Sequence[Tool | Callable[..., object]]) -> tuple[Tool, ...]:
    """`given` as tools; a bare function is one of which nothing is known, see `tool`.

    Raises `ConfigError` for what is neither.
    """
    for one in given:
        if not (isinstance(one, Tool) or callable(one)):
            raise ConfigError(
                f"{str(one)[:80]!r} is no tool", hint="Give functions, or what stratal.tool makes."
            )
    return tuple(one if isinstance(one, Tool) else tool(one) for one in given)


def with_overrides(settings: Settings, *, model: str | None, data: Path | str | None) -> Settings:
    """`settings` with another model or data directory; None leaves what they say."""
    given = {
        "model": settings.model if model is None else model,
        "data": settings.data if data is None else Path(data).expanduser(),
    }
    return settings.model_copy(update=given)
