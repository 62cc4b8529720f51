"""Documents into memory as the settings say: once, again, or as long as a folder is followed."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stratal.context.counting import Counter
from stratal.settings import Settings
from stratal_ingest.chunker import Count
from stratal_ingest.fetching import fetch
from stratal_ingest.options import Options, Progress
from stratal_ingest.pipeline import OnProgress, ingest, ingest_found
from stratal_ingest.presence import on_disk
from stratal_ingest.report import Report, totalled
from stratal_ingest.rows import unchanged_row
from stratal_ingest.sources import Found, Source
from stratal_ingest.watch import EVERY, watch
from stratal_memory.embedding.backlog import embed_missing
from stratal_memory.tiers.documents import Documents

__all__ = ["Ingesting", "Options", "Progress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingesting:
    """What a run of ingestion works with. Passages are counted as the embedder counts.

    Where it can't tell, or there is none, `counter` counts.
    """

    into: Documents
    counter: Counter
    settings: Settings
    tell: OnProgress | None = None

    def once(self, paths: Sequence[str], options: Options) -> Report:
        """What became of each file under `paths`."""
        return ingest(
            paths,
            into=self.into,
            count=self._count(),
            on_progress=self.tell,
            options=self.allowed(options),
        )

    def following(
        self, paths: Sequence[str], options: Options, *, every: float = EVERY
    ) -> Iterator[Report]:
        """What each round of changes came to, the first at once; it ends when it is closed."""
        chosen = self.allowed(options)

        def read(found: Found) -> Report:
            return ingest_found(
                found,
                into=self.into,
                count=self._count(),
                on_progress=self.tell,
                options=chosen,
            )

        return watch(paths, read=read, every=every)

    def again(self, options: Options) -> Report:
        """Read every file of the scope anew that is still there; the others stay as they are.

        Passages that come out the same keep their id; all others are embedded anew.
        """
        began = time.perf_counter()
        store = self.into.store
        if store.embedder is not None:
            embed_missing(store.database, store.embedder, generation=store.generation)
        held = self.into.outermost()
        there = [one for one in held if os.path.isfile(on_disk(one.path))]  # noqa: PTH113 - any text is a path
        sources = tuple(Source(path=on_disk(one.path), root=one.root) for one in there)
        found = Found(sources=sources, keys=frozenset(one.path for one in there))
        report = ingest_found(
            found,
            into=self.into,
            count=self._count(),
            on_progress=self.tell,
            options=replace(self.allowed(options), again=True),
        )
        left = [unchanged_row(one, one.path) for one in held if one not in there]
        seconds = time.perf_counter() - began
        return totalled([*report.files, *left], seconds=seconds, run=report.run)

    def allowed(self, options: Options) -> Options:
        """The options, with addresses where the settings allow them."""
        if options.fetch is None and self.settings.ingest.urls:
            return replace(options, fetch=fetch)
        return options

    def _count(self) -> Count | None:
        return None if self.into.window else self.counter.count
