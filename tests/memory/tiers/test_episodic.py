import pytest

from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import Form, Message, Role, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.episodic import WINDOW, WINDOWS, Episodes
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import events, sessions
from tests.memory.worlds import World, begin, say, texts


def remember(store: Store, text: str) -> list[Message]:
    session = begin(store)
    messages = say(store, session, text)
    windows = Episodes(store).windows(session, messages)
    with store.write() as journal:
        Episodes(store).write(journal, messages, windows, [None] * len(windows))
    return messages


def test_a_message_is_searchable_word_for_word(world: World) -> None:
    store = world.store()

    [message] = remember(store, "We met at the station.")

    [found] = Facts(store).known(forms=(Form.MESSAGE,))
    assert (found.text, found.source) == ("We met at the station.", "said by the user")
    assert (found.evidence[0].ref, found.evidence[0].end) == (message.id, 22)
    assert found.valid_from == message.created


def test_a_huge_message_is_searchable_in_bounded_windows_and_says_so(world: World) -> None:
    store = world.store()

    [message] = remember(store, "word " * 200_000)

    windows = Facts(store).known(forms=(Form.MESSAGE,))
    with store.read() as connection:
        notes = [
            event
            for event in events.of_user(connection, "alice")
            if event.kind == "message.partly_searchable"
        ]
    assert len(windows) == WINDOWS
    assert all(len(one.text) == WINDOW for one in windows)
    assert [note.reason for note in notes] == [
        "the first 24,000 of 1,000,000 characters are searchable"
    ]
    assert notes[0].detail == (("message", message.id),)


def test_blank_stretches_make_no_window(world: World) -> None:
    store = world.store()

    remember(store, "begin" + " " * 3 * WINDOW + "end")

    assert texts(Facts(store).known(forms=(Form.MESSAGE,)))[::-1] == [
        "begin" + " " * (WINDOW - 5),
        " " * 5 + "end",
    ]


def test_tools_and_empty_messages_are_not_searchable(world: World) -> None:
    store = world.store()
    session = begin(store)
    at = world.clock()
    silent = [
        Message(role=Role.TOOL, text="output", id="m1", created=at),
        Message(role=Role.ASSISTANT, text=" \n", id="m2", created=at),
    ]

    assert Episodes(store).windows(session, silent) == []


def test_messages_belong_to_the_agent_they_were_said_to(world: World) -> None:
    remember(world.store(agent="coach"), "I ran ten kilometres.")

    assert Facts(world.store(agent="main")).known(forms=(Form.MESSAGE,)) == []
    assert len(Facts(world.store(agent="coach")).known(forms=(Form.MESSAGE,))) == 1


@pytest.mark.parametrize(
    ("read", "trust"),
    [
        (Trust.SYSTEM, Trust.ASSISTANT),
        (Trust.USER, Trust.ASSISTANT),
        (Trust.TOOL, Trust.TOOL),
        (Trust.WEB, Trust.WEB),
    ],
)
def test_what_the_assistant_says_is_trusted_no_more_than_what_it_read(
    world: World, read: Trust, trust: Trust
) -> None:
    store = world.store()
    session, at = begin(store), world.clock()
    with store.write() as journal:
        sessions.lower_trust(journal.connection, session.id, read)
    said = [
        Message(role=Role.USER, text="What does the page say?", id="m1", created=at),
        Message(role=Role.ASSISTANT, text="That you owe it money.", id="m2", created=at),
    ]

    windows = Episodes(store).windows(session, said)

    assert [(one.trust, one.confidence) for one in windows] == [
        (Trust.USER, CONFIDENCE[Trust.USER]),
        (trust, CONFIDENCE[trust]),
    ]
