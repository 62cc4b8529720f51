"""What went into a request and what did not, with tokens and reasons; it replays the request."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache

from pydantic import TypeAdapter, ValidationError

from stratal.context.request import Recalled, Request, SystemBlock, ToolSpec
from stratal.context.usage import Band, bar
from stratal.errors import InputError
from stratal_memory.recall.candidates import Parts, Verdict
from stratal_memory.records import Message, Role, ToolCall

SHOWN = 60  # characters of a candidate's text in the table


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section in tokens; `cap` is None where there is none in tokens.

    For history, `asked` is what was read: the turns that are in and the first that did not fit.
    """

    name: str
    asked: int
    granted: int
    cap: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """One candidate, and the verdict on it. `text` is what the model reads, when it is in."""

    memory: str  # id
    kind: str  # "semantic", "episodic", ...
    tokens: int
    score: float
    parts: Parts
    verdict: Verdict
    reason: str
    text: str
    source: str
    form: str  # "fact", "chunk", ...
    date: str  # ISO day


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message or system block as it was sent; `cached` marks a cache breakpoint after it."""

    role: Role
    text: str
    tokens: int
    cached: bool = False
    id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    tool_failed: bool = False
    reasoning: str = ""
    media: tuple[str, ...] = ()
    created: datetime | None = None

    def message(self) -> Message:
        """The message it was made from."""
        return Message(
            role=self.role,
            text=self.text,
            id=self.id,
            tool_calls=self.tool_calls,
            tool_call_id=self.tool_call_id,
            tool_failed=self.tool_failed,
            reasoning=self.reasoning,
            media=self.media,
            created=self.created,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something that is not a candidate and was not sent, or only in part."""

    what: str  # "history: 12 messages", "procedure", ...
    tokens: int  # at least this many; 0 where nobody counted
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The whole account of one request. `used` is the input with tools, in tokens."""

    window: int
    used: int
    reserve: int
    band: Band
    sections: tuple[Section, ...]
    candidates: tuple[Considered, ...]  # those that are in first, best first
    messages: tuple[Line, ...]  # system blocks included, in the order of the request
    left_out: tuple[LeftOut, ...]
    tools: tuple[ToolSpec, ...]
    model: str
    counter: str
    exact: bool  # whether the counter is the model's own
    context_as_system: bool = False

    def to_json(self) -> str:
        """The JSON text of INTERFACES, section 1, with more fields; ASCII, any text survives."""
        return json.dumps(asdict(self), default=datetime.isoformat)

    @classmethod
    def from_json(cls, text: str) -> "Ledger":
        """The ledger that `to_json` wrote; `InputError` when `text` is not one."""
        try:
            return _codec().validate_python(json.loads(text))
        except (ValidationError, json.JSONDecodeError) as error:
            raise InputError(
                f"this is not a ledger: {str(error).splitlines()[0]}",
                hint="Ask for the turn again; a ledger is stored with every turn.",
            ) from error

    def request(self) -> Request:
        """The request this ledger accounts for, rebuilt equal."""
        system = [line for line in self.messages if line.role == Role.SYSTEM]
        messages = [line for line in self.messages if line.role != Role.SYSTEM]
        marks = [index for index, line in enumerate(messages) if line.cached]
        return Request(
            model=self.model,
            system=tuple(SystemBlock(text=line.text, cached=line.cached) for line in system),
            messages=tuple(line.message() for line in messages),
            tools=self.tools,
            max_output=self.reserve,
            cached_messages=tuple(marks),
            recalled=recalled(self.candidates),
            context_as_system=self.context_as_system,
        )

    def table(self) -> str:
        """The ledger as plain text for people: bar, sections, candidates, what was left out."""
        return "\n".join(
            (*_head(self), *_sections(self), *_candidates(self), *map(_left_out, self.left_out))
        )


@cache
def _codec() -> TypeAdapter[Ledger]:
    return TypeAdapter(Ledger)


def recalled(candidates: tuple[Considered, ...]) -> tuple[Recalled, ...]:
    """What of `candidates` is in the request, best first."""
    return tuple(
        Recalled(
            memory=one.memory,
            form=one.form,
            text=one.text,
            source=one.source,
            date=one.date,
            similarity=one.parts.similarity,
        )
        for one in candidates
        if one.verdict == Verdict.IN
    )


def _head(ledger: Ledger) -> list[str]:
    granted = [(section.name, section.granted) for section in ledger.sections]
    pieces = bar(granted, reserve=ledger.reserve, window=ledger.window)
    share = 100 * ledger.used / ledger.window
    how = "exact" if ledger.exact else "estimated"
    return [
        f"{ledger.used:,} of {ledger.window:,} tokens ({share:.1f} %), {ledger.band.value}; "
        f"{ledger.reserve:,} kept for the answer; {how} by {ledger.counter}",
        f"[{''.join(piece.text for piece in pieces)}]",
    ]


def _sections(ledger: Ledger) -> list[str]:
    lines = [f"{'section':<12}{'asked':>10}{'granted':>10}{'cap':>10}"]
    for section in ledger.sections:
        if section.asked:
            cap = f"{section.cap:,}" if section.cap is not None else "-"
            lines.append(f"{section.name:<12}{section.asked:>10,}{section.granted:>10,}{cap:>10}")
    return lines


def _candidates(ledger: Ledger) -> list[str]:
    if not ledger.candidates:
        return ["no memory was considered"]
    lines = [f"{'':<5}{'score':>6}{'sim':>6}{'conf':>6}{'scope':>6}{'tokens':>8}  memory"]
    for one in ledger.candidates:
        parts = one.parts
        text = " ".join(one.text.split())
        lines.append(
            f"{one.verdict.value:<5}{one.score:>6.2f}{parts.similarity:>6.2f}"
            f"{parts.confidence:>6.2f}{parts.scope:>6.2f}{one.tokens:>8,}  "
            f"{text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'} ({one.reason})"
        )
    return lines


def _left_out(one: LeftOut) -> str:
    return f"left out: {one.what}, {one.tokens:,} tokens ({one.reason})"
