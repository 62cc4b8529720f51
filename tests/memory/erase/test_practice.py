"""Stored procedures and what they were drawn from go with the turns, the words and the user."""

from sqlalchemy import func, select

from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target, What
from stratal_memory.records import Form, Message, Scope, ScopeKind
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import practised, procedures
from stratal_memory.truth.practised import Outcome, PractisedTurn, Used
from stratal_memory.truth.procedures import Origin, State, StoredProcedure, digest_of
from stratal_memory.truth.schema import memories, messages
from stratal_memory.truth.schema_procedures import (
    procedure_episodes,
    procedure_outcomes,
)
from stratal_memory.truth.schema_procedures import procedures as table
from tests.memory.worlds import World, begin, say

QUOTE = "quixhaven harbour ledger"


def turn_of(store: Store, said: Message) -> str:
    with store.read() as connection:
        query = select(messages.c.turn).where(messages.c.id == said.id)
        return str(connection.execute(query).scalar_one())


def procedure(store: Store, key: str, *, text: str, evidence: tuple[str, ...]) -> StoredProcedure:
    with store.write() as journal:
        made = StoredProcedure(
            key=key,
            version=1,
            scope=Scope(ScopeKind.USER, store.user),
            agent="main",
            name=f"name-{key}",
            text=text,
            digest=digest_of(text),
            origin=Origin.LEARNED,
            author=store.user,
            recorded_at=journal.at,
            state=State.ACTIVE,
            evidence=evidence,
        )
        procedures.add(journal.connection, made)
    Procedures(store).sync([Described(made.name, f"about {text}")])
    return made


def practise(store: Store, turn: str, key: str) -> None:
    with store.write() as journal:
        practised.note_episode(
            journal.connection,
            PractisedTurn(
                turn=turn, tools="a b", signature="sig", steps="[]", ok=True, why="", at=journal.at
            ),
        )
        practised.note_outcome(
            journal.connection,
            Used(
                turn=turn, procedure=key, version=1, outcome=Outcome.SUCCESS, why="", at=journal.at
            ),
        )


def left(store: Store) -> tuple[set[str], int, int, set[str]]:
    """The keys of procedures, the numbers of outcomes and episodes, and the names of skills."""
    with store.read() as connection:
        keys = set(connection.execute(select(table.c.key)).scalars())
        outcomes = connection.execute(select(func.count()).select_from(procedure_outcomes))
        episodes = connection.execute(select(func.count()).select_from(procedure_episodes))
        skills = select(memories.c.facet).where(memories.c.form == Form.SKILL)
        return (
            keys,
            outcomes.scalar_one(),
            episodes.scalar_one(),
            set(connection.execute(skills).scalars()),
        )


def target(what: What, name: str) -> Target:
    return Target(what=what, name=name, principal=Principal(user="alice"))


def test_an_erased_turn_takes_along_what_was_drawn_from_it(world: World) -> None:
    store = world.store()
    session = begin(store)
    first, second = say(store, session, "Order flour")[0], say(store, session, "Order milk")[0]
    procedure(store, "prc_1", text="one", evidence=(turn_of(store, first),))
    procedure(store, "prc_2", text="two", evidence=(turn_of(store, second),))
    practise(store, turn_of(store, first), "prc_2")
    practise(store, turn_of(store, second), "prc_1")

    erase(world.database, target(What.SOURCE, turn_of(store, first)), clock=world.clock)

    assert left(store) == ({"prc_2"}, 0, 1, {"name-prc_2"})


def test_an_erased_fact_takes_along_a_procedure_that_quotes_it(world: World) -> None:
    store = world.store()
    fact = Facts(store).add(f"The {QUOTE}").memory
    procedure(store, "prc_1", text=f"write into The {QUOTE} every day", evidence=())
    procedure(store, "prc_2", text="nothing of the kind", evidence=())

    erase(world.database, target(What.KEY, fact.key), clock=world.clock)

    assert left(store) == ({"prc_2"}, 0, 0, {"name-prc_2"})


def test_an_erased_user_leaves_no_procedure_and_others_keep_theirs(world: World) -> None:
    store, bobs = world.store(), world.store("bob")
    said = say(store, begin(store), "Order flour")[0]
    procedure(store, "prc_1", text=f"The {QUOTE}", evidence=())
    practise(store, turn_of(store, said), "prc_1")
    procedure(bobs, "prc_2", text=f"The {QUOTE}", evidence=())

    receipt = erase(
        world.database, Target.everything_of(Principal(user="alice")), clock=world.clock
    )

    assert left(bobs) == ({"prc_2"}, 0, 0, {"name-prc_2"})
    assert dict(receipt.counts)["procedures"] == 1
