"""Facts that say the same become one; those that only sound alike stay two."""

from datetime import UTC, datetime

import pytest

from stratal_memory.consolidation import holding, reconcile
from stratal_memory.consolidation.pipeline import Limits, Moment, consolidate
from stratal_memory.consolidation.reconcile import compare
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.learning.resolution import Statement, resolve
from stratal_memory.records import Memory, Status, Trust, new_id
from stratal_memory.store import Store
from stratal_memory.text import text_hash
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import DrawnEmbedder, World, export, statement, texts


def alike(*bodies: str) -> DrawnEmbedder:
    """An embedder to which all of `bodies` mean the same."""
    return DrawnEmbedder(dict.fromkeys(bodies, (1.0, 0.0)), dimension=4)


def learn(store: Store, said: Statement) -> None:
    with store.write() as journal:
        resolve(journal, said, vector=store.embed([said.text])[0])


def plain(store: Store, text: str, *, trust: Trust = Trust.USER) -> Memory:
    """A fact that no rule has read."""
    said = statement(text, at=store.clock(), trust=trust, ref=new_id("note"))
    with store.write() as journal:
        return resolve(journal, said, vector=store.embed([text])[0]).memory


def test_repeated_facts_merge_with_the_evidence_of_both(world: World) -> None:
    one, other = "The user likes green tea very much.", "The user very much likes green tea!"
    store = world.store(embedder=alike(one, other))
    first, second = plain(store, one), plain(store, other)

    report = consolidate(store)

    [kept] = Facts(store).known()
    assert kept.id == first.id
    assert {seen.ref for seen in kept.evidence} == {
        seen.ref for fact in (first, second) for seen in fact.evidence
    }
    assert (kept.support, kept.confidence > first.confidence) == (2, True)
    assert texts(Facts(store).known(statuses=(Status.SUPERSEDED,))) == [other]
    assert [(one_.action, one_.before) for one_ in report.changes] == [("merged", other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user has 2 cats at home.", "The user has 3 cats at home."),
        ("The user has two cats at home.", "The user has three cats at home."),
        ("The user likes tea a lot.", "The user does not like tea a lot."),
        ("The user never drinks strong tea.", "The user drinks strong tea."),
        ("The user works with Eva daily.", "The user works with Ivo daily."),
        ("Anna likes the strong tea here.", "Maria likes the strong tea here."),
        ("The user pays 3.50 for tea.", "The user pays 3.60 for tea."),
        ("Пользователь работает с Евой.", "Пользователь работает с Иваном."),
        ("The user likes tea.", "The user owns a boat in the harbour."),
    ],
)
def test_numbers_negation_names_and_words_keep_facts_apart(
    world: World, one: str, other: str
) -> None:
    store = world.store(embedder=alike(one, other))
    plain(store, one)
    plain(store, other)

    consolidate(store)

    assert sorted(texts(Facts(store).known())) == sorted([one, other])


def test_without_vectors_only_equal_words_merge(world: World) -> None:
    store = world.store()
    for text in ("The user likes green tea.", "The user likes green teas."):
        Facts(store).add(text)

    consolidate(store)

    assert len(Facts(store).known()) == 2


def test_two_facets_are_two_statements_and_equal_values_of_one_are_one(world: World) -> None:
    bodies = ("The user has a cat.", "The user's cat.", "The user likes a cat.")
    store = world.store(embedder=alike(*bodies))
    for text, facet in zip(bodies, ("pet.cat", "pet.cat", "preference"), strict=True):
        said = statement(text, at=world.clock(), facet=facet, value=text[-4:])
        if facet == "preference":
            learn(store, said)
        else:
            with store.write() as journal:
                made = statement(text, at=world.clock(), facet="", value="")
                added = resolve(journal, made, vector=None).memory
                journal.connection.exec_driver_sql(
                    "UPDATE memories SET facet = 'pet.cat', value = 'Cat' WHERE id = ?", (added.id,)
                )

    consolidate(store)

    assert sorted(texts(Facts(store).known())) == ["The user has a cat.", "The user likes a cat."]


def test_the_more_trusted_wording_is_kept(world: World) -> None:
    one, other = "The user likes green tea lots.", "The user likes lots green tea."
    store = world.store(embedder=alike(one, other))
    plain(store, one, trust=Trust.TOOL)
    plain(store, other)

    consolidate(store)

    [kept] = Facts(store).known()
    assert (kept.text, kept.trust) == (other, Trust.USER)


def test_what_a_page_says_joins_without_the_trust_of_the_user(world: World) -> None:
    """A merge is no way to be believed: each piece of evidence keeps its own trust."""
    one, other = "The user likes green tea very much.", "The user very much likes green tea!"
    store = world.store(embedder=alike(one, other))
    for day in range(1, 10):
        learn(store, statement(one, at=datetime(2026, 1, day, tzinfo=UTC), trust=Trust.WEB))
    learn(store, statement(other, at=datetime(2026, 2, 1, tzinfo=UTC)))

    consolidate(store)

    [kept] = Facts(store).known()
    assert (kept.text, kept.trust, kept.support) == (other, Trust.USER, 2)
    assert kept.confidence == pytest.approx((3.6 + 0.4) / 4.4)  # nine times one page is one page
    assert [seen.trust for seen in kept.evidence].count(Trust.WEB) == 9


def test_a_pin_survives_a_merge(world: World) -> None:
    one, other = "The user likes green tea very much.", "The user very much likes green tea!"
    store = world.store(embedder=alike(one, other))
    plain(store, one)
    Editing(store).pin(plain(store, other).id)

    report = consolidate(store)
    pinned = [fact.pinned for fact in Facts(store).known()]
    undo_run(store, report.run)

    assert pinned == [True]
    assert sorted(fact.pinned for fact in Facts(store).known()) == [False, True]


def test_three_of_a_kind_become_one_and_come_back_on_undo(world: World) -> None:
    bodies = [f"The user likes green tea{mark}" for mark in (" now", ", now!", ": now")]
    bodies[1] = "Now the user likes green tea"
    store = world.store(embedder=alike(*bodies))
    for body in bodies:
        plain(store, body)
    before = export(world.database)

    report = consolidate(store)
    merged = texts(Facts(store).known())
    undo_run(store, report.run)

    assert merged == [bodies[0]]
    assert Facts(store).known(statuses=(Status.SUPERSEDED,)) == []
    assert export(world.database) == before


def test_a_thousand_facts_are_compared_without_delay(world: World) -> None:
    store = world.store(embedder=DrawnEmbedder({}))
    with store.write() as journal:
        rows = DrawnEmbedder({}).embed([f"word{i}" for i in range(1_000)])
        for i, row in enumerate(rows):
            said = statement(f"word{i}", at=journal.at)
            resolve(journal, said, vector=row)

    report = consolidate(store)

    assert [step.looked_at for step in report.steps if step.name == "reconcile"] == [1_000]


def test_facts_are_compared_while_somebody_else_writes(world: World) -> None:
    one, other = "The old boat lies by the green shed.", "By the green shed lies the old boat!"
    store = world.store(embedder=alike(one, other))
    Facts(store).add_all([one, other])

    with store.read() as connection, world.store("bob").write():
        compared = compare(store, connection, Facts(store).known())

    assert compared.pairs == ((0, 1),)


def test_a_fact_that_changed_since_it_was_compared_waits_for_the_next_run(world: World) -> None:
    one, other = "The old boat lies by the green shed.", "By the green shed lies the old boat!"
    store = world.store(embedder=alike(one, other))
    Facts(store).add_all([one, other])

    def change(moment: Moment) -> None:
        if (moment.step, moment.moment) == ("reconcile", "item"):
            Facts(store).add(other)

    report = consolidate(store, on_moment=change)

    assert report.changes == ()
    assert [change.action for change in consolidate(store).changes] == ["merged"]


def test_a_chain_of_facts_merges_whole(world: World) -> None:
    """The third says the second word for word, the second sounds like the first."""
    bodies = ("The old boat lies by the shed.", "By the shed lies the old boat.")
    store = world.store(embedder=alike(*bodies))
    kept, _, again = (Facts(store).add(body).memory for body in (*bodies, "The lamp is on."))
    with store.write() as journal:
        values = (bodies[1], text_hash(bodies[1]), again.id)
        journal.connection.exec_driver_sql(
            "UPDATE memories SET text = ?, text_hash = ? WHERE id = ?", values
        )

    consolidate(store)

    [left] = Facts(store).known()
    assert (left.id, left.support, len(left.evidence)) == (kept.id, 3, 3)


def test_more_merges_than_one_night_explains_wait_for_a_person(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "MERGES", 1)  # patched: a run does hundreds
    bodies = (
        "The boat lies by the shed.",
        "By the shed, the boat lies.",
        "The boat by the shed lies.",
    )
    store = world.store(embedder=alike(*bodies))
    Facts(store).add_all(bodies)

    first, second = consolidate(store), consolidate(store)

    assert (len(first.changes), len(first.held), first.held[0].change.action) == (1, 1, "merged")
    assert (second.changes, second.held, len(holding.waiting(store))) == ((), (), 1)
    [change] = holding.accept(store, first.held[0].id)
    assert (change.action, len(Facts(store).known())) == ("merged", 1)
    assert holding.waiting(store) == []


SAME = (
    "The boat lies by the shed.",
    "By the shed, the boat lies.",
    "The boat by the shed lies.",
)


def test_what_a_person_said_no_to_is_not_done_by_a_later_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "MERGES", 1)  # patched: a run does hundreds
    store = world.store(embedder=alike(*SAME))
    Facts(store).add_all(SAME)
    [held] = consolidate(store).held
    holding.reject(store, held.id)
    monkeypatch.undo()  # now it would be one of the few that a run does by itself
    Facts(store).add("I live in Lisbon.")

    later = consolidate(store)

    assert [change for change in later.changes if change.step == "reconcile"] == []
    assert len(Facts(store).known()) == 3
    assert holding.waiting(store) == []


def test_a_run_in_slices_merges_no_more_by_itself_than_one_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "MERGES", 1)  # patched: a run does hundreds
    store = world.store(embedder=alike(*SAME))
    Facts(store).add_all(SAME)

    first = consolidate(store, limits=Limits(items=1))
    second = consolidate(store)

    assert [change.action for change in first.changes] == ["merged"]
    assert second.changes == first.changes
    assert len(second.held) == 1
