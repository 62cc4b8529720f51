"""The values every room speaks of: scopes, memories, messages, documents, events."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from stratal_memory.facets import ItemType, item_type


class ScopeKind(StrEnum):
    """Who a record belongs to, narrowest first."""

    SESSION = "session"
    PROJECT = "project"
    USER = "user"
    ORG = "org"


class Kind(StrEnum):
    """The four tiers of memory."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    PROFILE = "profile"


class Form(StrEnum):
    """What a memory was made from; recall formats and caps by it."""

    FACT = "fact"  # a statement learned from a conversation or given by hand
    CHUNK = "chunk"  # a passage of a document
    MESSAGE = "message"  # one raw message, searchable at once
    EPISODE = "episode"  # the summary of a stretch of a session, of a day, or of a week
    OBSERVATION = "observed"  # facts told in one sentence that cites them
    SKILL = "skill"  # the description of a procedure
    SLOT = "slot"  # one line of the profile; pinned, never searched


class Trust(StrEnum):
    """How far the source may be believed, highest first."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    WEB = "web"


TRUST_ORDER = tuple(Trust)


def lowest_trust(*sources: Trust) -> Trust:
    """The trust of something derived from `sources`: the lowest of them.

    >>> lowest_trust(Trust.USER, Trust.DOCUMENT).value
    'document'
    """
    return max(sources, key=TRUST_ORDER.index)


class Status(StrEnum):
    """Where a memory version stands (ARCHITECTURE, section 4)."""

    PROVISIONAL = "provisional"
    ACTIVE = "active"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"
    ERASED = "erased"


SAID_BY_USER = "said by the user"  # the source of what the user told in a conversation


class Role(StrEnum):
    """Who speaks in a message (O6). History holds only user, assistant and tool."""

    SYSTEM = "system"
    CONTEXT = "context"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of a record; compared exactly, never by prefix."""

    kind: ScopeKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where a statement was seen: a message, a chunk, or another memory, and the words there.

    What is left empty is as the memory it belongs to says: its start, its trust, its source.
    """

    ref: str  # id of a message, a chunk or a memory
    start: int = 0  # characters into the source
    end: int = 0
    quote: str = ""
    at: datetime | None = None  # from when on the source says that it is true
    trust: Trust | None = None
    source: str = ""  # who said it: what a source says twice counts once


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One version of one remembered statement.

    `key` is stable across versions; `id` names this version. Times are UTC.
    """

    id: str
    key: str
    text: str
    kind: Kind
    form: Form
    scope: Scope
    trust: Trust
    status: Status
    confidence: float  # 0..1, computed by code
    source: str  # for people: "conversation", a document's title and place, "added by hand"
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    retired_at: datetime | None = None
    facet: str = ""  # "name", "home", "preference.tea"; empty when the statement has none
    value: str = ""  # the facet's value; what two statements are compared by
    agent: str = ""  # empty: shared by all of the user's agents
    session: str = ""  # the conversation it comes from; empty when it comes from elsewhere
    version: int = 1
    supersedes: str = ""  # id of the version this one replaced
    support: int = 1  # independent statements for it
    pinned: bool = False  # never decays or expires; recalled whatever is asked
    evidence: tuple[Evidence, ...] = ()

    @property
    def item(self) -> ItemType:
        """What kind of thing it says (Zs3), by its facet."""
        return item_type(self.facet)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's wish to run a tool; `arguments` is the JSON text the model wrote."""

    id: str
    name: str
    arguments: str


class MediaKind(StrEnum):
    """What an attachment is."""

    IMAGE = "image"
    AUDIO = "audio"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """One attachment of a message; sizes are 0 where nobody measured them."""

    kind: MediaKind = MediaKind.IMAGE
    source: str  # an https address or a data URL: what the provider is sent
    width: int = 0  # pixels
    height: int = 0  # pixels
    pages: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. History holds user, assistant and tool messages only (P7, P8).

    `id` is empty, and `seq` 0, for messages that are built for one request and never stored.
    """

    role: Role
    text: str
    id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""  # on a tool message: the call it answers
    tool_failed: bool = False
    reasoning: str = ""
    opaque: str = ""  # the provider's own blocks of an answer, signed or encrypted, as JSON
    media: tuple[Media, ...] = ()
    created: datetime | None = None
    seq: int = field(default=0, compare=False)  # its row in the history; grows with time


class TurnState(StrEnum):
    """How far a turn came."""

    OPEN = "open"
    DONE = "done"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation of one user with one agent."""

    id: str
    user: str
    agent: str
    started: datetime
    last_active: datetime
    messages: int = 0
    episode_of: datetime | None = None  # when it was last turned into an episode
    title: str = ""
    parent: str = ""  # the conversation a sub-agent was asked in; empty: the user's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What stands for a range of turns in the prompt; their messages stay in the truth."""

    id: str
    session: str
    first: int  # the row where the first turn of the range began
    last: int  # the row where its last turn began
    text: str
    method: str  # who wrote it: "model", "extractive", "note"
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A file inside a document that could not be read; `type` is the name of an error class."""

    name: str
    type: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document as it was understood."""

    id: str  # stays the same when it is edited or moved
    scope: Scope
    path: str  # absolute, an address, or `stdin:NAME`; `OUTER!/NAME` where it lies in another
    title: str
    format: str
    content_hash: str
    characters: int
    pages: int  # 0 where the format has none
    chunks: int
    trust: Trust
    added: datetime  # this version of it
    retired: datetime | None = None
    root: str = ""  # the folder, pattern or file it was found by
    parent: str = ""  # id of the document it lies in
    refused: tuple[Unread, ...] = ()  # what in it could not be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One chunk of a document before it becomes a memory: text and its place."""

    text: str
    ordinal: int
    start: int  # characters into the document's text
    end: int
    page: int = 0  # 1-based; 0 where the format has none
    heading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One change to memory, or one decision not to change it, with its reason."""

    id: str
    at: datetime
    kind: str  # "memory.added", "memory.superseded", "candidate.refused", ...
    user: str
    reason: str
    memory: str = ""  # id of the version it speaks of
    key: str = ""
    run: str = ""  # the run that made it, for undo
    undone: datetime | None = None  # when it was taken back
    detail: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What models cost; all 0 where rules did the work."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=self.usd + other.usd,
        )

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(
            calls=self.calls - other.calls,
            input_tokens=self.input_tokens - other.input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            usd=self.usd - other.usd,
        )


def new_id(prefix: str) -> str:
    """An unguessable id such as `mem_5f0c…`; the prefix tells people what it names."""
    return f"{prefix}_{uuid.uuid4().hex[:20]}"
