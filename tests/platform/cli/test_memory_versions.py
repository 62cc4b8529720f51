"""Memory by hand and through time, from the command line; read in sixty columns."""

import pytest

from stratal.cli import shapes
from tests.platform.cli.running import Ran, Run

LISBON, PORTO = "I live in Lisbon", "I live in Porto"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")


def added(stratal: Run, text: str, *more: str) -> shapes.MemoryShape:
    ran = stratal("memory", "add", text, *more, "--json")
    return shapes.Remembered.model_validate_json(ran.out).memory


def acted(ran: Ran) -> shapes.Acted:
    assert ran.code == 0, ran.err
    return shapes.Acted.model_validate_json(ran.out)


def listed(stratal: Run, *more: str) -> list[str]:
    return [one["text"] for one in stratal("memory", "list", *more, "--json").json["memories"]]


def fits(text: str) -> bool:
    return all(len(line) <= 60 for line in text.splitlines())


@pytest.mark.usefixtures("narrow")
def test_a_fact_is_edited_and_the_edit_taken_back(stratal: Run) -> None:
    memory = added(stratal, "My bicycle is red")

    done = acted(stratal("memory", "edit", memory.id, "My bicycle is blue", "--json"))
    assert listed(stratal) == ["My bicycle is blue"]
    undone = stratal("memory", "undo", done.event, "--json")

    shapes.Undone.model_validate_json(undone.out)
    assert listed(stratal) == ["My bicycle is red"]
    again = stratal("memory", "undo", done.event)
    assert again.code == 1
    assert "was undone already" in again.err


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("shown", ["list", "search", "show", "history", "why", "key"])
def test_forget_takes_every_id_that_a_command_shows(stratal: Run, shown: str) -> None:
    """The complaint of openclaw#95606: forget needed ids that nothing showed."""
    memory = added(stratal, "My bicycle is red")
    name = memory.key if shown == "key" else memory.id
    words = {"list": [], "search": ["bicycle"]}.get(shown, [memory.id])
    ran = stratal("memory", "history" if shown == "key" else shown, *words)
    assert name in ran.out
    assert fits(ran.out)

    done = stratal("memory", "forget", name, "--reason", "sold it")

    assert "forgotten by hand: sold it" in done.out
    assert fits(done.out)
    assert listed(stratal) == []
    assert stratal("memory", "search", "bicycle", "--json").json == {"hits": []}
    [line] = [line for line in done.out.splitlines() if "memory undo" in line]
    assert stratal(*line.split()[1:]).code == 0
    assert listed(stratal) == ["My bicycle is red"]


def test_forgetting_what_is_not_there_says_where_to_look(stratal: Run) -> None:
    ran = stratal("memory", "forget", "mem_nothing")

    assert ran.code == 1
    assert "no memory 'mem_nothing' here" in ran.err
    assert "stratal memory list" in ran.err


def test_a_pin_is_set_and_taken(stratal: Run) -> None:
    memory = added(stratal, "My bicycle is red")

    pinned = acted(stratal("memory", "pin", memory.key, "--json"))
    loose = acted(stratal("memory", "unpin", memory.key, "--json"))

    assert [one.pinned for one in pinned.memories] == [True]
    assert [one.pinned for one in loose.memories] == [False]


@pytest.mark.usefixtures("narrow")
def test_what_was_so_at_a_time_is_shown(stratal: Run) -> None:
    first, second = added(stratal, LISBON), added(stratal, PORTO)

    now = stratal("memory", "show", "--as-of", "2999-01-01", "--json").json["memories"]
    then = stratal("memory", "show", "--as-of", first.valid_from.isoformat(), "--json").json
    held = stratal("memory", "show", first.key, "--known-at", "2000-01-01")
    wrong = stratal("memory", "show", "--as-of", "last May")

    assert [one["id"] for one in now] == [second.id]
    assert [one["id"] for one in then["memories"]] == [first.id]
    assert "nothing was known then" in held.out
    assert (wrong.code, "is no time" in wrong.err) == (1, True)
    assert "name a memory, or a time" in stratal("memory", "show").err


@pytest.mark.usefixtures("narrow")
def test_history_tells_versions_reasons_and_the_events_to_undo(stratal: Run) -> None:
    added(stratal, LISBON)
    memory = added(stratal, PORTO)

    ran = stratal("memory", "history", memory.key)
    story = shapes.Story.model_validate_json(stratal("memory", "history", memory.key, "--json").out)

    assert [one.value for one in story.versions] == ["Lisbon", "Porto"]
    assert "superseded" in ran.out
    assert all(event.id in ran.out for event in story.events)
    assert fits(ran.out)


@pytest.mark.usefixtures("narrow")
def test_a_difference_is_shown_between_two_times(stratal: Run) -> None:
    memory = added(stratal, LISBON)

    ran = stratal("memory", "diff", "2000-01-01", "2999-01-01")
    shape = shapes.Differences.model_validate_json(
        stratal("memory", "diff", "2000-01-01", "2999-01-01", "--json").out
    )
    same = stratal("memory", "diff", "2000-01-01", "2000-01-02")

    assert [(one.kind, one.key) for one in shape.changes] == [("added", memory.key)]
    assert ran.out.startswith(f"+ {LISBON}")
    assert memory.id in ran.out
    assert "the same at both times" in same.out


@pytest.mark.usefixtures("narrow")
def test_what_waits_is_reviewed(stratal: Run) -> None:
    assert "nothing waits for you" in stratal("memory", "review").out
    assert "accept what?" in stratal("memory", "review", "accept").err
    memory = added(stratal, "My bicycle is red")
    refused = stratal("memory", "review", "accept", memory.id)

    assert refused.code == 1
    assert "is active, not contested" in refused.err
    shapes.WaitingList.model_validate_json(stratal("memory", "review", "--json").out)


def test_a_fact_is_shared_by_an_explicit_act_alone(stratal: Run) -> None:
    memory = added(stratal, "The oven is leased")

    nowhere = stratal("memory", "promote", memory.id, "--to", "project")
    done = acted(
        stratal("memory", "promote", memory.id, "--to", "project", "--project", "p", "--json")
    )
    theirs = stratal("memory", "list", "--user", "bob", "--project", "p")

    assert "no project is chosen" in nowhere.err
    assert [str(one.scope) for one in done.memories] == ["project:p"]
    assert theirs.code == 1
    assert "belongs to somebody else" in theirs.err
    assert stratal("scope", "grant", "project:p", "bob").code == 0
    assert listed(stratal, "--user", "bob", "--project", "p") == ["The oven is leased"]


def test_items_are_listed_by_their_type(stratal: Run) -> None:
    # covers Zs3
    added(stratal, "We bake at night", "--facet", "habit")
    added(stratal, "Only rye", "--facet", "constraint")

    assert listed(stratal, "--type", "habit") == ["We bake at night"]
    assert stratal("memory", "add", "x", "--facet", "no facet").code == 1
