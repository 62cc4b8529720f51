"""What alice and bob say in the demo: three short sessions, as data."""

from dataclasses import dataclass
from datetime import UTC, datetime

# A fixed day, so that "last month" and "2 November" mean the same in every run.
STARTS = datetime(2026, 10, 20, 9, 0, tzinfo=UTC)

ALICE, BOB = "alice", "bob"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message, what it is there to show, and how one sees that it worked.

    `expects` are words that what was recalled for it holds, and `forbids` words it must not hold;
    both without regard to case. `skill` is the procedure it must match.
    """

    text: str
    shows: str
    expects: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    skill: str = ""
    recalls_nothing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSession:
    """One conversation; `day` counts from `STARTS`, `number` from 1 for each user."""

    user: str
    number: int
    day: int
    lines: tuple[Line, ...]


SESSIONS = (
    DemoSession(
        user=ALICE,
        number=1,
        day=0,
        lines=(
            Line(text="My name is Alice Moreau.", shows="a name is learned"),
            Line(
                text="I work as a shift lead at the Harbour Street shop.", shows="a job is learned"
            ),
            Line(text="I moved to Lisbon last month.", shows="a place and its date are learned"),
            Line(text="I'm allergic to kiwi.", shows="an allergy is learned"),
            Line(text="I prefer oat milk in my coffee.", shows="a preference is learned"),
            Line(
                text="How many days of annual leave do we get?",
                shows="a document answers, with its source",
                expects=("26 days",),
            ),
        ),
    ),
    DemoSession(
        user=BOB,
        number=1,
        day=1,
        lines=(
            Line(text="My name is Bob Okafor.", shows="a second user has a memory of his own"),
            Line(text="I prefer black tea in the morning.", shows="a preference is learned"),
            Line(
                text="When do orders have to be sent for delivery on Thursday?",
                shows="a document answers, with its source",
                expects=("tuesday 14:00",),
            ),
        ),
    ),
    DemoSession(
        user=ALICE,
        number=2,
        day=14,
        lines=(
            Line(
                text="Where do I live?",
                shows="a fact from another session is recalled",
                expects=("lisbon",),
            ),
            Line(
                text="Actually I moved to Porto on 2 November.",
                shows="a correction closes the older fact and keeps it as history",
            ),
            Line(
                text="Remember that my locker code is in the blue notebook.",
                shows="what is asked to be kept is kept",
            ),
            Line(
                text="I need to order flour for next week",
                shows="a procedure matches",
                skill="order-supplies",
            ),
        ),
    ),
    DemoSession(
        user=ALICE,
        number=3,
        day=30,
        lines=(
            Line(
                text="Where do I live?",
                shows="the corrected fact is recalled",
                expects=("porto",),
            ),
            Line(
                text="What am I allergic to?",
                shows="a fact from 30 days ago is recalled",
                expects=("kiwi",),
            ),
            Line(
                text="What does error code E23 of the deck oven mean?",
                shows="a table of the oven manual answers",
                expects=("turns itself off",),
            ),
            Line(
                text="What is the orbital period of the moon Zorblax?",
                shows="a nonsense question recalls nothing",
                recalls_nothing=True,
            ),
        ),
    ),
    DemoSession(
        user=BOB,
        number=2,
        day=30,
        lines=(
            Line(
                text="What is Alice allergic to?",
                shows="bob can't see what alice said",
                forbids=("kiwi",),
            ),
            Line(
                text="Where does Alice live?",
                shows="bob can't see what alice said",
                forbids=("porto", "lisbon"),
            ),
        ),
    ),
    DemoSession(
        user=BOB,
        number=3,
        day=31,
        lines=(
            Line(
                text="What do I like to drink in the morning?",
                shows="bob's own fact is recalled",
                expects=("black tea",),
                forbids=("oat milk",),
            ),
            Line(
                text="What was decided about Sunday opening at the Old Mill?",
                shows="the minutes answer, with their date",
                expects=("not adopted",),
            ),
        ),
    ),
)

# The answer whose ledger the demo shows: facts and documents compete for it.
LEDGER_FOR = "Where do I live?"
