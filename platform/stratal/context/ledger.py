"""What went into a request and what did not, with tokens and reasons; it replays the request."""

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache

from pydantic import TypeAdapter, ValidationError

from stratal.context.canonical import request_digest
from stratal.context.request import CacheLife, Recalled, Request, SystemBlock, ToolSpec
from stratal.context.usage import Band, bar
from stratal.errors import InputError
from stratal_memory.recall.candidates import Factors, Parts, Signal, Verdict
from stratal_memory.records import Media, Message, Role, ToolCall

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
    factors: Factors = field(default_factory=Factors)
    signals: tuple[Signal, ...] = ()  # of what passed the gate or lay just below it


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
    opaque: str = ""
    media: tuple[Media, ...] = ()
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
            opaque=self.opaque,
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
    """The whole account of one request. `used` is the input with tools, in tokens.

    `request_digest` stands for the bytes that were sent; it is empty where nobody took it.
    """

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
    system_joined: bool = False
    cached_tools: bool = False
    cache_ttl: CacheLife = "5m"
    cache_key: str = ""
    compress_at: int = 0  # tokens of `used` at which history is compressed; 0: unknown
    summarize_at: int = 0  # tokens of `used` at which history is summarised; 0: unknown
    margin: int = 0  # tokens held back for what the counter may miss
    request_digest: str = ""

    def to_json(self) -> str:
        """The JSON text of INTERFACES, section 1, with more fields; ASCII, any text survives."""
        return json.dumps(asdict(self), default=datetime.isoformat)

    @classmethod
    def from_json(cls, text: str) -> "Ledger":
        """The ledger that `to_json` wrote; `InputError` when `text` is not one."""
        try:
            return checked(json.loads(text))
        except json.JSONDecodeError as error:
            raise not_a_ledger(str(error)) from error

    def request(self, messages: tuple[Message, ...] | None = None) -> Request:
        """The request this ledger accounts for, rebuilt equal.

        Who still has the messages that its lines were made of gives them along.
        """
        system = [line for line in self.messages if line.role == Role.SYSTEM]
        lines = [line for line in self.messages if line.role != Role.SYSTEM]
        marks = [index for index, line in enumerate(lines) if line.cached]
        return Request(
            model=self.model,
            system=tuple(SystemBlock(text=line.text, cached=line.cached) for line in system),
            messages=messages or tuple(line.message() for line in lines),
            tools=self.tools,
            max_output=self.reserve,
            cached_messages=tuple(marks),
            recalled=recalled(self.candidates),
            context_as_system=self.context_as_system,
            system_joined=self.system_joined,
            cached_tools=self.cached_tools,
            cache_ttl=self.cache_ttl,
            cache_key=self.cache_key,
        )

    def granted(self) -> dict[str, int]:
        """Tokens of each section; together they are what is used."""
        return {section.name: section.granted for section in self.sections}

    def sealed(self) -> "Ledger":
        """The same with the digest of its request: a ledger that is kept has one."""
        return replace(self, request_digest=request_digest(self.request()))

    def replay(self) -> Request:
        """The request as it was sent; `InputError` when it is not the same bytes any more.

        A ledger without a digest is taken at its word.
        """
        request = self.request()
        found = request_digest(request)
        if self.request_digest not in ("", found):
            raise InputError(
                f"the stored request has the digest {found}, what was sent had "
                f"{self.request_digest}",
                hint="The ledger was changed after it was stored, or another version wrote it.",
            )
        return request

    def table(self) -> str:
        """The ledger as plain text for people: bar, sections, candidates, what was left out."""
        return "\n".join(
            (*_head(self), *_sections(self), *_candidates(self), *map(_left_out, self.left_out))
        )


def checked(shape: object) -> Ledger:
    """The ledger of what was read from JSON; `InputError` when it is not one."""
    try:
        return _codec().validate_python(shape)
    except ValidationError as error:
        raise not_a_ledger(str(error).splitlines()[0]) from error


def not_a_ledger(why: str) -> InputError:
    """The error of a text that should be a ledger and is none."""
    return InputError(
        f"this is not a ledger: {why}",
        hint="Ask for the turn again; a ledger is stored with every turn.",
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
