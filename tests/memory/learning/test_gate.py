"""What becomes of what is said: learned with its evidence, held, refused; never learned twice."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import InputError
from stratal_memory.learning.gate import REFUSED, Decision, Fate, catch_up, take_in
from stratal_memory.recall.recall import recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Message, Role, Session, Status, Trust, new_id
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import events, messages, recalls, turns
from tests.memory.worlds import DrawnEmbedder, World, begin, export, say
from tests.memory.worlds import texts as texts_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def tell(store: Store, session: Session, text: str, answer: str = "") -> list[Decision]:
    return take_in(store, session, say(store, session, text, answer))


def rows(store: Store) -> int:
    return len(Facts(store).known(forms=tuple(Form), statuses=tuple(Status)))


def test_a_statement_is_learned_with_the_words_it_rests_on(world: World) -> None:
    store = world.store()
    session = begin(store)

    [message] = say(store, session, "Hello there. I moved to Lisbon. How are you?")
    decisions = take_in(store, session, [message])

    [fact] = Facts(store).known()
    [seen] = fact.evidence
    assert [one.fate for one in decisions] == [Fate.LEARNED]
    assert (fact.facet, fact.value, fact.trust) == ("home", "Lisbon", Trust.USER)
    assert seen.ref == message.id
    assert message.text[seen.start : seen.end] == seen.quote
    assert "Lisbon" in seen.quote


def test_the_whole_exchange_is_searchable_at_once(world: World) -> None:
    store = world.store()

    tell(store, begin(store), "Why is the sky blue?", "Because of Rayleigh scattering.")

    found = Facts(store).known(forms=(Form.MESSAGE,))
    assert texts_of(found) == ["Because of Rayleigh scattering.", "Why is the sky blue?"]
    assert [one.trust for one in found] == [Trust.ASSISTANT, Trust.USER]


def test_what_an_assistant_says_is_not_learned(world: World) -> None:
    store = world.store()

    tell(store, begin(store), "Who are you?", "My name is Hal. I live in Urbana.")

    assert Facts(store).known() == []


def test_a_later_statement_replaces_an_earlier_one(world: World) -> None:
    store = world.store()
    session = begin(store)
    for text in ("I live in Lisbon.", "I moved to Porto."):
        tell(store, session, text)

    assert [one.value for one in Facts(store).known()] == ["Porto"]


@pytest.mark.parametrize("text", [f"Remember that my token is {TOKEN}.", f"I work at {TOKEN}."])
def test_a_secret_is_refused_and_the_refusal_does_not_hold_it(world: World, text: str) -> None:
    store = world.store()
    session = begin(store)

    decisions = tell(store, session, text)

    assert {one.fate for one in decisions} == {Fate.REFUSED}
    assert TOKEN[8:16] not in repr(decisions)
    assert Facts(store).known() == []
    with store.read() as connection:
        notes = [one for one in events.of_user(connection, "alice") if one.kind == REFUSED]
    assert notes
    assert TOKEN[8:16] not in repr(notes)


def test_a_refusal_is_an_event_with_its_reason(world: World) -> None:
    store = world.store()

    decisions = tell(store, begin(store), f"Remember that my token is {TOKEN}.")

    with store.read() as connection:
        notes = [one for one in events.of_user(connection, "alice") if one.kind == REFUSED]
    assert [one.reason for one in decisions] == [one.reason for one in notes]
    assert "secret" in notes[0].reason


def test_a_message_is_taken_in_once_however_often_it_is_tried(world: World) -> None:
    store = world.store()
    session = begin(store)
    messages = say(store, session, "I moved to Lisbon.", "Good.")
    take_in(store, session, messages)
    tell(store, session, "I moved to Porto.")
    before = export(world.database)

    again = take_in(store, session, messages)

    assert again == []
    assert export(world.database) == before
    assert [one.value for one in Facts(store).known()] == ["Porto"]


def test_after_a_crash_every_message_is_caught_up_once(world: World) -> None:
    store = world.store()
    session = begin(store)
    for city in ("Lisbon", "Porto", "Berlin"):
        say(store, session, f"I moved to {city}.", "Good.")

    first, second = catch_up(store), catch_up(store)

    assert (first, second) == (6, 0)
    assert [one.value for one in Facts(store).known()] == ["Berlin"]
    assert len(Facts(store).known(forms=(Form.MESSAGE,))) == 6


def test_a_turn_that_may_go_on_is_left_alone(world: World) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at
        )
        said = Message(role=Role.USER, text="I moved to Lisbon.")
        messages.append(journal.connection, turn, [said], at=journal.at)

    now = catch_up(store)
    world.clock.pass_(hours=1)
    later = catch_up(store)

    assert (now, later) == (0, 1)


class Failing(DrawnEmbedder):
    """Fails at the texts it is told to."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        if any("broken" in text for text in texts):
            raise RuntimeError("the model failed")
        return super().embed(texts)


def test_what_fails_is_left_whole_for_another_try(world: World) -> None:
    store = world.store(embedder=Failing({}))
    session = begin(store)
    messages = say(store, session, "I moved to Lisbon.", "broken")
    before = export(world.database)

    with pytest.raises(RuntimeError, match="the model failed"):
        take_in(store, session, messages)

    assert export(world.database) == before
    assert catch_up(world.store()) == 2
    assert [one.value for one in Facts(store).known()] == ["Lisbon"]


def test_messages_of_another_time_are_dated_by_it(world: World) -> None:
    store = world.store()
    session = begin(store)
    messages = say(store, session, "I moved to Lisbon yesterday.")
    world.clock.pass_(days=30)

    take_in(store, session, messages)

    [fact] = Facts(store).known()
    assert messages[0].created is not None
    assert fact.valid_from.date() == (messages[0].created - timedelta(days=1)).date()


def test_recalled_text_is_never_learned_again(world: World) -> None:
    """A hundred rounds in which the model, and then the user, repeat what was recalled."""
    # covers M4; promise 5
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    tell(store, session, "My sister Eva lives in Lisbon and works at the observatory there.")
    learned = Facts(store).known()
    assert learned

    for number in range(100):
        recalled = recall(
            store,
            "Where does my sister live?",
            settings=RecallSettings(minimum_similarity=0.0),
            count=len,
            nonce=f"n{number}",
        )
        block = recalled.blocks[0]
        shown = block.render(block.items)
        assert shown
        messages = say(store, session, "Thanks.", f"As I recall:\n{shown}")
        with store.write() as journal:
            turn = turns.last_turn(journal.connection, session.id)
            assert turn is not None
            used = [(one.memory.id, one.score) for one in recalled.candidates]
            recalls.keep_recalls(journal.connection, turn.id, used)
        take_in(store, session, messages)
        tell(store, session, f"You said:\n{shown}")

    after = Facts(store).known()
    assert [one.id for one in after] == [one.id for one in learned]
    assert [one.support for one in after] == [one.support for one in learned]


def test_a_message_without_a_time_was_never_stored(world: World) -> None:
    store = world.store()
    unstored = Message(role=Role.USER, text="I live in Lisbon.", id=new_id("msg"))

    with pytest.raises(InputError, match="has no time"):
        take_in(store, begin(store), [unstored])
