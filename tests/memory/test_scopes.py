"""Scopes are exact: nothing means "all", and nobody is somebody else's prefix."""

import pytest

from stratal_memory.errors import ScopeError
from stratal_memory.records import ScopeKind
from stratal_memory.scopes import Principal, checked_id

COULD_MEAN_ALL = [
    None,
    "",
    " ",
    "\t\n",
    "*",
    "**",
    "%",
    "?",
    "_",
    ".",
    "..",
    "%_*",
    {},
    {"$ne": None},
    [],
    ["alice"],
    0,
    True,
    b"alice",
    "alice ",
    " alice",
    "\N{NO-BREAK SPACE}alice",
    "a\x00b",
    "a\nb",
    "a\x7fb",
    "\ud800",
    "al\udcffice",
    "\N{ZERO WIDTH SPACE}",
    "\N{WORD JOINER}\N{ZERO WIDTH NO-BREAK SPACE}",
    "alice\N{ZERO WIDTH SPACE}",
    "\N{ZERO WIDTH NO-BREAK SPACE}alice",
    "\N{COMBINING ACUTE ACCENT}",
    "a" * 201,
]


@pytest.mark.parametrize("value", COULD_MEAN_ALL, ids=repr)
def test_what_could_mean_all_or_nobody_is_refused(value: object) -> None:
    with pytest.raises(ScopeError) as refused:
        checked_id(value, what="user")

    assert refused.value.hint


@pytest.mark.parametrize("value", [v for v in COULD_MEAN_ALL if v is not None], ids=repr)
@pytest.mark.parametrize("field", ["user", "agent", "project", "org", "session"])
def test_no_field_of_a_principal_takes_it(field: str, value: object) -> None:
    names: dict[str, object] = {"user": "alice", field: value}

    with pytest.raises(ScopeError):
        Principal(**names)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("field", ["user", "agent"])
def test_none_is_no_user_and_no_agent(field: str) -> None:
    names: dict[str, object] = {"user": "alice", field: None}

    with pytest.raises(ScopeError, match="must be a string, not NoneType"):
        Principal(**names)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "name",
    [
        "alice@example.com",
        "алиса@пример.рф",
        "山田太郎",
        "🦊",
        "👩‍💻",
        "O'Brien",
        "a",
        "all",
        "a*b",
    ],
)
def test_real_names_work_in_every_script(name: str) -> None:
    assert checked_id(name, what="user") == name


def test_two_spellings_of_one_name_are_one_user() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"

    assert checked_id(decomposed, what="user") == composed


def test_scopes_are_listed_narrowest_first() -> None:
    principal = Principal(user="alice", project="bakery", org="guild", session="ses_1")

    assert [str(scope) for scope in principal.scopes()] == [
        "session:ses_1",
        "project:bakery",
        "user:alice",
        "org:guild",
    ]


def test_a_scope_one_does_not_stand_in_is_an_error() -> None:
    with pytest.raises(ScopeError, match="no project is chosen"):
        Principal(user="alice").scope(ScopeKind.PROJECT)
