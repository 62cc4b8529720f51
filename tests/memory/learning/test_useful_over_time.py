"""Fifty turns in which useful and useless memories compete for the few places in a request."""

from dataclasses import dataclass

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.observing import Answered, observe
from stratal_memory.outcomes import Outcome
from stratal_memory.recall.recall import Recollection, recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Session
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import recalls
from tests.memory.worlds import World, begin, say, turns_of

TURNS = 50
PLACES = RecallSettings(memory_items=2)
# Of one thing: what was said of it all alike, the useful one neither first nor last.
THINGS = ("boiler", "tractor", "piano", "sailboat", "greenhouse")
SAYS = (
    "The {0} was looked at by Rui once.",
    "The {0} was talked about with Ana once.",
    "The {0} is started with code {1}.",
    "The {0} was paid for by Tom once.",
    "The {0} was in the news of May once.",
)


@dataclass(frozen=True)
class Shares:
    """Of what was injected, how much was used; and in how many turns the useful one was there."""

    used: float
    served: float


def grown(world: World, user: str) -> tuple[Store, dict[str, str]]:
    """A store, and the code of each thing."""
    store = world.store(user, embedder=HashEmbedder())
    codes = {thing: f"K{number}4{number}7" for number, thing in enumerate(THINGS)}
    facts = Facts(store)
    facts.add_all([text.format(thing, code) for thing, code in codes.items() for text in SAYS])
    return store, codes


def asked(store: Store, session: Session, thing: str, code: str, *, learns: bool) -> list[Outcome]:
    """One turn: what came of each injected memory."""
    question = f"How about the {thing}?"
    found = recall(store, question, settings=PLACES, count=len, nonce="n")
    there = [item.candidate.memory for block in found.blocks for item in block.items]
    told = any(code in one.text for one in there)
    reply = f"It is started with code {code}." if told else "I do not know."
    started = store.clock()
    say(store, session, question, reply)
    turn = turns_of(store, session)[-1]
    answered = Answered(
        session=session.id,
        turn=turn,
        started=started,
        question=question,
        reply=reply,
        shown=frozenset(one.id for one in there),
    )
    with store.write() as journal:
        recalls.keep_recalls(journal.connection, turn, [(one.id, 0.5) for one in there])
        if not learns:
            return [Outcome.USED if code in one.text else Outcome.IGNORED for one in there]
        return [one.outcome for one in observe(store, journal, answered)]


def talked(world: World, user: str, *, learns: bool) -> tuple[Shares, Shares]:
    """The first and the last ten of fifty turns."""
    store, codes = grown(world, user)
    session = begin(store)
    came: list[list[Outcome]] = []
    for number in range(TURNS):
        thing = THINGS[number % len(THINGS)]
        came.append(asked(store, session, thing, codes[thing], learns=learns))
    return _shares(came[:10]), _shares(came[-10:])


def _shares(turns: list[list[Outcome]]) -> Shares:
    every = [outcome for some in turns for outcome in some]
    return Shares(
        used=every.count(Outcome.USED) / len(every),
        served=sum(Outcome.USED in some for some in turns) / len(turns),
    )


def relevant(found: Recollection) -> set[str]:
    return {
        one.memory.text
        for one in found.candidates
        if one.memory.form is Form.FACT and not one.reason.startswith(("below", "just below"))
    }


def test_the_share_of_what_is_used_rises_and_nothing_relevant_is_lost(world: World) -> None:
    first, last = talked(world, "alice", learns=True)
    before, after = talked(world, "bob", learns=False)

    assert before == after  # without a log nothing moves
    assert first.used <= last.used
    assert last.served >= first.served
    assert last.used > after.used

    alice, bob = (world.store(user, embedder=HashEmbedder()) for user in ("alice", "bob"))
    for thing in THINGS:
        question = f"How about the {thing}?"
        both = [
            relevant(recall(store, question, settings=PLACES, count=len, nonce="n"))
            for store in (alice, bob)
        ]
        assert both[0] == both[1]
        assert len(both[0]) >= len(SAYS)
