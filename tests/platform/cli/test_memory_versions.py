"""Memory by hand and through time, from the command line; read in sixty columns."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from stratal.cli.memory import memories, memories_view
from stratal.cli.shapes.memories import (
    Acted,
    Differences,
    Hits,
    MemoryShape,
    Remembered,
    Story,
    WaitingList,
)
from stratal.cli.shapes.settling import Undone
from stratal_memory.records import Status
from tests.memory.worlds import memory
from tests.platform.cli.running import Ran, Run

LISBON, PORTO = "I live in Lisbon", "I live in Porto"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")


def added(stratal: Run, text: str, *more: str) -> MemoryShape:
    ran = stratal("memory", "add", text, *more, "--json")
    return Remembered.model_validate_json(ran.out).memory


def acted(ran: Ran) -> Acted:
    assert ran.code == 0, ran.err
    return Acted.model_validate_json(ran.out)


def listed(stratal: Run, *more: str) -> list[str]:
    return [one["text"] for one in stratal("memory", "list", *more, "--json").json["memories"]]


def fits(text: str) -> bool:
    return all(len(line) <= 60 for line in text.splitlines())


def test_show_names_both_ways_to_a_time(stratal: Run) -> None:
    ran = stratal("memory", "show")

    assert ran.code == 2
    assert "--known-at" in ran.err


def test_refusals_say_what_to_do_next(stratal: Run) -> None:
    memory = added(stratal, "My bicycle is red")
    event = acted(stratal("memory", "pin", memory.id, "--json")).event
    stratal("memory", "undo", event)

    again = stratal("memory", "undo", event, "--json").json["error"]
    empty = stratal("memory", "add", "", "--json").json["error"]

    assert memory.key in again["hint"]
    assert "sentence" in empty["hint"]


def test_days_are_those_of_the_users_zone(stratal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    added(stratal, "My bicycle is red")
    utc = stratal("memory", "list", "--json").json["memories"][0]["valid_from"]
    monkeypatch.setenv("STRATAL_LEARNING__ZONE", "Pacific/Kiritimati")

    local = stratal("memory", "list", "--json").json["memories"][0]["valid_from"]

    assert local.endswith("+14:00")
    assert datetime.fromisoformat(local) == datetime.fromisoformat(utc)


@pytest.mark.usefixtures("narrow")
def test_a_fact_is_edited_and_the_edit_taken_back(stratal: Run) -> None:
    memory = added(stratal, "My bicycle is red")

    done = acted(stratal("memory", "edit", memory.id, "My bicycle is blue", "--json"))
    assert listed(stratal) == ["My bicycle is blue"]
    undone = stratal("memory", "undo", done.event, "--json")

    Undone.model_validate_json(undone.out)
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
    story = Story.model_validate_json(stratal("memory", "history", memory.key, "--json").out)

    assert [one.value for one in story.versions] == ["Lisbon", "Porto"]
    assert "superseded" in ran.out
    assert all(event.id in ran.out for event in story.events)
    assert fits(ran.out)


@pytest.mark.usefixtures("narrow")
def test_a_difference_is_shown_between_two_times(stratal: Run) -> None:
    memory = added(stratal, LISBON)

    ran = stratal("memory", "diff", "2000-01-01", "2999-01-01")
    shape = Differences.model_validate_json(
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
    WaitingList.model_validate_json(stratal("memory", "review", "--json").out)


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


@pytest.mark.usefixtures("narrow")
def test_search_and_list_look_at_a_time_too(stratal: Run) -> None:
    first, second = added(stratal, LISBON), added(stratal, PORTO)
    then = first.valid_from.isoformat()

    def ids(*words: str) -> list[str]:
        answer = stratal("memory", *words, "--json").json
        return [one["id"] for one in (answer.get("hits") or answer.get("memories") or [])]

    assert ids("search", "Where do I live?", "--as-of", then) == [first.id]
    assert ids("search", "Where do I live?", "--as-of", "2999-01-01") == [second.id]
    assert ids("search", "Where do I live?", "--as-of", "2000-01-01") == []
    assert ids("list", "--as-of", then) == [first.id]
    assert ids("list", "--as-of", then, "--type", "event") == []
    assert ids("list", "--known-at", "2000-01-01") == []
    assert stratal("memory", "search", "home", "--as-of", "last May").code == 1


@pytest.mark.usefixtures("narrow")
def test_explaining_a_search_shows_every_part_and_fits(stratal: Run) -> None:
    memory = added(stratal, PORTO)

    ran = stratal("memory", "search", "Where do I live?", "--explain", "--no-gate")
    [hit] = Hits.model_validate_json(
        stratal("memory", "search", "Where do I live?", "--no-gate", "--json").out
    ).hits

    assert fits(ran.out)
    told = " ".join(ran.out.split())
    assert f"similarity {hit.parts.similarity:.2f}, confidence {hit.parts.confidence:.2f}" in told
    assert f"recency x{hit.factors.recency:.2f}" in told
    assert "evidence x1.00" in told
    assert "usefulness x1.00" in told
    assert all(f"{one.name} {one.value:.2f} counts" in told for one in hit.signals)
    assert f"words {hit.gate.words:.2f} on" in told
    assert {memory.id, hit.reason} <= set(told.replace(",", " ,").split(" ")) | {hit.reason}
    assert hit.reason in told


@pytest.mark.usefixtures("narrow")
def test_explaining_a_request_shows_every_part_and_fits(stratal: Run) -> None:
    added(stratal, PORTO)

    ran = stratal("context", "Where do I live?", "--explain")
    [one] = stratal("context", "Where do I live?", "--json").json["candidates"]

    assert fits(ran.out)
    assert f"recency x{one['factors']['recency']:.2f}" in ran.out
    assert [f"{signal['name']} {signal['value']:.2f}" in ran.out for signal in one["signals"]]
    assert one["signals"]


@pytest.mark.parametrize("width", [60, 160])
def test_what_is_contested_or_pinned_says_so_in_lists(width: int) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    made = memory("The user lives in Porto.", at=at, status=Status.CONTESTED)
    kept = replace(memory("The user has a cat.", at=at), pinned=True)
    stream = io.StringIO()

    Console(file=stream, width=width).print(memories_view(memories([made, kept])))

    shown = " ".join(stream.getvalue().split())
    assert "contested" in shown
    assert shown.count("2026-03-01") == (2 if width == 60 else 3)  # the day is a column there
    assert "pinned" in shown
