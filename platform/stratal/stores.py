"""One user's memory, opened as the settings say: what a search needs, without a model."""

import logging

from stratal.engines import embedder_of, former_of
from stratal.settings import Settings
from stratal_memory.embedding.backlog import OPENING, embed_backlog
from stratal_memory.errors import DataDirectoryBusy
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.scopes import Principal
from stratal_memory.store import Clock, Store, utc_now
from stratal_memory.truth.database import Database
from stratal_memory.truth.messages import unremembered

log = logging.getLogger(__name__)


def open_store(principal: Principal, settings: Settings, *, clock: Clock = utc_now) -> Store:
    """What `principal` may read and write, with what a crash or a missing model left undone.

    End it with `close_store`. Raises `ScopeError`, `AccessDenied` for somebody else's project,
    `DataDirectoryBusy` during maintenance.
    """
    database = Database.open(settings.data, purpose="stratal agent", wait=settings.busy_wait)
    try:
        store = Store.open(
            database,
            principal,
            embedder=embedder_of(settings),
            former=former_of(settings),
            clock=clock,
            gate=settings.gate(),
        )
        _make_up(store, settings)
    except BaseException:
        database.close()
        raise
    return store


def close_store(store: Store) -> None:
    """Let go of the memory and its data directory."""
    store.close()
    store.database.close()


def recall_settings(settings: Settings) -> RecallSettings:
    """How the memory of these settings is searched."""
    return settings.recall.for_recall(settings.context)


def _make_up(store: Store, settings: Settings) -> None:
    """What a crash or a missing model left undone; put off while somebody writes for long."""
    try:
        _catch_up(store, settings)
        embed_backlog(store, most=OPENING)
    except DataDirectoryBusy as error:
        log.warning("put off until memory is opened again: %s", error)


def _catch_up(store: Store, settings: Settings) -> None:
    with store.read() as connection:
        left = unremembered(connection, user=store.user, before=store.clock(), limit=1)
    if not left:
        return
    # The gate brings every rule with it: a search that finds all in order goes without.
    from stratal.writers import reading_model
    from stratal_memory.learning.gate import catch_up

    catch_up(store, waits=reading_model(settings) is not None)
