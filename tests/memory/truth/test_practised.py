"""What was done with tools, and whose end is not known yet."""

from stratal_memory.truth import practised
from tests.memory.worlds import World


def test_open_turns_are_found_from_what_waits_and_not_from_all_that_was_said(world: World) -> None:
    """However long somebody has talked: it is looked up after every turn."""
    queries: list[str] = []
    with world.store().read() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.set_trace_callback(queries.append)
        assert practised.waiting(connection, user="alice", agent="main") == []
        raw.set_trace_callback(None)
        [query] = [one for one in queries if "FROM procedure_episodes" in one]
        told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()

    searches = [row[3] for row in told if "procedure_" in row[3] or "turns" in row[3]]
    assert len(searches) == 3
    for one, index in zip(
        searches, ("episodes_ok", "outcomes_outcome", "turns_1 (id=?)"), strict=True
    ):
        assert index in one
