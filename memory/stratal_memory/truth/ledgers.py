"""Ledgers: what a turn's last request was made of, its texts kept once a conversation."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from sqlalchemy import Connection, insert, select, update

from stratal_memory.truth.schema import ledger_texts, messages, turns

PAGE = 500  # digests of one IN (...) list
_NONE: Mapping[str, str] = MappingProxyType({})


def keep_ledger(
    connection: Connection, turn: str, ledger: str, texts: Mapping[str, str] = _NONE
) -> None:
    """Keep the ledger of the turn's latest request, as JSON, and the texts it names by digest.

    `texts` maps each digest (`stratal_memory.text.content_hash`) to its text. One that the
    conversation has already, as a message or from an earlier ledger, is not stored again.
    """
    connection.execute(update(turns).where(turns.c.id == turn).values(ledger=ledger))
    if not texts:
        return
    session = connection.execute(select(turns.c.session).where(turns.c.id == turn)).scalar_one()
    known = _kept(connection, session, texts) | _said(connection, session, texts)
    rows = [
        {"session": session, "digest": digest, "text": text.encode("utf-8", "surrogatepass")}
        for digest, text in texts.items()
        if digest not in known
    ]
    if rows:
        connection.execute(insert(ledger_texts), rows)


def texts_of(connection: Connection, session: str, digests: Collection[str]) -> dict[str, str]:
    """The texts of a conversation's ledgers and messages by digest, exactly as they were.

    A digest that this conversation has no text for is not in it.
    """
    kept = _kept(connection, session, digests)
    missing = [digest for digest in digests if digest not in kept]
    return {**kept, **_said(connection, session, missing)}


def _kept(connection: Connection, session: str, digests: Collection[str]) -> dict[str, str]:
    """Those that are stored for ledgers alone."""
    return {
        row.digest: row.text.decode("utf-8", "surrogatepass")
        for page in _pages(digests)
        for row in connection.execute(
            select(ledger_texts.c.digest, ledger_texts.c.text).where(
                ledger_texts.c.session == session, ledger_texts.c.digest.in_(page)
            )
        )
    }


def _said(connection: Connection, session: str, digests: Collection[str]) -> dict[str, str]:
    """Those that are texts of messages."""
    return {
        row.content_hash: row.text
        for page in _pages(digests)
        for row in connection.execute(
            select(messages.c.content_hash, messages.c.text).where(
                messages.c.session == session, messages.c.content_hash.in_(page)
            )
        )
    }


def _pages(digests: Collection[str]) -> Iterator[list[str]]:
    every = list(digests)
    for start in range(0, len(every), PAGE):
        yield every[start : start + PAGE]
