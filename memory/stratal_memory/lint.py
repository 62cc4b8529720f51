"""The health of what is remembered: findings, each with what it is about and how to mend it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, and_, func, select, text

from stratal_memory.erase import job
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.worth import Verdict, worth
from stratal_memory.portability.export import within
from stratal_memory.records import Form, Memory, Status, Trust
from stratal_memory.store import Store
from stratal_memory.text import text_hash
from stratal_memory.truth import memories as rows
from stratal_memory.truth.schema import (
    documents,
    evidence,
    memories,
    messages,
    recalls,
    turns,
    vectors,
)
from stratal_memory.truth.vectors import LIVE

NEVER_AFTER = timedelta(days=90)  # a fact this old that no turn recalled is told
MOST_JUNK = 0.05  # of the facts; mem0#4573 counted 97.8 %
# Facets that have one value at a time, whoever speaks; the rules know more by the sentence.
SINGLE = frozenset({"name", "home", "birthday", "age", "nationality", "family.status"})
SINGLE_BELOW = ("favourite.",)


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


ORDER = tuple(Severity)


class Rule(StrEnum):
    """What was looked for."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    STALE = "stale"
    ORPHAN = "orphaned evidence"
    UNPROVEN = "no evidence"
    NEVER_RECALLED = "never recalled"
    JUNK = "junk"
    SECRET = "secret"
    DRIFT = "index drift"
    ERASE = "unfinished erase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be; `fix` is the command that mends it."""

    rule: Rule
    severity: Severity
    id: str  # of a memory; empty when it is about the store
    message: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What was looked at and found, worst first."""

    facts: int
    junk_rate: float  # 0..1, of the facts
    findings: tuple[Finding, ...]

    def at_least(self, severity: Severity) -> int:
        """How many findings are as bad as `severity`, or worse."""
        bad = ORDER[: ORDER.index(severity) + 1]
        return sum(finding.severity in bad for finding in self.findings)


Told = Callable[[str], None]


def lint(store: Store, *, on_rule: Told | None = None) -> Health:
    """The health of what the store's principal can reach; nothing is changed."""
    tell = on_rule or (lambda rule: None)
    findings: list[Finding] = []
    with store.read() as connection:
        mine = within(store, memories.c.scope_kind, memories.c.scope_id)
        tell("facts")
        facts = rows.select_memories(
            connection, mine & (memories.c.form == Form.FACT) & memories.c.status.in_(LIVE)
        )
        junk = list(_junk(facts))
        findings += _duplicates(facts)
        findings += _contradictions(facts)
        findings += _stale(facts, now=store.clock())
        findings += junk
        tell("evidence")
        findings += _orphans(connection, mine)
        findings += _unproven(connection, mine)
        findings += _never_recalled(connection, facts, now=store.clock())
        tell("indexes")
        findings += _words(connection)
        findings += _vectors(store, connection, mine)
    findings += _index(store)
    findings += _erase(store)
    rate = len({one.id for one in junk}) / len(facts) if facts else 0.0
    findings += _rate(rate)
    ordered = sorted(findings, key=lambda one: (ORDER.index(one.severity), one.rule))
    return Health(facts=len(facts), junk_rate=rate, findings=tuple(ordered))


def _finding(rule: Rule, severity: Severity, id: str, message: str, fix: str) -> Finding:
    return Finding(rule=rule, severity=severity, id=id, message=message, fix=fix)


def _show(memory: Memory) -> str:
    return f"“{' '.join(memory.text.split())[:80]}”"


def _duplicates(facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts of one scope that say the same, but for the oldest."""
    first: dict[tuple[str, ...], Memory] = {}
    told: set[str] = set()
    for fact in facts:
        said = (str(fact.scope), "", text_hash(fact.text))
        value = (str(fact.scope), fact.facet, text_hash(fact.value))
        for key in (said, value) if fact.facet and fact.value else (said,):
            other = first.setdefault(key, fact)
            if other is not fact and fact.id not in told:
                told.add(fact.id)
                message = f"{_show(fact)} says the same as {other.id}"
                yield _finding(
                    Rule.DUPLICATE, Severity.WARNING, fact.id, message, "stratal consolidate"
                )


def _contradictions(facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts about one thing that has one value, which disagree at the same time."""
    groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for fact in facts:
        if fact.status is Status.CONTESTED:
            message = f"{_show(fact)} is contested"
            fix = f"stratal memory show {fact.key}"
            yield _finding(Rule.CONTRADICTION, Severity.WARNING, fact.id, message, fix)
        elif fact.facet in SINGLE or fact.facet.startswith(SINGLE_BELOW):
            groups[str(fact.scope), fact.facet].append(fact)
    for (_, facet), group in groups.items():
        for fact in group[1:]:
            if text_hash(fact.value) != text_hash(group[0].value) and _overlap(fact, group[0]):
                message = f"{_show(fact)} and {_show(group[0])} are both true: one {facet} is"
                fix = f"stratal memory erase --key {group[0].key}"
                yield _finding(Rule.CONTRADICTION, Severity.ERROR, fact.id, message, fix)


def _overlap(one: Memory, other: Memory) -> bool:
    ends = [memory.valid_to for memory in (one, other) if memory.valid_to is not None]
    return not ends or max(one.valid_from, other.valid_from) < min(ends)


def _stale(facts: Sequence[Memory], *, now: datetime) -> Iterator[Finding]:
    for fact in facts:
        if fact.valid_to is not None and fact.valid_to < now:
            message = f"{_show(fact)} was true until {fact.valid_to:%Y-%m-%d} and is still active"
            fix = f"stratal memory show {fact.key}"
            yield _finding(Rule.STALE, Severity.WARNING, fact.id, message, fix)


def _junk(facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts that the gate would refuse today, and those that hold a secret."""
    for fact in facts:
        fix = f"stratal memory erase --key {fact.key}"
        kinds = redact(fact.text).kinds
        if kinds:
            message = f"a secret is remembered ({', '.join(kinds)})"
            yield _finding(Rule.SECRET, Severity.ERROR, fact.id, message, fix)
        if fact.source == "added by hand":
            continue  # somebody wanted it so
        judged = worth(_found(fact), trust=Trust.USER)
        if judged.verdict is Verdict.EPISODE:
            message = f"{_show(fact)} is not worth it: {judged.reason}"
            yield _finding(Rule.JUNK, Severity.WARNING, fact.id, message, fix)


def _found(fact: Memory) -> Found:
    value = fact.value or fact.text
    return Found(text=fact.text, value=value, span=(0, 0), quote="", rule="lint", facet=fact.facet)


def _rate(rate: float) -> Iterator[Finding]:
    if rate > MOST_JUNK:
        message = f"{rate:.0%} of the facts are junk, {MOST_JUNK:.0%} are tolerable"
        yield _finding(Rule.JUNK, Severity.ERROR, "", message, "stratal memory lint --json")


# What the prefix of a reference names; a note is made by hand and names nothing that is stored.
_SOURCES = (
    ("msg_", messages.c.id),
    ("mem_", memories.c.id),
    ("doc_", documents.c.id),
)


def _orphans(connection: Connection, mine: ColumnElement[bool]) -> Iterator[Finding]:
    """Live memories that rest on something that is not there."""
    for prefix, source in _SOURCES:
        there = select(source).where(source == evidence.c.ref)
        if prefix == "mem_":
            other = memories.alias()
            there = select(other.c.id).where(other.c.id == evidence.c.ref)
        found = connection.execute(
            select(memories.c.id, memories.c.key, evidence.c.ref)
            .join(evidence, evidence.c.memory == memories.c.id)
            .where(
                mine,
                memories.c.status.in_(LIVE),
                evidence.c.ref.startswith(prefix, autoescape=True),
                ~there.exists(),
            )
            .order_by(memories.c.seq)
        )
        for row in found:
            message = f"it rests on {row.ref}, which is not there"
            fix = f"stratal memory erase --key {row.key}"
            yield _finding(Rule.ORPHAN, Severity.ERROR, row.id, message, fix)


def _unproven(connection: Connection, mine: ColumnElement[bool]) -> Iterator[Finding]:
    """Live memories that name no source (M1); a skill's source is its folder."""
    proof = select(evidence.c.memory).where(evidence.c.memory == memories.c.id)
    found = connection.execute(
        select(memories.c.id, memories.c.key).where(
            mine,
            memories.c.status.in_(LIVE),
            memories.c.form != Form.SKILL,
            ~proof.exists(),
        )
    )
    for row in found:
        fix = f"stratal memory erase --key {row.key}"
        yield _finding(Rule.UNPROVEN, Severity.ERROR, row.id, "nothing says where it is from", fix)


def _never_recalled(
    connection: Connection, facts: Sequence[Memory], *, now: datetime
) -> Iterator[Finding]:
    """Old facts that no turn was shown, once there are turns that were shown any."""
    query = select(recalls.c.memory).distinct().join(turns, turns.c.id == recalls.c.turn)
    shown = set(connection.execute(query).scalars())
    for fact in facts:
        if shown and fact.id not in shown and fact.recorded_at < now - NEVER_AFTER:
            message = f"{_show(fact)} was never recalled since {fact.recorded_at:%Y-%m-%d}"
            fix = f"stratal memory show {fact.key}"
            yield _finding(Rule.NEVER_RECALLED, Severity.INFO, fact.id, message, fix)


def _words(connection: Connection) -> Iterator[Finding]:
    """Whether full text holds every live memory, and nothing that is not there."""
    held = set(connection.execute(text("SELECT rowid FROM full_text")).scalars())
    rows_there = connection.execute(select(memories.c.seq, memories.c.status))
    there = {row.seq: row.status for row in rows_there}
    missing = {seq for seq, status in there.items() if status in LIVE} - held
    surplus = held - there.keys()
    fix = "stratal memory export FILE, and import it into a new data directory"
    for seqs, what in ((missing, "are not found by their words"), (surplus, "are there no more")):
        if seqs:
            message = f"full text: {len(seqs):,} memories {what}"
            yield _finding(Rule.DRIFT, Severity.ERROR, "", message, fix)


def _vectors(store: Store, connection: Connection, mine: ColumnElement[bool]) -> Iterator[Finding]:
    if not store.generation:
        return
    here = and_(vectors.c.memory == memories.c.seq, vectors.c.generation == store.generation)
    waiting = connection.execute(
        select(func.count())
        .select_from(memories)
        .where(
            mine,
            memories.c.status.in_(LIVE),
            memories.c.form != Form.SLOT,
            ~select(vectors.c.memory).where(here).exists(),
        )
    ).scalar_one()
    if waiting:
        message = f"{waiting:,} memories have no vector of the model in use"
        yield _finding(Rule.DRIFT, Severity.WARNING, "", message, "stratal doctor")


def _index(store: Store) -> Iterator[Finding]:
    if store.door is None:
        return
    health = store.door.check()
    if health.owned and not health.sound:
        message = f"the index: {health.detail}"
        fix = "stratal doctor --rebuild-index"
        yield _finding(Rule.DRIFT, Severity.ERROR, "", message, fix)


def _erase(store: Store) -> Iterator[Finding]:
    if job.paths(store.database.folder)[0].exists():
        message = "an erase was cut off: files may still hold what it named"
        fix = "stratal memory erase --resume"
        yield _finding(Rule.ERASE, Severity.ERROR, "", message, fix)
