"""Projects and orgs belong to who created them; agents have what is their own."""

import pytest

from stratal_memory.errors import AccessDenied, NotFound, ScopeError
from stratal_memory.records import Form, Scope, ScopeKind
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import access
from stratal_memory.truth.access import Reach, visible
from tests.memory.worlds import World, begin, texts

BAKERY = Scope(ScopeKind.PROJECT, "bakery")


def grant(world: World, scope: Scope, *, by: str, to: str) -> None:
    with world.database.write() as connection:
        access.grant(connection, scope, by=by, to=to, now=world.clock())


@pytest.mark.parametrize("kind", ["project", "org"])
def test_who_names_a_space_first_owns_it(world: World, kind: str) -> None:
    names = {kind: "bakery"}
    world.store("alice", **names)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    with pytest.raises(AccessDenied, match="belongs to somebody else") as refused:
        world.store("mallory", **names)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    assert f"scope grant {kind}:bakery mallory" in refused.value.hint


def test_a_grant_lets_somebody_in_and_its_end_shuts_them_out(world: World) -> None:
    owner = world.store("alice", project="bakery")
    Facts(owner).add("the oven is preheated at five", scope=ScopeKind.PROJECT)

    grant(world, BAKERY, by="alice", to="bob")
    grant(world, BAKERY, by="alice", to="bob")  # again changes nothing
    seen = Facts(world.store("bob", project="bakery")).known()
    with world.database.write() as connection:
        first = access.revoke(connection, BAKERY, by="alice", user="bob")
        second = access.revoke(connection, BAKERY, by="alice", user="bob")

    assert texts(seen) == ["the oven is preheated at five"]
    assert (first, second) == (True, False)
    with pytest.raises(AccessDenied):
        world.store("bob", project="bakery")


def test_a_grant_in_one_spelling_ends_in_the_other(world: World) -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    world.store("alice", project=composed)
    grant(world, Scope(ScopeKind.PROJECT, decomposed), by="alice", to=decomposed)
    world.store(composed, project=composed)

    with world.database.write() as connection:
        ended = access.revoke(
            connection, Scope(ScopeKind.PROJECT, composed), by="alice", user=decomposed
        )

    assert ended
    with pytest.raises(AccessDenied):
        world.store(composed, project=composed)


@pytest.mark.parametrize("name", ["bakery", "no such project"])
def test_only_the_owner_grants_and_a_stranger_learns_nothing(world: World, name: str) -> None:
    world.store("alice", project="bakery")

    with pytest.raises(NotFound, match=f"you own no project '{name}'"):
        grant(world, Scope(ScopeKind.PROJECT, name), by="mallory", to="mallory")


def test_a_user_scope_is_never_shared(world: World) -> None:
    with pytest.raises(ScopeError, match="can't be shared"):
        grant(world, Scope(ScopeKind.USER, "alice"), by="alice", to="bob")


def test_a_grant_to_nobody_is_refused(world: World) -> None:
    world.store("alice", project="bakery")

    with pytest.raises(ScopeError):
        grant(world, BAKERY, by="alice", to="*")


def test_spaces_are_listed_for_their_members_only(world: World) -> None:
    world.store("alice", project="bakery", org="guild")
    world.store("carol", project="secret")
    grant(world, BAKERY, by="alice", to="bob")

    with world.database.read() as connection:
        mine = {user: access.spaces_of(connection, user) for user in ("alice", "bob", "dave")}

    assert [str(space.scope) for space in mine["alice"]] == ["org:guild", "project:bakery"]
    assert [(str(space.scope), space.owner, space.members) for space in mine["bob"]] == [
        ("project:bakery", "alice", ("bob",))
    ]
    assert mine["dave"] == []


def test_somebody_elses_session_is_no_scope(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    session = begin(alice)
    Facts(alice.for_session(session.id)).add("only here: blue", scope=ScopeKind.SESSION)

    inside = Store.open(world.database, Principal(user="alice", session=session.id))

    assert texts(Facts(inside).known()) == ["only here: blue"]
    with pytest.raises(AccessDenied, match="you have no session"):
        bob.for_session(session.id)
    for id in (session.id, "made up"):
        with pytest.raises(AccessDenied, match="you have no session"):
            Store.open(world.database, Principal(user="bob", session=id))


def test_agents_share_facts_and_have_their_own_procedures(world: World) -> None:
    main, coach = world.store(agent="main"), world.store(agent="coach")
    Facts(main).add("The user runs marathons.")
    Procedures(main).sync([Described("bake", "how to bake bread")])

    assert texts(Facts(coach).known()) == ["The user runs marathons."]
    assert Facts(coach).known(forms=(Form.SKILL,)) == []
    assert len(Facts(main).known(forms=(Form.SKILL,))) == 1


def test_no_scope_is_nobodys_view() -> None:
    with pytest.raises(ScopeError, match="no scope to read in"):
        visible(Reach(Principal(user="alice"), ()))
