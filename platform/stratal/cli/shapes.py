"""The JSON shape of every command; `docs/cli.md` is made from them, and they are kept stable."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue, RootModel

from stratal.context.ledger import Ledger
from stratal.providers.provider import Usage
from stratal.reply import Citation
from stratal_ingest.report import FileRow, Totals
from stratal_memory.consolidation.report import Change, Cost, Step
from stratal_memory.learning.gate import Decision
from stratal_memory.learning.resolution import Action
from stratal_memory.recall.candidates import Parts, Verdict
from stratal_memory.records import Event, Evidence, Form, Kind, Role, Status, ToolCall, Trust

ScopeName = Annotated[str, BeforeValidator(str)]  # "user:alice"


class Shape(BaseModel):
    """A result; made from any object with the same fields."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    @classmethod
    def of(cls, source: object) -> Self:
        """The shape of `source`, field by field."""
        return cls.model_validate(source)


class ErrorBody(Shape):
    """What went wrong, and what to do next."""

    type: str
    message: str
    hint: str
    details: dict[str, JsonValue]


class Failed(Shape):
    """What every command prints instead when it fails."""

    error: ErrorBody


class Answered(Shape):
    """One turn."""

    reply: str
    session: str
    turn: str
    model: str
    citations: tuple[Citation, ...]
    usage: Usage
    learned: tuple[Decision, ...]
    procedure: str
    redacted: tuple[str, ...]  # kinds of secrets that were taken out of the message
    ledger: Ledger


class Account(RootModel[Ledger]):
    """What went into a request and what did not."""


class Ingested(Shape):
    """What became of each file."""

    files: tuple[FileRow, ...]
    totals: Totals


class DocumentShape(Shape):
    """A document as it was understood."""

    id: str
    scope: ScopeName
    path: str
    title: str
    format: str
    content_hash: str
    characters: int
    pages: int
    chunks: int
    trust: Trust
    added: datetime


class DocumentList(Shape):
    """The live documents within reach."""

    documents: tuple[DocumentShape, ...]


class PassageShape(Shape):
    """One chunk of a document."""

    id: str
    text: str
    source: str
    evidence: tuple[Evidence, ...]  # where in the document's text, in characters


class DocumentShown(Shape):
    """A document and its chunks in order."""

    document: DocumentShape
    passages: tuple[PassageShape, ...]


class DocumentRemoved(Shape):
    """The document that is no longer recalled."""

    removed: DocumentShape


class MemoryShape(Shape):
    """One version of a remembered statement."""

    id: str
    key: str
    version: int
    text: str
    kind: Kind
    form: Form
    scope: ScopeName
    agent: str
    session: str
    trust: Trust
    status: Status
    confidence: float
    support: int
    source: str
    facet: str
    value: str
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    retired_at: datetime | None
    supersedes: str
    evidence: tuple[Evidence, ...]


class MemoryList(Shape):
    """Memories; of one memory its versions, oldest first."""

    memories: tuple[MemoryShape, ...]


class Remembered(Shape):
    """What became of a statement given by hand."""

    action: Action
    reason: str
    memory: MemoryShape


class Hit(Shape):
    """A memory that was found, with its score."""

    id: str
    kind: Kind
    form: Form
    text: str
    scope: ScopeName
    score: float
    parts: Parts
    verdict: Verdict
    reason: str
    source: str
    trust: Trust
    status: Status
    valid_from: datetime
    valid_to: datetime | None


class Hits(Shape):
    """What was found, best first."""

    hits: tuple[Hit, ...]


class Story(Shape):
    """Why a memory is what it is: its versions and what happened to them."""

    versions: tuple[MemoryShape, ...]
    events: tuple[Event, ...]


class Run(Shape):
    """A run of consolidation; `run` is empty for a preview."""

    run: str
    user: str
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    cost: Cost


class Runs(Shape):
    """One run a user and agent (`--all-users`)."""

    runs: tuple[Run, ...]


class Undone(Shape):
    """What taking a run back changed."""

    run: str
    events: tuple[Event, ...]


class Space(Shape):
    """A project or org, who created it, and who else may use it."""

    scope: ScopeName
    owner: str
    members: tuple[str, ...]


class Spaces(Shape):
    """The projects and orgs a user may use."""

    scopes: tuple[Space, ...]


class Access(Shape):
    """Whether a user may use a scope now, and whether that is new."""

    scope: ScopeName
    user: str
    allowed: bool
    changed: bool


class SessionShape(Shape):
    """One conversation."""

    id: str
    user: str
    agent: str
    started: datetime
    last_active: datetime
    messages: int
    title: str


class SessionList(Shape):
    """Conversations, latest first."""

    sessions: tuple[SessionShape, ...]


class MessageShape(Shape):
    """One message as it was stored."""

    id: str
    role: Role
    text: str
    created: datetime | None
    tool_calls: tuple[ToolCall, ...]
    tool_call_id: str
    tool_failed: bool


class SessionShown(Shape):
    """A conversation with its messages, oldest first."""

    session: SessionShape
    messages: tuple[MessageShape, ...]


class SkillShape(Shape):
    """A skill, where it comes from, and the folder of the namesake that hides it, if any."""

    name: str
    description: str
    origin: str
    folder: Path
    triggers: tuple[str, ...]
    tags: tuple[str, ...]
    version: str
    priority: int
    enabled: bool
    hidden_by: Path | None


class SkillList(Shape):
    """The skills of all folders, and those that can't be read."""

    skills: tuple[SkillShape, ...]
    problems: tuple[str, ...]


class SkillShown(Shape):
    """A skill and what the model is told to do."""

    skill: SkillShape
    instructions: str


class SkillMatch(Shape):
    """A skill that was considered."""

    name: str
    score: float
    why: str


class SkillTest(Shape):
    """The skill that would be injected for a message; null when none fits."""

    match: SkillMatch | None
    candidates: tuple[SkillMatch, ...]


class ModelShape(Shape):
    """What the names that begin with `match` take, in tokens."""

    provider: str
    match: str
    window: int
    max_input: int
    max_output: int
    family: str
    cache_minimum: int
    source: str
    as_of: str
    known: bool  # false: the numbers are assumed


class ModelList(Shape):
    """Models."""

    models: tuple[ModelShape, ...]


class Pulled(Shape):
    """Where the embedding model lies now."""

    path: Path


class SettingShape(Shape):
    """One setting in force and where it was set."""

    name: str
    value: JsonValue
    origin: str


class SettingList(Shape):
    """The settings in force; keys never appear."""

    settings: tuple[SettingShape, ...]


class CheckShape(Shape):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    hint: str


class Checks(Shape):
    """The health of the house."""

    checks: tuple[CheckShape, ...]


class JobShape(Shape):
    """A job and when it is due next."""

    name: str
    schedule: str
    next_due: datetime
    users: int


class JobList(Shape):
    """The jobs that `serve` runs."""

    jobs: tuple[JobShape, ...]


class OutcomeShape(Shape):
    """One due time of a job for one user."""

    job: str
    user: str
    due: datetime
    started: datetime | None
    ended: datetime | None
    outcome: str


class Outcomes(Shape):
    """What came of a job now."""

    outcomes: tuple[OutcomeShape, ...]


class PastRun(Shape):
    """A run of consolidation that `consolidate --undo` can name."""

    id: str
    kind: str
    user: str
    started: datetime
    ended: datetime | None
    undone: datetime | None


class History(Shape):
    """Outcomes of the schedule, and the user's own runs, latest first."""

    outcomes: tuple[OutcomeShape, ...]
    runs: tuple[PastRun, ...]
