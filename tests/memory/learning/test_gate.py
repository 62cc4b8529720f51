"""What becomes of what is said: learned with its evidence, held, refused; never learned twice."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import InputError
from stratal_memory.learning.deciding import ACCEPTED, HELD, REFUSED, RESTATED, Decision, Fate
from stratal_memory.learning.gate import EPISODE_ONLY, HIDDEN, catch_up, take_in
from stratal_memory.learning.injections import Injected
from stratal_memory.learning.privacy import Policy, Privacy
from stratal_memory.learning.settings import GateSettings
from stratal_memory.recall.recall import recall
from stratal_memory.recall.recalled import recalled_before
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Event, Form, Message, Role, Session, Status, Trust, new_id
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


def noted(store: Store, kind: str) -> list[Event]:
    with store.read() as connection:
        return [one for one in events.of_user(connection, "alice") if one.kind == kind]


def test_every_decision_is_an_event_with_its_reason(world: World) -> None:
    store = world.store()
    session = begin(store)

    tell(store, session, "I live in Lisbon.")
    tell(store, session, "I love the smell of rain.")
    tell(store, session, "hello!")

    [accepted], [held], [nothing] = (noted(store, one) for one in (ACCEPTED, HELD, EPISODE_ONLY))
    assert "said of the user's home" in accepted.reason
    assert dict(accepted.detail)["text"] == "The user lives in Lisbon."
    assert "preference" in held.reason
    assert nothing.reason == "a greeting or an acknowledgement"


def test_an_identifier_is_kept_out_of_all_that_memory_holds(world: World) -> None:
    store = world.store()
    text = "My name is Ana, write to ana@mail.example. My sister lives in Rome, call +49 30 901820."

    tell(store, begin(store), text)

    kept = export(world.database)
    assert b"ana@mail" not in kept
    assert b"901820" not in kept
    [said] = Facts(store).known(forms=(Form.MESSAGE,))
    assert "write to [e-mail]. My sister lives in Rome, call [phone number]." in said.text
    assert sorted(one.value for one in Facts(store).known()) == ["Ana", "Rome"]
    [note] = noted(store, HIDDEN)
    assert note.reason == "kept out of memory: e-mail, phone number"


def test_the_policy_may_keep_an_identifier_and_may_block_its_sentence(world: World) -> None:
    store = world.store()
    session = begin(store)
    keep = GateSettings(privacy=Privacy(email=Policy.KEEP))
    block = GateSettings(privacy=Privacy(email=Policy.BLOCK))

    kept = say(store, session, "Remember that my mail is ana@mail.example.")
    blocked = say(store, session, "Remember that my other mail is bob@mail.example.")
    take_in(replace(store, gate=keep), session, kept)
    decisions = take_in(replace(store, gate=block), session, blocked)

    assert [one.value for one in Facts(store).known()] == ["my mail is ana@mail.example"]
    assert [one.fate for one in decisions] == [Fate.REFUSED]
    assert b"bob@mail" not in export(world.database)


def test_tomorrow_is_a_day_of_the_users_zone(world: World) -> None:
    store = world.store()
    session = begin(store)
    messages = say(store, session, "I have a job interview tomorrow.")
    assert messages[0].created is not None
    day = (messages[0].created.astimezone(ZoneInfo("Pacific/Kiritimati")) + timedelta(days=1)).day

    take_in(replace(store, gate=GateSettings(zone="Pacific/Kiritimati")), session, messages)

    [plan] = Facts(store).known()
    assert f"on {day} " in plan.text


def test_what_repeats_a_memory_is_noted_with_its_id(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    added = Facts(store).add("I work at Globex as an engineer").memory
    tell(store, session, "hello")
    with store.write() as journal:
        turn = turns.last_turn(journal.connection, session.id)
        assert turn is not None
        recalls.keep_recalls(journal.connection, turn.id, [(added.id, 0.9)])

    decisions = tell(store, session, "I work at Globex as an engineer.")

    [note, *_] = noted(store, RESTATED)
    assert {one.fate for one in decisions} == {Fate.KNOWN}
    assert {one.memory for one in decisions} == {added.id}
    assert dict(note.detail)["memory"] == added.id
    assert texts_of(Facts(store).known()) == [added.text]


def test_our_own_prompt_said_back_to_us_teaches_nothing(world: World) -> None:
    store = world.store()
    session = begin(store)
    prompt = "I live in Berlin and my name is Stratal"

    messages = say(store, session, prompt)
    ours = GateSettings(system_text=(prompt + " for ever.",))
    decisions = take_in(replace(store, gate=ours), session, messages)

    assert {one.fate for one in decisions} == {Fate.KNOWN}
    assert Facts(store).known() == []


def test_a_short_answer_is_read_with_its_question(world: World) -> None:
    store = world.store()
    session = begin(store)

    tell(store, session, "hi", "Hello. Where do you live?")
    tell(store, session, "in Porto Alegre")

    [fact] = Facts(store).known()
    assert (fact.facet, fact.value, fact.evidence[0].quote) == (
        "home",
        "Porto Alegre",
        "in Porto Alegre",
    )


def test_a_message_without_a_time_was_never_stored(world: World) -> None:
    store = world.store()
    unstored = Message(role=Role.USER, text="I live in Lisbon.", id=new_id("msg"))

    with pytest.raises(InputError, match="has no time"):
        take_in(store, begin(store), [unstored])


def test_every_event_of_a_candidate_names_its_message(world: World) -> None:
    store = world.store()
    session = begin(store)
    said = say(store, session, "My name is Ana. Remember that my key is ghp_" + "a1B2" * 9 + ".")

    take_in(store, session, said)

    for kind in (ACCEPTED, REFUSED):
        [note] = noted(store, kind)
        assert dict(note.detail)["message"] == said[0].id


def test_what_was_recalled_is_read_once_however_long_the_conversation(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    added = Facts(store).add("I work at Globex as an engineer").memory
    tell(store, session, "hello")
    with store.write() as journal:
        turn = turns.last_turn(journal.connection, session.id)
        assert turn is not None
        recalls.keep_recalls(journal.connection, turn.id, [(added.id, 0.9)])

    def nothing_new(ids: frozenset[str]) -> list[Injected]:
        raise AssertionError(ids)

    tell(store, session, "I work at Globex as an engineer.")
    ids = recalled_before(store, session.id)
    kept = store.recollected.of(session.id, ids, ours=(), load=nothing_new)

    assert ids == {added.id}
    assert kept.restated("I work at Globex as an engineer") is not None


def test_of_a_huge_message_both_ends_are_searched_for_identifiers(world: World) -> None:
    store = world.store()
    filler = "blah " * 40_000
    text = f"mail ana@mail.example {filler}. I live in Rome, mail bob@mail.example."

    tell(store, begin(store), text)

    [note] = noted(store, HIDDEN)
    assert note.reason == "kept out of memory: e-mail"
    assert b"@mail" not in export(world.database)
    assert [one.value for one in Facts(store).known()] == ["Rome"]
