"""Conversations of many turns, written straight into the truth."""

from itertools import count

from sqlalchemy import insert

from stratal.agent import Agent
from stratal.conversation import Conversation
from stratal_memory.records import TurnState
from stratal_memory.text import content_hash
from stratal_memory.truth.schema import messages as message_table
from stratal_memory.truth.schema import turns as turn_table

PAGE = 2_000  # turns written at once
CALL = '[{{"id": "c{0}", "name": "look_up", "arguments": "{{}}"}}]'
NUMBERS = count()  # no two conversations share an id


def long_talk(agent: Agent, *, turns: int) -> Conversation:
    """A new conversation of so many turns, each with one tool call, as a turn would work with it.

    The text is as in a real one: about 110 tokens a turn.
    """
    agent.start_session()
    session = agent.session()
    name = f"talk{next(NUMBERS)}"
    for first in range(0, turns, PAGE):
        numbers = range(first, min(turns, first + PAGE))
        with agent.store.write() as journal:
            last = journal.connection.exec_driver_sql("SELECT max(seq) FROM messages").scalar() or 0
            begun = [
                {
                    "id": f"{name}-{number:05}",
                    "session": session.id,
                    "user": session.user,
                    "agent": session.agent,
                    "request_id": f"{name}-{number:05}",
                    "state": TurnState.DONE,
                    "model": "offline:",
                    "owner": "",
                    "started": journal.at,
                    "first_seq": last + 1 + place * 4,
                }
                for place, number in enumerate(numbers)
            ]
            said = [
                _row(f"{name}-{number:05}", place, words) | {"session": session.id}
                for number in numbers
                for place, words in enumerate(_words(number))
            ]
            journal.connection.execute(insert(turn_table), begun)
            journal.connection.execute(
                insert(message_table), [{**row, "created": journal.at} for row in said]
            )
    return agent.conversation(session)


def _words(number: int) -> tuple[str, str, str, str]:
    number %= 100  # every turn takes the same tokens, or nearly
    return (
        f"How many loaves were in order {number:02}, and where did they go?",
        "",
        f"order {number:02}: {number % 90:02} loaves of rye, to Ghent by van. " * 4,
        f"It was {number % 90:02} loaves of rye, and they went to Ghent.",
    )


def _row(turn: str, place: int, text: str) -> dict[str, object]:
    role = ("user", "assistant", "tool", "assistant")[place]
    return {
        "id": f"{turn}-{place}",
        "turn": turn,
        "role": role,
        "text": text,
        "content_hash": content_hash(text),
        "tool_calls": CALL.format(turn) if place == 1 else "[]",
        "tool_call_id": f"c{turn}" if role == "tool" else "",
        "remembered": True,
    }
