"""What was done in one turn: the request, the calls that worked, and what had been read before."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pydantic import JsonValue

from stratal_memory.records import Message, Role
from stratal_memory.text import storable

# Argument names stand in drafts as they are; what is no plain name may be a sentence of somebody.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument as the model gave it; `value` is canonical JSON."""

    name: str
    value: str

    @property
    def text(self) -> str:
        """The value as it stands in a template: a text without its quotes."""
        found: JsonValue = json.loads(self.value)
        return found if isinstance(found, str) else self.value

    @property
    def type(self) -> str:
        """`text`, `number`, `flag`, `list`, `object` or `none`."""
        return _TYPES.get(self.value[:1], "number")


_TYPES = {'"': "text", "[": "list", "{": "object", "t": "flag", "f": "flag", "n": "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that worked. `read` counts the texts of others the model had read by then."""

    tool: str
    arguments: tuple[Argument, ...]  # by name
    read: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step: a call, or a run of calls of one tool with the same arguments' names."""

    tool: str
    calls: tuple[Call, ...]
    failures: int = 0  # calls of the tool that failed before

    @property
    def shape(self) -> tuple[tuple[str, str], ...]:
        """Names and types of the arguments, by name."""
        return tuple((one.name, one.type) for one in self.calls[0].arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One turn. `flaw` says why nothing can be learned from it; empty when something can."""

    turn: str
    session: str
    request: str
    stages: tuple[Stage, ...]
    said: tuple[str, ...] = ()  # by the user in this conversation, this request included
    read: tuple[str, ...] = ()  # texts of others, in the order they came before the model
    flaw: str = ""

    @property
    def tools(self) -> str:
        """The names of the tools in order; a run of one tool counts once."""
        return " ".join(stage.tool for stage in self.stages)

    @property
    def calls(self) -> int:
        """How many calls worked."""
        return sum(len(stage.calls) for stage in self.stages)


def episode(
    said: Sequence[Message],
    *,
    turn: str,
    session: str,
    least: int,
    aside: frozenset[str] = frozenset(),
) -> Episode:
    """The episode in the messages of one turn, oldest first.

    Calls of the tools `aside` are left out: they look something up for the model alone. It needs
    `least` other calls that worked, and an answer after them (Os19).
    """
    calls, failures = _calls(said, aside)
    stages = tuple(_stages(calls, failures))
    made = Episode(
        turn=turn,
        session=session,
        request=said[0].text if said else "",
        stages=stages,
        said=tuple(one.text for one in said if one.role is Role.USER),
        read=tuple(one.text for one in said if one.role is Role.TOOL),
    )
    return replace(made, flaw=_flaw(made, said, least))


def after(one: Episode, *, said: Sequence[str], read: Sequence[str]) -> Episode:
    """`one` in a conversation in which that was said by the user, and read, before."""
    stages = tuple(
        replace(
            stage,
            calls=tuple(replace(call, read=call.read + len(read)) for call in stage.calls),
        )
        for stage in one.stages
    )
    return replace(one, stages=stages, said=(*said, *one.said), read=(*read, *one.read))


def _calls(
    said: Sequence[Message], aside: frozenset[str]
) -> tuple[list[Call], list[tuple[str, int]]]:
    """The calls that worked, in order; and each that failed, with how many had worked by then."""
    results = {one.tool_call_id: one for one in said if one.role is Role.TOOL}
    calls: list[Call] = []
    failures: list[tuple[str, int]] = []
    read = 0
    for message in said:
        read += message.role is Role.TOOL
        for wish in message.tool_calls:
            result = results.get(wish.id)
            if wish.name in aside:
                continue
            if result is None or result.tool_failed:
                failures.append((wish.name, len(calls)))
            else:
                calls.append(Call(tool=wish.name, arguments=_arguments(wish.arguments), read=read))
    return calls, failures


def _arguments(text: str) -> tuple[Argument, ...]:
    try:
        given: JsonValue = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(given, dict):
        return ()
    return tuple(
        Argument(name=storable(name), value=storable(_canonical(given[name])))
        for name in sorted(given)
    )


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _stages(calls: Sequence[Call], failures: Sequence[tuple[str, int]]) -> list[Stage]:
    made: list[Stage] = []
    done = 0
    for (tool, _), run in groupby(calls, key=lambda call: (call.tool, _names(call))):
        some = tuple(run)
        behind = done + len(some)
        failed = sum(1 for name, at in failures if name == tool and done <= at < behind)
        made.append(Stage(tool=tool, calls=some, failures=failed))
        done = behind
    return made


def _names(call: Call) -> tuple[str, ...]:
    return tuple(one.name for one in call.arguments)


def _flaw(made: Episode, said: Sequence[Message], least: int) -> str:
    if made.calls < least:
        return f"it has {made.calls} calls that worked, {least} are needed"
    last = said[-1]
    if last.role is not Role.ASSISTANT or last.tool_calls or not last.text.strip():
        return "it has no answer"
    results = [one for one in said if one.role is Role.TOOL]
    if results[-1].tool_failed:
        return "its last tool failed"
    named = [stage.tool for stage in made.stages]
    named += [name for stage in made.stages for name, _ in stage.shape]
    odd = [name for name in named if not _NAME.fullmatch(name)]
    return "a tool or an argument has an odd name" if odd else ""
