"""An observation cites its facts, stands in their place, and falls with the first of them."""

import json

import pytest

from stratal_memory.consolidation.night import Model
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.resolution import resolve
from stratal_memory.recall.recall import recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from tests.memory.worlds import World, export, statement, texts

LIKED = ("jazz", "green tea", "hiking")


def like(world: World, store: Store, *, trust: Trust = Trust.USER) -> list[Memory]:
    for what in LIKED:
        with store.write() as journal:
            said = statement(f"The user likes {what}.", at=world.clock(), trust=trust)
            [row] = store.embed([said.text])
            resolve(journal, said, vector=row)
    return Facts(store).known()


def observed(store: Store, *statuses: Status) -> list[Memory]:
    wanted = statuses or (Status.ACTIVE,)
    return Facts(store).known(forms=(Form.OBSERVATION,), statuses=wanted)


def test_an_observation_cites_its_facts_and_has_their_lowest_trust(world: World) -> None:
    store = world.store()
    liked = like(world, store, trust=Trust.TOOL)

    consolidate(store)

    [one] = observed(store)
    assert one.text == "The user likes jazz, green tea and hiking."
    assert {seen.ref for seen in one.evidence} == {fact.id for fact in liked}
    assert one.trust is Trust.TOOL
    assert one.valid_from == max(fact.valid_from for fact in liked)  # never "now"


def test_it_falls_at_once_with_a_fact_it_cites_and_is_made_anew(world: World) -> None:
    store = world.store()
    liked = like(world, store)
    consolidate(store)

    Editing(store).forget(liked[0].id)

    assert observed(store) == []
    with store.write() as journal:
        resolve(journal, statement("The user likes figs.", at=world.clock()), vector=None)
    consolidate(store)
    [anew] = observed(store)
    assert "figs" in anew.text
    assert liked[0].text.split()[-1] not in anew.text


def test_recall_tells_several_facts_by_their_observation(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    like(world, store)
    settings = RecallSettings(minimum_similarity=0.0)

    def memories() -> str:
        found = recall(store, "what does the user like", settings=settings, count=len, nonce="n")
        return next(block.render(block.items) for block in found.blocks if block.name == "memories")

    before = memories()
    consolidate(store)
    after = memories()

    assert all(what in before for what in LIKED)
    assert all(what in after for what in LIKED)
    assert (before.count("The user likes"), after.count("The user likes")) == (3, 1)


def test_undoing_the_run_takes_it_back(world: World) -> None:
    store = world.store()
    like(world, store)
    before = export(world.database)

    undo_run(store, consolidate(store).run)

    assert export(world.database) == before


def test_a_model_tells_it_in_its_own_words_when_it_loses_nothing(world: World) -> None:
    store = world.store()
    like(world, store)
    told = "The user likes jazz and green tea, and likes hiking."
    answer = json.dumps({"sentence": told, "cites": ["f1", "f2", "f3"]})

    report = consolidate(store, model=Model(complete=lambda prompt: answer))

    assert texts(observed(store)) == [told]
    assert [step.how for step in report.steps if step.name == "observations"] == ["model"]


@pytest.mark.parametrize(
    "answer",
    [
        "no idea",
        json.dumps({"sentence": "The user likes jazz.", "cites": ["f1", "f2", "f3"]}),
        json.dumps({"sentence": "The user likes jazz, green tea, hiking.", "cites": ["f1"]}),
        json.dumps(
            {
                "sentence": "The user likes jazz, green tea and hiking, 7 days a week.",
                "cites": ["f1", "f2", "f3"],
            }
        ),
    ],
)
def test_a_model_that_loses_or_invents_is_not_believed(world: World, answer: str) -> None:
    store = world.store()
    like(world, store)
    asked: list[str] = []

    def complete(prompt: str) -> str:
        asked.append(prompt)
        return answer

    consolidate(store, model=Model(complete=complete))

    assert texts(observed(store)) == ["The user likes jazz, green tea and hiking."]
    assert len(asked) == 2  # once more, with what was wrong
    assert "could not be used" in asked[1]


def test_undoing_an_edit_ends_what_was_told_of_it(world: World) -> None:
    store = world.store()
    liked = like(world, store)
    consolidate(store)
    done = Editing(store).edit(liked[0].id, "The user likes ballet.")
    consolidate(store)
    assert "ballet" in observed(store)[0].text

    Versions(store).undo(done.event)
    consolidate(store)

    assert "ballet" not in " ".join(texts(observed(store)))
    assert len(observed(store)) == 1


def test_undoing_the_learning_of_a_fact_ends_what_was_told_of_it(world: World) -> None:
    store = world.store()
    like(world, store)
    consolidate(store)
    [told] = observed(store)
    [added, *_] = Versions(store).history(told.evidence[0].ref).events

    Versions(store).undo(added.id)

    assert observed(store) == []


def test_a_run_is_undone_though_its_observation_fell_since(world: World) -> None:
    store = world.store()
    liked = like(world, store)
    run = consolidate(store).run
    Editing(store).forget(liked[0].id)

    undo_run(store, run)

    assert observed(store) == []
    assert len(Facts(store).known()) == 2
