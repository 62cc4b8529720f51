"""The tools of one turn: which there are in a mode, and running what the model asks for."""

import difflib
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from stratal.context.repair import UNKNOWN
from stratal.context.request import ToolSpec
from stratal.errors import ConfigError, StratalError
from stratal.prompt.modes import Matrix, Offered, offered, placeholder, refusal
from stratal.prompt.sections import Mode
from stratal.tools.invocation import Effect, Invocation
from stratal.tools.patience import Cancelled, TimedOut, waited_for
from stratal.tools.tool import NOBODY, Tool, UnfitArguments
from stratal_memory.records import Message, Role, ToolCall

RESULT_LIMIT = 2_000_000  # characters of one result that are stored; what is shown is less (C1)
NOTICE_ROOM = 200  # characters; what is said about the cut fits in it
ASK_LESS = "ask for less at a time"
LONGEST_NAME = 80  # characters of a name that is no tool's, as they are told back

log = logging.getLogger(__name__)


def key_of(turn: str, call: ToolCall) -> str:
    """The idempotency key of a call in a turn: 32 hexadecimal digits, the same after a crash."""
    named = json.dumps([turn, call.id, call.name])
    return hashlib.sha256(named.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools the model may call now; unknown names are answered, never raised.

    Nothing in it changes, so several threads may run calls at the same time; which may run beside
    each other `parallel` says.
    """

    tools: tuple[Tool, ...]
    mode: Mode = Mode.AGENT
    closed: tuple[str, ...] = ()  # names of tools this mode does not offer
    # What is said of each tool that nobody has accepted, by its name.
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(
        cls,
        tools: Sequence[Tool],
        *,
        mode: Mode,
        matrix: Matrix = Matrix.ZEUS,
        left_out: Mapping[str, str] | None = None,
    ) -> "Toolbox":
        """Those of `tools` that `mode` offers by the table of modes (Z26, Zs5).

        `left_out` is what is said of each tool that nobody has accepted, by its name. Raises
        `ConfigError` for two of the same name: the model could not tell them apart.
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
            left_out=left_out or {},
        )

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model sees, by name."""
        return tuple(sorted((tool.spec for tool in self.tools), key=lambda spec: spec.name))

    def find(self, name: str) -> Tool | None:
        """The tool of that name; None when there is none, or not in this mode."""
        return next((tool for tool in self.tools if tool.spec.name == name), None)

    def harmless(self, call: ToolCall) -> bool:
        """Whether the call may run a second time, as after a crash: those that only look may."""
        found = self.find(call.name)
        return found is None or (found.effect is Effect.NONE and not found.writes)

    def may_have_acted(self, call: ToolCall) -> bool:
        """Whether a call cut off may have had an effect, be it through a sub-agent.

        Of a tool that is not there any more nobody knows.
        """
        return self.find(call.name) is None or not self.harmless(call)

    def parallel(self, call: ToolCall) -> bool:
        """Whether the call may run beside others: those that only look may."""
        return self.harmless(call)

    def run(self, call: ToolCall, invocation: Invocation = NOBODY) -> Message:
        """The result of one call; whatever goes wrong is told to the model as a failed result.

        One that is over its time, or cancelled, is left behind: what it says later is lost, and
        where it may have had an effect outside the result says that nobody knows.
        """
        found = self.find(call.name)
        if call.name in self.closed:
            return _result(call, refusal(call.name, self.mode), failed=True)
        if found is None:
            told = self.left_out.get(call.name) or self._unknown(call.name)
            return _result(call, told, failed=True)
        if invocation.cancelled():
            return _result(call, "cancelled before it began; nothing was done", failed=True)
        return _run(found, call, invocation)

    def _unknown(self, name: str) -> str:
        names = [spec.name for spec in self.specs()]
        # One that changes something is not to be called on a guess.
        looking = sorted(tool.spec.name for tool in self.tools if not tool.writes)
        near = difflib.get_close_matches(name[:LONGEST_NAME], looking, n=1)
        meant = f"; did you mean {near[0]}?" if near else ";"
        return (
            f"there is no tool {name[:LONGEST_NAME]!r}{meant} there are: "
            f"{', '.join(names) or 'none'}"
        )


def _run(found: Tool, call: ToolCall, invocation: Invocation) -> Message:
    known = replace(invocation, id=call.id)
    try:
        said = waited_for(
            lambda given: found.runs(call.arguments, given), known, seconds=found.timeout
        )
        return _result(call, said, failed=False)
    except (TimedOut, Cancelled) as error:
        log.warning("tool %s was left behind: %s", call.name, error)
        return _result(call, _with_outcome(str(error), found.effect), failed=True)
    except UnfitArguments as error:  # nothing ran
        return _result(call, _said(error), failed=True)
    except StratalError as error:  # it may have come after the effect
        return _result(call, _with_outcome(_said(error), found.effect), failed=True)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # a tool is somebody's code: its failure is the model's to read
        log.exception("tool %s failed", call.name)
        told = f"the tool failed: {type(error).__name__}: {error}"
        return _result(call, _with_outcome(told, found.effect), failed=True)


def _said(error: StratalError) -> str:
    return f"{error} {error.hint}".strip()


def _with_outcome(told: str, effect: Effect) -> str:
    """What is said of a call that did not come to its end, by what it may have done."""
    if effect is Effect.OUTSIDE:
        return f"{told.removesuffix('.')}. {UNKNOWN}"
    return told


def _placeholder(tool: Tool, mode: Mode) -> Tool:
    """A tool the model may name and not use (Zs5)."""
    said = refusal(tool.spec.name, mode)
    return replace(
        tool,
        spec=placeholder(tool.spec, mode),
        runs=lambda _, __: said,
        writes=False,
        effect=Effect.NONE,
        timeout=None,
    )


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
