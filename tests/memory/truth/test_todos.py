"""To-do lists: each conversation has its own, in its order."""

import pytest

from stratal_memory.truth.todos import Todo, TodoState, keep_todos, todos_of
from tests.memory.worlds import World, begin

LIST = (
    Todo(text="Read"),
    Todo(text="Write", state=TodoState.DOING),
    Todo(text="Read", state=TodoState.DONE),
)


def kept(world: World, session: str, items: tuple[Todo, ...]) -> tuple[Todo, ...]:
    with world.database.write() as connection:
        keep_todos(connection, session, items, at=world.clock())
    with world.database.read() as connection:
        return todos_of(connection, session)


def test_a_list_is_kept_in_its_order_and_replaced_as_a_whole(world: World) -> None:
    session = begin(world.store()).id

    assert kept(world, session, LIST) == LIST
    assert kept(world, session, LIST[1:2]) == LIST[1:2]
    assert kept(world, session, ()) == ()


def test_a_conversation_has_no_part_in_the_list_of_another(world: World) -> None:
    first, second = begin(world.store()).id, begin(world.store()).id
    kept(world, first, LIST)

    kept(world, second, LIST[:1])
    kept(world, second, ())

    with world.database.read() as connection:
        assert todos_of(connection, first) == LIST
        assert todos_of(connection, "") == todos_of(connection, "%") == ()


@pytest.mark.parametrize(("text", "stored"), [("\ud800", "\ufffd"), ("a\0b", "a\ufffdb")])
def test_text_that_no_database_takes_is_mended(world: World, text: str, stored: str) -> None:
    (item,) = kept(world, begin(world.store()).id, (Todo(text=text),))

    assert item.text == stored
