"""The tools of one turn: which there are in a mode, and running what the model asks for."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from stratal.context.request import ToolSpec
from stratal.errors import ConfigError, StratalError
from stratal.prompt.sections import Mode
from stratal.tools.tool import Tool
from stratal_memory.records import Message, Role, ToolCall

RESULT_LIMIT = 20_000  # characters of one result with its notice (C1)
NOTICE_ROOM = 200  # characters; what is said about the cut fits in it
ASK_LESS = "ask for less at a time"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools the model may call now; unknown names are answered, never raised."""

    tools: tuple[Tool, ...]

    @classmethod
    def of(cls, tools: Sequence[Tool], *, mode: Mode) -> "Toolbox":
        """Those of `tools` that `mode` allows: in ask and plan nothing is written (Z26).

        Raises `ConfigError` for two of the same name: the model could not tell them apart.
        """
        names = [tool.spec.name for tool in tools]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(
                f"two tools are called {', '.join(twice)}", hint="Rename the function of one."
            )
        return cls(tuple(tool for tool in tools if mode is Mode.AGENT or not tool.writes))

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model sees, by name."""
        return tuple(sorted((tool.spec for tool in self.tools), key=lambda spec: spec.name))

    def run(self, call: ToolCall) -> Message:
        """The result of one call; whatever goes wrong is told to the model as a failed result."""
        found = next((tool for tool in self.tools if tool.spec.name == call.name), None)
        if found is None:
            names = ", ".join(spec.name for spec in self.specs()) or "none"
            return _result(call, f"there is no tool {call.name!r}; there are: {names}", failed=True)
        try:
            return _result(call, found.run(call.arguments), failed=False)
        except StratalError as error:
            return _result(call, f"{error} {error.hint}".strip(), failed=True)
        except Exception as error:  # a tool is somebody's code: its failure is the model's to read
            log.exception("tool %s failed", call.name)
            kind = type(error).__name__
            return _result(call, f"the tool failed: {kind}: {error}", failed=True)


def _result(call: ToolCall, text: str, *, failed: bool) -> Message:
    return Message(role=Role.TOOL, text=_capped(text), tool_call_id=call.id, tool_failed=failed)


def _capped(text: str) -> str:
    """At most 20,000 characters, with a notice that says what is missing (C1, Cs1)."""
    if not text.strip():
        return "(the tool gave no output)"
    if len(text) <= RESULT_LIMIT:
        return text
    kept = RESULT_LIMIT - NOTICE_ROOM
    return f"{text[:kept]}\n[{len(text):,} characters, the first {kept:,} are shown; {ASK_LESS}]"
