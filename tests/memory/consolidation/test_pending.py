"""What waits to be learned is told by a preview, which learns nothing and asks nobody."""

from stratal_memory.consolidation.night import Model
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.report import Report, Step
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.gate import take_in
from stratal_memory.records import Form
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, export, say, texts


def pending(report: Report) -> Step:
    [step] = [one for one in report.steps if one.name == "pending"]
    return step


def asked(prompt: str) -> str:
    raise AssertionError("a preview asks no model")


def test_a_preview_tells_the_facts_that_rules_would_learn(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    take_in(store, session, say(store, session, "I live in Porto."))
    say(store, session, "I moved to Lisbon.", "Nice.")
    say(store, session, "I work as a baker. What a day!")
    before = export(world.database, with_runs=True)

    preview = consolidate(store, dry_run=True)

    learned = [one for one in preview.changes if one.step == "pending"]
    assert [(one.action, "Lisbon" in one.after, "baker" in one.after) for one in learned] == [
        ("replaced", True, False),
        ("added", False, True),
    ]
    assert pending(preview) == preview.steps[0]
    assert pending(preview).changed == 2
    assert pending(preview).note == "messages not taken in yet: 3"
    assert export(world.database, with_runs=True) == before
    consolidate(store)
    known = texts(Facts(store).known(forms=(Form.FACT,)))
    assert sorted(known) == sorted(one.after for one in learned)


def test_a_preview_says_how_many_messages_wait_for_a_model_and_asks_it_nothing(
    world: World,
) -> None:
    store = world.store()
    session = begin(store)
    for text in ("I live in Lisbon.", "I work as a baker."):
        take_in(store, session, say(store, session, text), waits=True)

    alone = consolidate(store, dry_run=True)
    beside = consolidate(store, dry_run=True, model=Model(complete=asked))

    assert pending(alone).note == "messages that wait for a model: 2 (none is set)"
    assert pending(beside).note == "messages that wait for a model: 2 (a run reads them)"
    assert [one for one in alone.changes if one.step == "pending"] == []


def test_a_message_that_can_not_be_read_does_not_end_a_preview(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "\ud800" * 3 + "I live in Lisbon." + "x" * 50_000)
    say(store, session, "I work as a baker.")

    preview = consolidate(store, dry_run=True)

    assert any("baker" in one.after for one in preview.changes if one.step == "pending")
