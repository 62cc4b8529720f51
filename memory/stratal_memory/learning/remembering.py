"""Many statements remembered at once: embedded together, and written while the next are."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from operator import itemgetter

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.resolution import Resolution, Statement, found_by_text, resolve
from stratal_memory.learning.unheard import remember_unheard, unheard
from stratal_memory.store import Store
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth.journal import Journal

# Statements a transaction, and embedded at once: an embedder sorts by length what it is given, and
# nobody waits long for the write lock.
TOGETHER = 256

Rows = list[Vectors | None]


def remember(store: Store, statements: Sequence[Statement]) -> list[Resolution]:
    """What became of each statement, in order, as if they had been made one after the other.

    Page by page: a crash keeps the pages that were written, and the same again adds nothing.
    """
    pages = [statements[start : start + TOGETHER] for start in range(0, len(statements), TOGETHER)]
    done: list[Resolution] = []
    for page, rows in zip(pages, _embedded(store, pages), strict=True):
        with store.write() as journal:
            done += _written(journal, page, rows)
            Profile(store).refresh(journal)
    return done


def _written(journal: Journal, page: Sequence[Statement], rows: Rows) -> list[Resolution]:
    """What became of a page; statements in a row that meet nothing known are written together."""
    done: list[Resolution] = []
    new = unheard(journal.connection, page)
    for fresh, group in groupby(zip(page, rows, new, strict=True), key=itemgetter(2)):
        some = [(one, row) for one, row, _ in group]
        done += (
            remember_unheard(journal, some)
            if fresh
            else [resolve(journal, one, vector=row) for one, row in some]
        )
    return done


def _embedded(store: Store, pages: Sequence[Sequence[Statement]]) -> Iterator[Rows]:
    """The vectors of each page; those of the next are made while one is written."""
    texts = [[found_by_text(one) for one in page] for page in pages]
    if len(texts) < 2:
        yield from (store.embed(some) for some in texts)
        return
    with ThreadPoolExecutor(1, thread_name_prefix="embedding") as ahead:
        coming = [ahead.submit(partial(store.embed, some)) for some in texts[:1]]
        for some in [*texts[1:], None]:
            rows = coming.pop().result()
            if some is not None:
                coming.append(ahead.submit(partial(store.embed, some)))
            yield rows
