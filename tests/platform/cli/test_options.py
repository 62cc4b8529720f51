from pathlib import Path

import pytest

from tests.platform.cli.running import Run


@pytest.mark.parametrize(
    "args",
    [
        ("--user", "alice", "memory", "add", "I like tea"),
        ("memory", "--user", "alice", "add", "I like tea"),
        ("memory", "add", "I like tea", "--user", "alice"),
        ("--user", "bob", "memory", "add", "I like tea", "--user", "alice"),
    ],
)
def test_an_option_holds_wherever_it_stands_and_the_last_one_wins(
    stratal: Run, args: tuple[str, ...]
) -> None:
    ran = stratal(*args, "--json")

    assert ran.json["memory"]["scope"] == "user:alice"


def test_json_may_stand_before_the_command(stratal: Run) -> None:
    assert stratal("--json", "memory", "list").json == {"memories": []}


def test_the_data_directory_is_chosen_by_option(stratal: Run, tmp_path: Path) -> None:
    stratal("memory", "list", "--data", str(tmp_path / "other"))

    assert (tmp_path / "other" / "stratal.db").exists()
    assert not (tmp_path / "data").exists()


def test_a_settings_file_is_chosen_by_option(stratal: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('user = "carol"\n')

    ran = stratal("memory", "add", "I like tea", "--config", "mine.toml", "--json")

    assert ran.json["memory"]["scope"] == "user:carol"


def test_a_settings_file_that_is_not_there_is_an_error(stratal: Run) -> None:
    ran = stratal("config", "show", "--config", "nowhere.toml")

    assert (ran.code, ran.err) == (1, "error: there is no settings file nowhere.toml\n")


@pytest.mark.parametrize("user", ["alice@example.com", "алиса", "🍞", "O'Brien", "用户"])
def test_any_name_may_be_a_user(stratal: Run, user: str) -> None:
    stratal("memory", "add", "I like tea", "--user", user)

    ran = stratal("memory", "list", "--user", user, "--json")

    assert [memory["text"] for memory in ran.json["memories"]] == ["I like tea"]


@pytest.mark.parametrize("user", ["", " ", "*", "%", "a\nb", "x" * 201])
def test_a_user_who_could_mean_everybody_or_nobody_is_refused(stratal: Run, user: str) -> None:
    ran = stratal("memory", "list", "--user", user)

    assert ran.code == 1
    assert ran.err.startswith("error: user")
    assert "hint: " in ran.err


def test_a_user_in_bytes_that_are_no_utf8_is_refused(stratal: Run) -> None:
    ran = stratal("memory", "list", "--user", "\udcff")

    assert ran.code == 1
    assert ran.err.startswith("error: user")


def test_a_project_of_somebody_else_is_refused(stratal: Run) -> None:
    stratal("memory", "add", "ours", "--project", "bakery", "--user", "alice", "--scope", "project")

    ran = stratal("memory", "list", "--project", "bakery", "--user", "bob")

    assert ran.code == 1
    assert ran.err.startswith("error: project 'bakery' belongs to somebody else")
    assert "stratal scope grant project:bakery bob" in ran.err


def test_quiet_leaves_the_notices_out(stratal: Run) -> None:
    assert stratal("chat", "-m", "Hello", "--quiet").err == ""
    assert "No model is connected" in stratal("chat", "-m", "Hello").err
