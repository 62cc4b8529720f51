"""Full text: what is found by which words, and for whom."""

import pytest

from stratal_memory.records import Scope, ScopeKind
from stratal_memory.truth import sqlite
from tests.memory.worlds import World

ALICE, BOB = Scope(ScopeKind.USER, "alice"), Scope(ScopeKind.USER, "bob")


def index(world: World, bodies: list[tuple[Scope, str]]) -> None:
    with world.database.write() as connection:
        for seq, (scope, body) in enumerate(bodies, 1):
            sqlite.index_text(connection, seq=seq, scope=scope, body=body)


def found(world: World, query: str, *scopes: Scope, limit: int = 10) -> list[int]:
    with world.database.read() as connection:
        asked = sqlite.query_terms(connection, query)
        matches = sqlite.search_text(connection, query=asked, scopes=scopes, limit=limit)
    return [match.seq for match in matches]


def test_rows_are_found_by_their_words_best_first(world: World) -> None:
    index(
        world,
        [
            (ALICE, "the oven in the kitchen is broken and the window too"),
            (ALICE, "oven repair"),
            (ALICE, "the garden"),
        ],
    )

    assert found(world, "Who does oven repairs?", ALICE) == [2, 1]


def test_equal_rows_come_newest_first(world: World) -> None:
    index(world, [(ALICE, "green tea"), (ALICE, "green tea"), (ALICE, "green tea")])

    assert found(world, "tea", ALICE) == [3, 2, 1]
    assert found(world, "tea", ALICE, limit=2) == [3, 2]


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("我喜欢什么茶？绿茶", "我喜欢绿茶"),
        ("抹茶は好きですか", "抹茶が好き"),
        ("김치", "김치찌개를 좋아해요"),
        ("iPhone", "我用iPhone手机"),
        ("where is the café?", "the café at the corner"),
        ("Какой чай?", "зелёный чай"),
    ],
)
def test_every_script_is_found(world: World, query: str, body: str) -> None:
    index(world, [(ALICE, body), (ALICE, "something else")])

    assert found(world, query, ALICE) == [1]


def test_a_word_with_an_accent_is_as_common_as_it_is(world: World) -> None:
    index(world, [(ALICE, "the café and the oven")] * 3 + [(ALICE, "an oven")])

    with world.database.read() as connection:
        idf = sqlite.query_terms(connection, "café oven zeppelin").idf

    assert idf["oven"] < idf["café"] < idf["zeppelin"]


def test_words_of_one_scope_are_not_found_in_another(world: World) -> None:
    index(world, [(ALICE, "the secret recipe"), (BOB, "the secret garden")])

    assert found(world, "secret", ALICE) == [1]
    assert found(world, "secret", BOB) == [2]
    assert found(world, "secret", ALICE, BOB) == [2, 1]
    assert found(world, "secret") == []


@pytest.mark.parametrize(
    "query",
    ['" OR body:*', "owner:(x)", "NEAR(a b)", "-oven", "col:oven*", "'; DROP TABLE memories; --"],
)
def test_the_query_language_is_no_way_in(world: World, query: str) -> None:
    index(world, [(BOB, "an oven and a body near an owner")])

    assert found(world, query, ALICE) == []


def test_very_common_words_are_dropped_from_a_large_index(world: World) -> None:
    index(world, [(ALICE, f"bread number{i}") for i in range(300)])

    with world.database.read() as connection:
        idf = sqlite.query_terms(connection, "bread number7 zeppelin").idf

    assert set(idf) == {"zeppelin", "number7"}


def test_what_was_removed_is_not_found(world: World) -> None:
    index(world, [(ALICE, "green tea")])

    with world.database.write() as connection:
        sqlite.remove_text(connection, [1])

    assert found(world, "tea", ALICE) == []


def test_the_rarity_of_many_texts_is_that_of_each(world: World) -> None:
    index(world, [(ALICE, f"bread number{i}") for i in range(20)])
    bodies = ["bread", "number7 number8", "zeppelin", "", "bread bread", "x " * 50]

    with world.database.read() as connection:
        together = sqlite.rarity(connection, bodies)
        alone = [sqlite.query_terms(connection, body).total for body in bodies]

    assert together == pytest.approx(alone)
