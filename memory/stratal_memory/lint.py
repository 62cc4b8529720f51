"""The health of what is remembered: findings, each with what it is about and how to mend it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from stratal_memory import drift
from stratal_memory.erase import job
from stratal_memory.facets import AT_TIMES_SEVERAL, one_at_a_time
from stratal_memory.findings import ORDER, Finding, Health, Rule, Severity, finding
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.contrasts import two_facts
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.worth import Verdict, worth
from stratal_memory.outcomes import NOTHING
from stratal_memory.portability.export import within
from stratal_memory.records import Form, Memory, Status, Trust
from stratal_memory.store import Store
from stratal_memory.text import text_hash
from stratal_memory.truth import memories as rows
from stratal_memory.truth import usefulness
from stratal_memory.truth.schema import memories, recalls, turns
from stratal_memory.truth.vectors import LIVE

NEVER_AFTER = timedelta(days=90)  # a fact this old that no turn recalled is told
NEVER_IN = 20  # turns that were shown a fact and did not use it, from which on it is told
MOST_JUNK = 0.05  # of the facts; mem0#4573 counted 97.8 %

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
        findings += drift.orphans(connection, mine)
        findings += drift.unproven(connection, mine)
        findings += _never_recalled(connection, facts, now=store.clock())
        findings += _never_used(store, connection, facts)
        tell("indexes")
        findings += drift.words(connection)
        findings += drift.vectors_of(store, connection, mine)
    findings += drift.index(store)
    findings += _erase(store)
    rate = len({one.id for one in junk}) / len(facts) if facts else 0.0
    findings += _rate(rate)
    ordered = sorted(findings, key=lambda one: (ORDER.index(one.severity), one.rule))
    return Health(facts=len(facts), junk_rate=rate, findings=tuple(ordered))


def _show(memory: Memory) -> str:
    return f"“{' '.join(memory.text.split())[:80]}”"


def _duplicates(facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts of one scope that say the same, but for the oldest."""
    known: dict[tuple[str, ...], list[Memory]] = defaultdict(list)
    told: set[str] = set()
    for fact in facts:
        said = (str(fact.scope), "", text_hash(fact.text))
        value = (str(fact.scope), fact.facet, text_hash(fact.value))
        for key in (said, value) if fact.facet and fact.value else (said,):
            other = next((one for one in known[key] if not two_facts(one, fact)), None)
            if other is None:
                known[key].append(fact)
            elif fact.id not in told:
                told.add(fact.id)
                message = f"{_show(fact)} says the same as {other.id}"
                yield finding(
                    Rule.DUPLICATE, Severity.WARNING, fact.id, message, "stratal consolidate"
                )


def _contradictions(facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts about one thing that has one value, which disagree at the same time."""
    groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for fact in facts:
        if fact.status is Status.CONTESTED:
            message = f"{_show(fact)} is contested"
            fix = f"stratal memory show {fact.key}"
            yield finding(Rule.CONTRADICTION, Severity.WARNING, fact.id, message, fix)
        elif one_at_a_time(fact.facet):
            groups[str(fact.scope), fact.facet].append(fact)
    for (_, facet), group in groups.items():
        for fact in group[1:]:
            if text_hash(fact.value) != text_hash(group[0].value) and _overlap(fact, group[0]):
                message = f"{_show(fact)} and {_show(group[0])} are both true: one {facet} is"
                fix = f"stratal memory forget {group[0].id}"
                several = facet in AT_TIMES_SEVERAL  # two jobs are no contradiction
                severity = Severity.WARNING if several else Severity.ERROR
                yield finding(Rule.CONTRADICTION, severity, fact.id, message, fix)


def _overlap(one: Memory, other: Memory) -> bool:
    ends = [memory.valid_to for memory in (one, other) if memory.valid_to is not None]
    return not ends or max(one.valid_from, other.valid_from) < min(ends)


def _stale(facts: Sequence[Memory], *, now: datetime) -> Iterator[Finding]:
    for fact in facts:
        if fact.valid_to is not None and fact.valid_to < now:
            message = f"{_show(fact)} was true until {fact.valid_to:%Y-%m-%d} and is still active"
            fix = f"stratal memory show {fact.key}"
            yield finding(Rule.STALE, Severity.WARNING, fact.id, message, fix)


def _junk(facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts that the gate would refuse today, and those that hold a secret."""
    for fact in facts:
        fix = f"stratal memory erase --key {fact.key}"
        kinds = redact(fact.text).kinds
        if kinds:
            message = f"a secret is remembered ({', '.join(kinds)})"
            yield finding(Rule.SECRET, Severity.ERROR, fact.id, message, fix)
        if fact.source == "added by hand":
            continue  # somebody wanted it so
        judged = worth(_found(fact), trust=Trust.USER)
        if judged.verdict is Verdict.EPISODE:
            message = f"{_show(fact)} is not worth it: {judged.reason}"
            yield finding(Rule.JUNK, Severity.WARNING, fact.id, message, fix)


def _found(fact: Memory) -> Found:
    value = fact.value or fact.text
    return Found(text=fact.text, value=value, span=(0, 0), quote="", rule="lint", facet=fact.facet)


def _rate(rate: float) -> Iterator[Finding]:
    if rate > MOST_JUNK:
        message = f"{rate:.0%} of the facts are junk, {MOST_JUNK:.0%} are tolerable"
        yield finding(Rule.JUNK, Severity.ERROR, "", message, "stratal memory lint --json")


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
            yield finding(Rule.NEVER_RECALLED, Severity.INFO, fact.id, message, fix)


def _never_used(store: Store, connection: Connection, facts: Sequence[Memory]) -> Iterator[Finding]:
    """Facts that the user's turns were shown again and again, and no answer used."""
    known = usefulness.of_keys(connection, user=store.user, keys={fact.key for fact in facts})
    for fact in facts:
        counts = known[fact.key].counts if fact.key in known else NOTHING
        if counts.ignored >= NEVER_IN and not counts.used:
            message = f"{_show(fact)} was shown {counts.ignored} times and never used"
            fix = f"stratal memory why {fact.key}"
            yield finding(Rule.NEVER_USED, Severity.INFO, fact.id, message, fix)


def _erase(store: Store) -> Iterator[Finding]:
    if job.paths(store.database.folder)[0].exists():
        message = "an erase was cut off: files may still hold what it named"
        fix = "stratal memory erase --resume"
        yield finding(Rule.ERASE, Severity.ERROR, "", message, fix)
