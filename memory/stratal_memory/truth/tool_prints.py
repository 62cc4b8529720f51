"""Fingerprints of the tools of other programs, as they were accepted; no user's data."""

import json
from collections.abc import Mapping

from sqlalchemy import Connection, insert, select, update

from stratal_memory.truth.schema import state


def known(connection: Connection, server: str) -> dict[str, str]:
    """The fingerprint of each tool of `server` that was accepted; empty before the first look."""
    name = _name(server)
    found = connection.execute(select(state.c.value).where(state.c.name == name)).scalar()
    return {} if found is None else {str(k): str(v) for k, v in json.loads(found).items()}


def keep(connection: Connection, server: str, prints: Mapping[str, str]) -> dict[str, str]:
    """Accept `prints` beside what is known of `server`; all that is known then."""
    name, joined = _name(server), {**known(connection, server), **prints}
    value = json.dumps(joined, sort_keys=True)
    changed = connection.execute(update(state).where(state.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(insert(state).values(name=name, value=value))
    return joined


def _name(server: str) -> str:
    return f"mcp.tools.{server}"
