"""What the tools keep goes with its user, its conversation, or the words it quotes."""

import os

import pytest

from stratal_memory.erase.files import LOCAL, WORKSPACES, home_of, workspace_name
from stratal_memory.erase.pipeline import erase, plan
from stratal_memory.erase.target import Target, What
from stratal_memory.records import Session
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import sessions
from stratal_memory.truth.todos import Todo, keep_todos, todos_of
from tests.memory.worlds import World, begin, say

SECRET = "the mango password of the harbour gate"


def listed(store: Store, session: Session, *texts: str) -> Session:
    with store.write() as journal:
        items = [Todo(text=text) for text in texts]
        keep_todos(journal.connection, session.id, items, at=journal.at)
    return session


def left(world: World, session: Session) -> list[str]:
    with world.database.read() as connection:
        return [item.text for item in todos_of(connection, session.id)]


def file_of(world: World, user: str, name: str, text: str) -> None:
    folder = world.database.folder / WORKSPACES / workspace_name(user)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def files(world: World) -> set[str]:
    found = (world.database.folder / WORKSPACES).rglob("*")
    return {path.name for path in found if path.is_file()}


def erased(world: World, target: Target) -> dict[str, int]:
    receipt = erase(world.database, target, clock=world.clock)
    assert receipt.hits == ()
    return dict(receipt.counts)


def of_user(user: str) -> Target:
    return Target.everything_of(Principal(user=user))


def named(what: What, name: str) -> Target:
    return Target(what=what, name=name, principal=Principal(user="alice"))


def test_lists_and_files_go_with_their_user_and_nobody_elses(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    hers = listed(alice, begin(alice), f"change {SECRET}")
    his = listed(bob, begin(bob), "feed the bees")
    file_of(world, "alice", "hers.md", SECRET)
    file_of(world, "bob", "his.md", "bees")

    counts = erased(world, of_user("alice"))

    assert (counts["todos"], counts["files"]) == (1, 1)
    assert (left(world, hers), left(world, his)) == ([], ["feed the bees"])
    assert files(world) == {"his.md"}
    assert not (world.database.folder / WORKSPACES / workspace_name("alice")).exists()


def skills_of(world: World, user: str, text: str = "Do it.") -> None:
    home = home_of(world.database.folder, user)
    for place in (home / "skills" / "bake", home / "agents" / "main" / "skills" / "fry"):
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(text)


def skills(world: World) -> set[str]:
    found = world.database.folder.rglob("SKILL.md")
    return {path.relative_to(world.database.folder).as_posix() for path in found}


@pytest.mark.parametrize(("user", "other"), [("alice", LOCAL), (LOCAL, "alice")])
def test_the_skills_of_a_user_go_with_them_and_nobody_elses(
    world: World, user: str, other: str
) -> None:
    skills_of(world, other)
    before = skills(world)
    skills_of(world, user)
    prompt = world.database.folder / "agents" / "main" / "prompt"
    prompt.mkdir(parents=True, exist_ok=True)
    (prompt / "SOUL.md").write_text("Be kind.")

    assert erased(world, of_user(user))["files"] == 2

    assert skills(world) == before
    assert (prompt / "SOUL.md").is_file()


def test_a_skill_that_quotes_an_erased_fact_goes(world: World) -> None:
    alice = world.store("alice")
    fact = Facts(alice).add(f"The user keeps {SECRET}.").memory
    skills_of(world, "alice", f"Know: {fact.text}")
    skills_of(world, "bob")
    before = skills(world)

    erased(world, named(What.KEY, fact.key))

    assert len(before) - len(skills(world)) == 2


def test_a_folder_of_skills_that_is_a_link_is_left_alone(world: World) -> None:
    outside = world.database.folder.parent / "dotfiles"
    (outside / "bake").mkdir(parents=True)
    (outside / "bake" / "SKILL.md").write_text(SECRET)
    (world.database.folder / "skills").symlink_to(outside)
    file_of(world, LOCAL, "hers.md", SECRET)

    erase(world.database, of_user(LOCAL), clock=world.clock)

    assert (outside / "bake" / "SKILL.md").read_text() == SECRET


def test_a_user_who_has_files_alone_can_be_erased(world: World) -> None:
    file_of(world, "alice", "hers.md", SECRET)

    assert plan(world.database, of_user("alice")).counts == ()
    assert erased(world, of_user("alice"))["files"] == 1
    assert files(world) == set()


def test_an_erase_follows_no_link_out_of_the_workspace(world: World) -> None:
    outside = world.database.folder.parent / "outside.md"
    outside.write_text(SECRET)
    file_of(world, "alice", "hers.md", SECRET)
    folder = world.database.folder / WORKSPACES / workspace_name("alice")
    (folder / "link.md").symlink_to(outside)
    (folder / "up").symlink_to(outside.parent)
    os.link(outside, folder / "hard.md")

    erase(world.database, of_user("alice"), clock=world.clock)

    assert outside.read_text() == SECRET
    assert world.database.folder.exists()


def test_points_and_files_that_quote_an_erased_fact_go_and_others_stay(world: World) -> None:
    alice = world.store("alice")
    session = begin(alice)
    fact = Facts(alice).add(f"The user keeps {SECRET}.").memory
    listed(alice, session, f"write down: The user keeps {SECRET}.", "water the plants")
    file_of(world, "alice", "quotes.md", f"Note\n{fact.text}\n")
    file_of(world, "alice", "other.md", "plants")

    counts = erased(world, named(What.KEY, fact.key))

    assert counts["todos"] == 1
    assert left(world, session) == ["water the plants"]
    assert files(world) == {"other.md"}


def test_what_sub_agents_said_goes_with_the_conversation_they_were_asked_in(world: World) -> None:
    alice = world.store("alice")
    session, other = begin(alice), begin(alice)
    say(alice, session, "Look it up", "Done")
    say(alice, other, "Hello", "Hi")
    with alice.write() as journal:
        inside = sessions.start_session(
            journal.connection, user="alice", agent="main", at=journal.at, parent=session.id
        )
    say(alice, inside, SECRET, "Found")
    listed(alice, inside, SECRET)

    counts = erased(world, named(What.SOURCE, session.id))

    assert (counts["sessions"], counts["turns"], counts["todos"]) == (2, 2, 1)
    with world.database.read() as connection:
        assert [one.id for one in sessions.find_sessions(connection, user="alice")] == [other.id]
        assert sessions.find_sessions(connection, user="alice", id=inside.id) == []
