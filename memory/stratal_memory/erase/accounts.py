"""Accounts of requests that quote what goes: they say `erased`, and their texts go."""

import re
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, select, update

from stratal_memory.erase.doomed import pages
from stratal_memory.erase.traces import Traces, forms
from stratal_memory.truth import schema

# What `stratal context --turn` makes of it: the text of the tools is gone, it was erased.
ERASED_LEDGER = '{"packed":1,"tools":"#erased"}'
_DIGEST = re.compile("#([0-9a-f]{32})")


def blank_ledgers(
    connection: Connection,
    *,
    sessions: Collection[str],
    turns: Collection[str],
    needles: Collection[str],
) -> int:
    """Rewrite the ledgers of `turns`, and those in `sessions` that quote `needles`; how many."""
    if not sessions:
        return 0
    traces = Traces(form for needle in needles for form in forms(needle))
    return sum(
        _blank_session(connection, session, turns=turns, traces=traces)
        for session in sorted(sessions)
    )


def _blank_session(
    connection: Connection, session: str, *, turns: Collection[str], traces: Traces
) -> int:
    table, texts = schema.turns, schema.ledger_texts
    kept = select(table.c.id, table.c.ledger).where(table.c.session == session)
    ledgers = {row.id: row.ledger for row in connection.execute(kept) if row.ledger}
    shelf = {
        row.digest: row.text.decode("utf-8", "surrogatepass")
        for row in connection.execute(select(texts).where(texts.c.session == session))
    }
    doomed = {digest for digest, text in shelf.items() if _holds(text, traces)}
    while more := {d for d, text in shelf.items() if doomed & _named(text)} - doomed:
        doomed |= more  # a text that names an erased one
    erased = {
        id
        for id, ledger in ledgers.items()
        if id in turns or _holds(ledger, traces) or doomed & _named(ledger)
    }
    left = [ledger for id, ledger in ledgers.items() if id not in erased]
    for page in pages(erased):
        here = table.c.id.in_(page)
        connection.execute(update(table).where(here).values(ledger=ERASED_LEDGER))
    for page in pages(set(shelf) - _reached(left, shelf, without=doomed)):
        dead = (texts.c.session == session) & texts.c.digest.in_(page)
        connection.execute(delete(texts).where(dead))
    return len(erased)


def _holds(text: str, traces: Traces) -> bool:
    return any(traces.find(text.encode("utf-8", "surrogatepass")))


def _named(text: str) -> set[str]:
    return set(_DIGEST.findall(text))


def _reached(ledgers: Sequence[str], shelf: dict[str, str], *, without: set[str]) -> set[str]:
    """The texts that ledgers still name, and those named in them."""
    reached: set[str] = set()
    waiting = {digest for ledger in ledgers for digest in _named(ledger)}
    while waiting:
        digest = waiting.pop()
        if digest in shelf and digest not in reached and digest not in without:
            reached.add(digest)
            waiting |= _named(shelf[digest])
    return reached
