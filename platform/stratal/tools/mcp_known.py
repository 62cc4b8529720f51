"""Which tools of other programs were accepted, kept in the data directory."""

from collections.abc import Mapping

from stratal_memory.store import Store
from stratal_memory.truth import tool_prints


class KnownTools:
    """The fingerprints in the truth. They are the installation's, as the servers are."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def first_seen(self, server: str, prints: Mapping[str, str]) -> Mapping[str, str]:
        """What is known of `server`, where a tool that was unknown is as in `prints` from now."""
        with self._store.read() as connection:
            known = tool_prints.known(connection, server)
        if all(name in known for name in prints):
            return known
        with self._store.write() as journal:  # another process may have been first
            known = tool_prints.known(journal.connection, server)
            new = {name: print_ for name, print_ in prints.items() if name not in known}
            return tool_prints.keep(journal.connection, server, new)

    def accept(self, server: str, prints: Mapping[str, str]) -> None:
        """These are as they should be from now on."""
        with self._store.write() as journal:
            tool_prints.keep(journal.connection, server, prints)
