"""What is wrong with what is remembered is found, named, and told how to mend."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, text, update

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase import job
from stratal_memory.findings import Rule, Severity
from stratal_memory.learning.gate import take_in
from stratal_memory.lint import NEVER_IN, lint
from stratal_memory.outcomes import Outcome
from stratal_memory.records import Evidence, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import usefulness
from stratal_memory.truth.schema import evidence, memories, messages, vectors
from stratal_memory.truth.usefulness import Turned
from tests.memory.worlds import World, begin, export, memory, say

Spoil = Callable[[Store, Memory], None]


def healthy(world: World) -> Store:
    store = world.store(embedder=HashEmbedder(64))
    session = begin(store)
    for said in ("I live in Porto.", "My sister is called Eva.", "I am allergic to hazelnuts."):
        take_in(store, session, say(store, session, said, "I see."))
    Facts(store).add("My bicycle is red and stands in the cellar.")
    return store


def added(store: Store, one: Memory) -> None:
    seen = one.evidence or (Evidence(ref="note_1", quote=one.text),)
    vector = store.embed([one.text])[0]
    with store.write() as journal:
        journal.add(replace(one, evidence=seen), reason="a test", vector=vector)


def like(fact: Memory, *, value: str = "", text_: str = "", key: str = "key_2") -> Memory:
    return replace(
        fact,
        id="mem_2",
        key=key,
        text=text_ or fact.text,
        value=value or fact.value,
    )


def again(store: Store, fact: Memory) -> None:
    added(store, like(fact))


def another_home(store: Store, fact: Memory) -> None:
    added(store, like(fact, value="Rome", text_="The user lives in Rome."))


def two(store: Store, fact: Memory, facet: str) -> None:
    for number, value in enumerate(("one", "two")):
        text_ = f"The user's {facet} is {value}."
        said = like(fact, value=value, text_=text_, key=f"key_{number}")
        added(store, replace(said, id=f"mem_{number}", facet=facet))


def another_job(store: Store, fact: Memory) -> None:
    two(store, fact, "work.role")


def another_tea(store: Store, fact: Memory) -> None:
    two(store, fact, "favourite.tea")


def long_over(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        ended = store.clock() - timedelta(days=3)
        journal.connection.execute(
            update(memories).where(memories.c.id == fact.id).values(valid_to=ended)
        )


def no_source(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.connection.execute(
            update(evidence).where(evidence.c.memory == fact.id).values(ref="msg_gone")
        )


def no_evidence(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.connection.execute(delete(evidence).where(evidence.c.memory == fact.id))


def junk(store: Store, fact: Memory) -> None:
    added(store, replace(like(fact, value="it", text_="it is"), facet="note"))


def secret(store: Store, fact: Memory) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4" * 10
    added(store, like(fact, value=key, text_=f"The key is {key}"))


def contested(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.connection.execute(
            update(memories).where(memories.c.id == fact.id).values(status=Status.CONTESTED)
        )


def no_words(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.connection.execute(text("DELETE FROM full_text WHERE rowid = 1"))


def words_of_nothing(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.connection.execute(
            text("INSERT INTO full_text(rowid, owner, body) VALUES (999, 'o', 'odd')")
        )


def no_vector(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.connection.execute(delete(vectors).where(vectors.c.memory == 1))


def stale_index(store: Store, fact: Memory) -> None:
    assert store.door is not None
    store.door.check()
    with store.write() as journal:
        row = journal.connection.execute(vectors.select()).first()
        assert row is not None
        journal.connection.execute(delete(vectors).where(vectors.c.memory == row.memory))


def cut_off(store: Store, fact: Memory) -> None:
    job.paths(store.database.folder)[0].write_text("{}")


CASES: dict[str, tuple[Spoil, Rule, Severity]] = {
    "duplicate": (again, Rule.DUPLICATE, Severity.WARNING),
    "contradiction": (another_home, Rule.CONTRADICTION, Severity.ERROR),
    "contested": (contested, Rule.CONTRADICTION, Severity.WARNING),
    "stale": (long_over, Rule.STALE, Severity.WARNING),
    "orphan": (no_source, Rule.ORPHAN, Severity.ERROR),
    "unproven": (no_evidence, Rule.UNPROVEN, Severity.ERROR),
    "junk": (junk, Rule.JUNK, Severity.WARNING),
    "secret": (secret, Rule.SECRET, Severity.ERROR),
    "no words": (no_words, Rule.DRIFT, Severity.ERROR),
    "words of nothing": (words_of_nothing, Rule.DRIFT, Severity.ERROR),
    "no vector": (no_vector, Rule.DRIFT, Severity.WARNING),
    "stale index": (stale_index, Rule.DRIFT, Severity.ERROR),
    "two jobs": (another_job, Rule.CONTRADICTION, Severity.WARNING),
    "two favourites": (another_tea, Rule.CONTRADICTION, Severity.ERROR),
    "unfinished erase": (cut_off, Rule.ERASE, Severity.ERROR),
}


def found(store: Store) -> list[tuple[Rule, Severity]]:
    return [(one.rule, one.severity) for one in lint(store).findings]


def test_a_healthy_memory_has_no_findings(world: World) -> None:
    health = lint(healthy(world))

    assert (health.findings, health.junk_rate, health.facts) == ((), 0.0, 4)


@pytest.mark.parametrize("name", CASES)
def test_each_ill_is_found_with_its_id_and_its_remedy(world: World, name: str) -> None:
    store = healthy(world)
    spoil, rule, severity = CASES[name]
    home = next(fact for fact in Facts(store).known() if fact.facet == "home")

    spoil(store, home)
    findings = lint(store).findings

    assert (rule, severity) in [(one.rule, one.severity) for one in findings]
    first = next(one for one in findings if (one.rule, one.severity) == (rule, severity))
    assert first.fix.startswith("stratal ")
    assert first.message
    assert bool(first.id) == (rule not in (Rule.DRIFT, Rule.ERASE))


def test_lint_changes_nothing(world: World) -> None:
    store = healthy(world)
    another_home(store, next(fact for fact in Facts(store).known() if fact.facet == "home"))
    before = export(world.database)

    lint(store)

    assert export(world.database) == before


def test_two_homes_one_after_the_other_are_no_contradiction(world: World) -> None:
    store = healthy(world)
    session = begin(store)
    world.clock.pass_(days=1)
    take_in(store, session, say(store, session, "I moved to Rome."))

    assert Rule.CONTRADICTION not in [rule for rule, _ in found(store)]


def test_a_store_of_junk_is_an_error_with_its_rate(world: World) -> None:
    """covers complaint 1 of MEMORY section 3: 97.8 % junk, and nobody was told."""
    store = world.store()
    for number in range(10):
        one = memory("it is", at=world.clock(), source="said by the user", key=f"key_{number}")
        added(store, one)

    health = lint(store)

    assert health.junk_rate == 1.0
    assert (Rule.JUNK, Severity.ERROR) in [(one.rule, one.severity) for one in health.findings]


def test_what_was_never_recalled_is_told_once_others_were(world: World) -> None:
    store = healthy(world)
    home = next(fact for fact in Facts(store).known() if fact.facet == "home")
    assert found(store) == []
    with store.write() as journal:
        turn = journal.connection.execute(messages.select()).first()
        assert turn is not None
        from stratal_memory.truth.schema import recalls

        journal.connection.execute(
            insert(recalls).values(turn=turn.turn, memory=home.id, score=0.5)
        )
    world.clock.pass_(days=100)

    told = [one for one in lint(store).findings if one.rule is Rule.NEVER_RECALLED]

    assert len(told) == 3
    assert home.id not in [one.id for one in told]


def test_what_is_shown_again_and_again_and_never_used_is_told(world: World) -> None:
    store = healthy(world)
    passed, used = Facts(store).known()[:2]
    with store.write() as journal:
        for fact, outcomes in (
            (passed, [Outcome.IGNORED] * NEVER_IN),
            (used, [*[Outcome.IGNORED] * NEVER_IN, Outcome.USED]),
        ):
            turned = [
                Turned(key=fact.key, memory=fact.id, before=None, after=one) for one in outcomes
            ]
            usefulness.count_in(journal.connection, turned, user=store.user)

    told = [one for one in lint(store).findings if one.rule is Rule.NEVER_USED]

    assert [(one.id, one.severity) for one in told] == [(passed.id, Severity.INFO)]
    assert f"shown {NEVER_IN} times" in told[0].message


def test_findings_of_a_severity_are_counted_with_the_worse_ones(world: World) -> None:
    store = healthy(world)
    home = next(fact for fact in Facts(store).known() if fact.facet == "home")
    again(store, home)
    no_evidence(store, home)

    health = lint(store)

    counts = {severity: health.at_least(severity) for severity in Severity}
    assert counts[Severity.ERROR] == 1
    assert counts[Severity.WARNING] == counts[Severity.INFO] == 2


def test_bob_is_told_nothing_of_alice(world: World) -> None:
    store = healthy(world)
    home = next(fact for fact in Facts(store).known() if fact.facet == "home")
    another_home(store, home)
    bob = world.store("bob")

    said = [(one.id, one.message) for one in lint(bob).findings]

    assert "Porto" not in str(said)
    assert home.id not in str(said)
