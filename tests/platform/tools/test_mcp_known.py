"""What was accepted of foreign tools outlives the process."""

from stratal.tools.mcp_known import KnownTools
from tests.platform.conftest import OpenAgent


def test_a_tool_is_known_as_it_was_first_seen(open_agent: OpenAgent) -> None:
    known = KnownTools(open_agent().store)
    both = {"read": "1", "write": "3"}

    assert known.first_seen("files", {"read": "1"}) == {"read": "1"}
    assert known.first_seen("files", {"read": "2", "write": "3"}) == both
    assert KnownTools(open_agent("bob").store).first_seen("files", {}) == both


def test_what_is_accepted_takes_the_place_of_what_was_seen(open_agent: OpenAgent) -> None:
    known = KnownTools(open_agent().store)
    known.first_seen("files", {"read": "1", "write": "1"})

    known.accept("files", {"read": "2"})

    assert known.first_seen("files", {}) == {"read": "2", "write": "1"}


def test_servers_know_nothing_of_each_other(open_agent: OpenAgent) -> None:
    known = KnownTools(open_agent().store)
    known.first_seen("files", {"read": "1"})

    assert known.first_seen("web", {"read": "2"}) == {"read": "2"}
