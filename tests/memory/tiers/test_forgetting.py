"""What is forgotten is recalled by nothing, neither a line nor an episode; undo brings it back."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from stratal_memory.consolidation.pipeline import Moment, consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target, What
from stratal_memory.learning.gate import take_in
from stratal_memory.leaving_out import without_words
from stratal_memory.recall.recall import SEARCHABLE, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Session, Status
from stratal_memory.store import Store
from stratal_memory.text import sentences_of
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth.forgotten import left_out
from stratal_memory.truth.schema import events
from stratal_memory.truth.waiting import waiting
from tests.memory.worlds import World, begin, export, say, texts

HERON = "I saw a heron at the lake today."


def tell(
    store: Store, session: Session, text: str, answer: str = "", *, waits: bool = False
) -> None:
    take_in(store, session, say(store, session, text, answer), waits=waits)


def standing(store: Store, *forms: Form) -> list[str]:
    return texts(Facts(store).known(forms=forms or (Form.MESSAGE, Form.EPISODE)))


def fact(store: Store, word: str) -> Memory:
    [found] = [one for one in Facts(store).known(forms=(Form.FACT,)) if word in one.text]
    return found


def recalled(store: Store, question: str) -> str:
    """All that any recall shows of now and of the past, whatever its score."""
    settings = RecallSettings(minimum_similarity=0.0)
    found = [
        one.memory.text
        for asked, as_of in ((question, None), (f"{question[:-1]} in the past?", None))
        for one in search(
            store, asked, settings=settings, forms=SEARCHABLE, limit=50, gate=False, as_of=as_of
        )
    ]
    then = store.clock() - timedelta(minutes=1)
    found += [
        one.memory.text
        for one in search(
            store,
            question,
            settings=settings,
            forms=SEARCHABLE,
            limit=50,
            gate=False,
            as_of=then,
        )
    ]
    return " | ".join(found)


def lisbon(world: World) -> tuple[Store, Session]:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    tell(store, session, f"I live in Lisbon. {HERON}", "Lisbon is lovely! Herons are grey.")
    tell(store, session, "I work as a baker.")
    return store, session


def test_the_sentence_a_fact_was_learned_from_is_recalled_no_more(world: World) -> None:
    store, _ = lisbon(world)
    consolidate(store)
    assert "Lisbon" in recalled(store, "Where do I live?")
    world.clock.pass_(hours=1)

    Editing(store).forget(fact(store, "Lisbon").id)

    assert "Lisbon" not in recalled(store, "Where do I live?")  # at once
    left = ["Herons are grey.", "I work as a baker.", HERON]
    assert sorted(standing(store, Form.MESSAGE)) == sorted(left)
    assert standing(store, Form.EPISODE) == []

    consolidate(store)

    [told] = standing(store, Form.EPISODE)
    assert "heron" in told
    assert "baker" in told
    assert "Lisbon" not in told
    assert "Lisbon" not in recalled(store, "Where do I live?")


def test_what_is_forgotten_before_it_was_told_is_not_told(world: World) -> None:
    store, _ = lisbon(world)

    Editing(store).forget(fact(store, "Lisbon").id)
    consolidate(store)

    [told] = standing(store, Form.EPISODE)
    assert "heron" in told
    assert "Lisbon" not in told
    assert not [one for one in standing(store, Form.FACT) if "Lisbon" in one]


def test_days_and_weeks_are_told_without_it(world: World) -> None:
    store, _ = lisbon(world)
    world.clock.pass_(hours=4)
    tell(store, begin(store), "We bought a red canoe.")
    world.clock.pass_(days=15)
    consolidate(store)
    assert len(standing(store, Form.EPISODE)) == 4  # two, their day and their week

    Editing(store).forget(fact(store, "Lisbon").id)
    consolidate(store)

    told = standing(store, Form.EPISODE)
    assert len(told) == 4
    assert not [one for one in told if "Lisbon" in one]


def test_undo_at_once_brings_back_the_same_bytes(world: World) -> None:
    store, _ = lisbon(world)
    consolidate(store)
    before = export(world.database)

    [done] = Editing(store).forget(fact(store, "Lisbon").id)
    assert export(world.database) != before
    Versions(store).undo(done.event)

    assert export(world.database) == before
    assert "Lisbon" in recalled(store, "Where do I live?")


def test_undo_after_a_night_lets_the_next_one_tell_it_again(world: World) -> None:
    store, _ = lisbon(world)
    world.clock.pass_(hours=4)
    tell(store, begin(store), "We bought a red canoe.")
    world.clock.pass_(days=15)
    consolidate(store)
    before = sorted(standing(store))
    [done] = Editing(store).forget(fact(store, "Lisbon").id)
    consolidate(store)

    Versions(store).undo(done.event)

    assert fact(store, "Lisbon").status is Status.ACTIVE
    assert any("Lisbon" in one for one in standing(store, Form.MESSAGE))
    consolidate(store)
    assert sorted(standing(store)) == before


def test_a_line_forgotten_by_hand_is_not_told_and_its_episode_falls(world: World) -> None:
    store, _ = lisbon(world)
    consolidate(store)
    [line] = [one for one in Facts(store).known(forms=(Form.MESSAGE,)) if "baker" in one.text]

    Editing(store).forget(line.id)
    assert standing(store, Form.EPISODE) == []
    consolidate(store)

    [told] = standing(store, Form.EPISODE)
    assert "baker" not in told
    assert "Lisbon" in told


def test_an_episode_forgotten_by_hand_is_not_told_again_with_its_conversation(
    world: World,
) -> None:
    store, session = lisbon(world)
    world.clock.pass_(hours=4)
    tell(store, session, "We bought a red canoe.")
    consolidate(store)
    [old] = [one for one in Facts(store).known(forms=(Form.EPISODE,)) if "heron" in one.text]

    Editing(store).forget(old.id)
    world.clock.pass_(hours=4)
    tell(store, session, "The canoe leaks.")
    consolidate(store)

    assert not [one for one in standing(store, Form.EPISODE) if "heron" in one]


def test_no_model_reads_it_any_more(world: World) -> None:
    store = world.store()
    session = begin(store)
    tell(store, session, "I live in Lisbon.", waits=True)
    tell(store, session, "I work as a baker.", waits=True)

    Editing(store).forget(fact(store, "Lisbon").id)

    with store.read() as connection:
        assert len(waiting(connection, user="alice")) == 1


def test_forgetting_during_a_night_is_not_lost(world: World) -> None:
    store, _ = lisbon(world)

    def forget(at: Moment) -> None:
        if (at.step, at.moment) == ("episodes", "item"):
            Editing(store).forget(fact(store, "Lisbon").id)

    consolidate(store, on_moment=forget)
    assert not [one for one in standing(store, Form.EPISODE) if "Lisbon" in one]

    consolidate(store)
    [told] = standing(store, Form.EPISODE)
    assert "Lisbon" not in told


def test_what_others_said_stays(world: World) -> None:
    store, _ = lisbon(world)
    bob = world.store("bob")
    tell(bob, begin(bob), "I live in Lisbon.")

    Editing(store).forget(fact(store, "Lisbon").id)

    assert standing(bob, Form.MESSAGE) == ["I live in Lisbon."]


def test_two_facts_of_one_message_go_one_by_one_and_come_back_in_turn(world: World) -> None:
    store = world.store()
    tell(store, begin(store), f"I live in Lisbon. {HERON} I work as a baker.")
    consolidate(store)
    before = export(world.database)

    [first] = Editing(store).forget(fact(store, "Lisbon").id)
    [second] = Editing(store).forget(fact(store, "baker").id)

    assert standing(store, Form.MESSAGE) == [HERON]
    Versions(store).undo(second.event)
    Versions(store).undo(first.event)
    assert export(world.database) == before


@given(st.lists(st.sampled_from(["Tea.", "I live in Lisbon.", "Why?", "Ünï 3.5.", "里斯本。"])))
def test_only_whole_sentences_that_hold_the_words_go(said: list[str]) -> None:
    text = " ".join(said)

    left = sentences_of(without_words(text, ["in Lisbon"]))

    assert left == [one for one in sentences_of(text) if "Lisbon" not in one]


def test_a_word_within_another_is_not_meant() -> None:
    assert without_words("The teacher came. I like tea.", ["tea"]) == "The teacher came."
    assert without_words("我住在里斯本。天气好。", ["里斯本"]) == "天气好。"


def test_no_fact_is_told_in_two_lines_when_undo_comes_after_a_night(world: World) -> None:
    store = world.store()
    session = begin(store)
    for what in ("jazz", "green tea", "hiking", "chess"):
        tell(store, session, f"I like {what}.")
    consolidate(store)
    [line] = standing(store, Form.OBSERVATION)
    assert "jazz" in line
    [done] = Editing(store).forget(fact(store, "jazz").id)
    consolidate(store)

    Versions(store).undo(done.event)
    consolidate(store)

    [line] = standing(store, Form.OBSERVATION)
    assert all(what in line for what in ("jazz", "green tea", "hiking", "chess"))


def test_erasing_another_fact_of_the_message_does_not_bring_it_back(world: World) -> None:
    store = world.store()
    tell(store, begin(store), f"I live in Lisbon. {HERON} I work as a baker.")
    Editing(store).forget(fact(store, "Lisbon").id)

    baker = fact(store, "baker").key
    erase(world.database, Target(what=What.KEY, name=baker, principal=store.reach.principal))

    [line] = standing(store, Form.MESSAGE)
    assert "heron" in line
    assert "Lisbon" not in line
    assert "baker" not in line


def test_erasing_the_conversation_takes_what_was_forgotten_of_it(world: World) -> None:
    store, session = lisbon(world)
    consolidate(store)
    Editing(store).forget(fact(store, "Lisbon").id)
    principal = store.reach.principal

    erase(world.database, Target(what=What.SOURCE, name=session.id, principal=principal))

    with store.read() as connection:
        noted = connection.execute(select(events.c.detail)).scalars().all()
    assert not [one for one in noted if "Lisbon" in one]
    with store.read() as connection:
        left = left_out(connection, user="alice").words.values()
    assert "Lisbon" not in repr(list(left))
