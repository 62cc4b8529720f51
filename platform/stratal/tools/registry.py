"""The tools of one turn: which there are in a mode, and running what the model asks for."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal.context.request import ToolSpec
from stratal.errors import ConfigError, StratalError
from stratal.prompt.modes import Matrix, Offered, offered, placeholder, refusal
from stratal.prompt.sections import Mode
from stratal.tools.tool import Tool
from stratal_memory.records import Message, Role, ToolCall

RESULT_LIMIT = 2_000_000  # characters of one result that are stored; what is shown is less (C1)
NOTICE_ROOM = 200  # characters; what is said about the cut fits in it
ASK_LESS = "ask for less at a time"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools the model may call now; unknown names are answered, never raised."""

    tools: tuple[Tool, ...]
    mode: Mode = Mode.AGENT
    closed: tuple[str, ...] = ()  # names of tools this mode does not offer

    @classmethod
    def of(cls, tools: Sequence[Tool], *, mode: Mode, matrix: Matrix = Matrix.ZEUS) -> "Toolbox":
        """Those of `tools` that `mode` offers by the table of modes (Z26, Zs5).

        Raises `ConfigError` for two of the same name: the model could not tell them apart.
        """
        names = [tool.spec.name for tool in tools]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(
                f"two tools are called {', '.join(twice)}", hint="Rename the function of one."
            )
        verdicts = [
            (tool, offered(mode, writes=tool.writes, area=tool.area, matrix=matrix))
            for tool in tools
        ]
        return cls(
            tools=tuple(
                tool if verdict is Offered.OPEN else _placeholder(tool, mode)
                for tool, verdict in verdicts
                if verdict is not Offered.CLOSED
            ),
            mode=mode,
            closed=tuple(tool.spec.name for tool, how in verdicts if how is Offered.CLOSED),
        )

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model sees, by name."""
        return tuple(sorted((tool.spec for tool in self.tools), key=lambda spec: spec.name))

    def run(self, call: ToolCall) -> Message:
        """The result of one call; whatever goes wrong is told to the model as a failed result."""
        found = next((tool for tool in self.tools if tool.spec.name == call.name), None)
        if call.name in self.closed:
            return _result(call, refusal(call.name, self.mode), failed=True)
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


def _placeholder(tool: Tool, mode: Mode) -> Tool:
    """A tool the model may name and not use (Zs5)."""
    said = refusal(tool.spec.name, mode)
    return replace(tool, spec=placeholder(tool.spec, mode), run=lambda _: said)


def _result(call: ToolCall, text: str, *, failed: bool) -> Message:
    return Message(role=Role.TOOL, text=_capped(text), tool_call_id=call.id, tool_failed=failed)


def _capped(text: str) -> str:
    """At most two million characters, with a notice that says what is missing."""
    if not text.strip():
        return "(the tool gave no output)"
    if len(text) <= RESULT_LIMIT:
        return text
    kept = RESULT_LIMIT - NOTICE_ROOM
    return f"{text[:kept]}\n[{len(text):,} characters, the first {kept:,} are shown; {ASK_LESS}]"
