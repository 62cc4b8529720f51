"""Names from the command line: any script works, and nothing means everybody."""

import pytest

from tests.platform.cli.running import Run


@pytest.mark.parametrize(
    "user", ["alice@example.com", "алиса@пример.рф", "🦊", "O'Brien", "alice' OR 1=1"]
)
def test_any_name_has_a_memory_of_its_own_from_end_to_end(stratal: Run, user: str) -> None:
    stratal("memory", "add", "The safe is blue")
    own = ("--user", user, "--json")

    made = stratal("memory", "add", "My bicycle is red", *own).json["memory"]
    stratal("memory", "add", "My bicycle is old", "--scope", "project", "--project", user, *own)
    listed = stratal("memory", "list", *own).json["memories"]
    found = stratal("memory", "search", "bicycle", *own).json["hits"]
    others = stratal("memory", "search", "bicycle", "--json").json["hits"]
    gone = stratal("memory", "erase", "--user", user, "--yes", "--json")

    assert made["scope"] == f"user:{user}"
    assert [one["id"] for one in listed] == [made["id"]] == [one["id"] for one in found]
    assert others == []
    assert (gone.code, gone.json["clean"], gone.json["name"]) == (0, True, user)
    assert stratal("memory", "list", *own).json["memories"] == []
    assert len(stratal("memory", "list", "--json").json["memories"]) == 1


@pytest.mark.parametrize("user", ["*", "", "  ", "%", "?", "_", ".", "alice\x00", "\ud800"])
@pytest.mark.parametrize(
    "command",
    [
        ("memory", "add", "x y z"),
        ("memory", "list"),
        ("memory", "search", "safe"),
        ("memory", "export"),
        ("memory", "lint"),
        ("memory", "erase", "--yes"),
        ("context", "safe"),
    ],
    ids=" ".join,
)
def test_no_command_takes_a_name_that_could_mean_everybody(
    stratal: Run, command: tuple[str, ...], user: str
) -> None:
    stratal("memory", "add", "The safe is blue")

    ran = stratal(*command, "--user", user)

    assert ran.code != 0
    assert "safe is blue" not in ran.out
    assert "user" in ran.err
    assert len(stratal("memory", "list", "--json").json["memories"]) == 1


def test_a_fact_is_shared_by_an_explicit_act_alone(stratal: Run) -> None:
    made = stratal("memory", "add", "The oven is hot", "--project", "bakery", "--json").json
    stratal("memory", "add", "I live in Porto", "--project", "bakery")
    stratal("scope", "grant", "project:bakery", "bob")
    bob = ("--user", "bob", "--project", "bakery", "--json")

    before = stratal("memory", "list", *bob).json["memories"]
    stratal("memory", "promote", made["memory"]["id"], "--to", "project", "--project", "bakery")
    after = stratal("memory", "list", *bob).json["memories"]

    assert before == []
    assert [(one["text"], one["scope"]) for one in after] == [("The oven is hot", "project:bakery")]
