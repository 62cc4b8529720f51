"""Our own lines taken in again: ids are kept, what is here stays, nobody else's is touched."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from stratal_memory.errors import ScopeError
from stratal_memory.portability import placing
from stratal_memory.portability.cleaning import Cleaner
from stratal_memory.portability.export import IMPORTED, with_parts
from stratal_memory.portability.known import KEYS, Known, Line
from stratal_memory.portability.placing import Ready
from stratal_memory.portability.reading import Object, Piece, object_of, text_of
from stratal_memory.portability.report import Imported, Refused
from stratal_memory.portability.rows import BY_KIND, FORMAT, VERSION, Spec, read
from stratal_memory.portability.squaring import square
from stratal_memory.store import Store
from stratal_memory.truth import usefulness
from stratal_memory.truth.journal import Journal

BATCH = 500  # lines a transaction
OWNERS = ("user", "added_by")  # fields that name the user a line is of


def restore(
    store: Store,
    pieces: Iterable[Piece],
    *,
    of: str | None = None,
    dry_run: bool = False,
    on_row: Callable[[int], None] | None = None,
) -> Imported:
    """What became of every line of an export.

    A row that is here already, the same, is left alone; one that differs from what is here is
    refused. A row of a scope the store does not stand in is refused: an import never reaches
    another user. With `of` the export of that user becomes the store's own. Vectors are made
    afterwards, from the texts.
    """
    report = Imported(format="stratal")
    importer = _Importer(store, report, of=of or store.user, dry_run=dry_run)
    rest = iter(pieces)
    done = 0
    while batch := list(islice(rest, BATCH)):
        with store.write() as journal:
            for run in _runs(importer.read(batch)):
                importer.take(journal, run)
            importer.note(journal)
        done += len(batch)
        if on_row:
            on_row(done)
    importer.end()
    return report


def _runs(found: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines of one kind one after the other, none of them twice: they are taken together."""
    run: list[Line] = []
    named: set[object] = set()
    for line in found:
        if run and (run[0].spec is not line.spec or line.identity in named):
            yield run
            run, named = [], set()
        run.append(line)
        named.add(line.identity)
    if run:
        yield run


class _Importer:
    """Takes line after line; remembers what a dry run would have added."""

    def __init__(self, store: Store, report: Imported, *, of: str, dry_run: bool) -> None:
        self._store = store
        self._report = report
        self._of = of
        self._dry_run = dry_run
        self._cleaner = Cleaner(store)
        self._added: set[tuple[str, str]] = set()  # (table, id)
        self._headed = False
        self._ended = False
        self._noted = 0

    def read(self, pieces: Iterable[Piece]) -> Iterator[Line]:
        """The lines that are rows; what is wrong with another goes into the report."""
        for where, value in pieces:
            fields = object_of(value)
            try:
                if isinstance(value, Refused):
                    raise value
                spec = self._spec(fields)
                if spec is not None:
                    yield self._line(where, spec, fields)
            except (Refused, ScopeError) as error:
                self._report.refuse(where, fields.get("id"), str(error))

    def _spec(self, fields: Object) -> Spec | None:
        """What kind of row it is; None for the header and the end."""
        record = text_of(fields.get("record"))
        if record == "header":
            self._head(fields)
            return None
        if not self._headed:
            raise Refused("it stands before the header of the export")
        if record == "end":
            self._ended = True
            return None
        if record not in BY_KIND:
            raise Refused(f"nobody knows the record {record[:40]!r}")
        return BY_KIND[record]

    def _head(self, fields: Object) -> None:
        version = fields.get("version")
        if fields.get("format") != FORMAT or not isinstance(version, int) or version > VERSION:
            raise Refused(f"it is no export of version {VERSION} or before")
        if fields.get("user") != self._of:
            name = text_of(fields.get("user"))[:80]
            raise Refused(
                f"it is the memory of {name!r}, not of {self._of!r}; --of {name!r} makes it yours"
            )
        self._headed = True

    def _line(self, where: str, spec: Spec, fields: Object) -> Line:
        mine = self._renamed(fields) if self._of != self._store.user else fields
        mine = self._cleaner.clean(spec.kind, _of_today(mine))
        beside = frozenset({*spec.places.values(), "evidence", "chunks"})
        values = read(spec, mine, beside=beside if spec.kind != "session" else frozenset())
        return Line(where=where, spec=spec, fields=mine, values=values)

    def _renamed(self, fields: Object) -> Object:
        """The line as if the store's user had written it: what was the other's own is theirs."""
        changed = {name: self._store.user for name in OWNERS if fields.get(name) == self._of}
        if (fields.get("scope_kind"), fields.get("scope_id")) == ("user", self._of):
            changed["scope_id"] = self._store.user
        return {**fields, **changed}

    def take(self, journal: Journal, run: Sequence[Line]) -> None:
        """Lines of one kind: new ones are written together, the others compared."""
        connection = journal.connection
        known = Known(self._store, connection, run, added=self._added)
        fresh: list[Ready] = []
        here: list[Line] = []
        for line in run:
            try:
                known.check(line)
                if line.identity in known.existing:
                    here.append(line)
                else:
                    fresh.append(placing.ready(connection, line, known))
                    known.add(line)
            except (Refused, ScopeError) as error:
                self._refuse(line, error)
        self._compare(connection, known, here)
        written = self._write(connection, fresh)
        if run[0].spec.kind == "memory" and not self._dry_run:
            square(self._store, journal, written)
        elif run[0].spec.kind == "recall" and not self._dry_run:
            self._count(connection, written)

    def _count(self, connection: Connection, written: Sequence[Ready]) -> None:
        """What the new lines of the log tell of the memories they name."""
        named = [str(one.values["memory"]) for one in written]
        keys = usefulness.keys_of(connection, named)
        usefulness.recount(connection, user=self._store.user, keys=keys)

    def _refuse(self, line: Line, error: Exception) -> None:
        self._report.refuse(line.where, line.fields.get("id"), str(error))

    def _compare(self, connection: Connection, known: Known, here: Sequence[Line]) -> None:
        """What is here under the same id stays; a line that says otherwise is refused."""
        if not here:
            return
        spec = here[0].spec
        rows = [known.existing[line.identity] for line in here]
        for line, row in zip(here, with_parts(connection, spec, rows), strict=True):
            theirs = {name: value for name, value in line.fields.items() if name != "record"}
            if json.dumps(row, sort_keys=True) == json.dumps({**row, **theirs}, sort_keys=True):
                self._report.unchanged[spec.kind] += 1
            else:
                why = Refused("it differs from what is here under the same id, which stays")
                self._refuse(line, why)

    def _write(self, connection: Connection, fresh: Sequence[Ready]) -> list[Ready]:
        """The written ones: all at once, or where one can't be, one after the other."""
        if fresh and (self._dry_run or _inserted(connection, fresh)):
            self._report.added[fresh[0].line.spec.kind] += len(fresh)
            name = fresh[0].line.spec.table.name
            self._added.update((name, str(one.values.get("id"))) for one in fresh)
            self._added.update((KEYS, str(one.values.get("key"))) for one in fresh)
            return list(fresh)
        if len(fresh) == 1:
            self._refuse(fresh[0].line, Refused("it can't stand beside what is here"))
            return []
        return [written for one in fresh for written in self._write(connection, [one])]

    def note(self, journal: Journal) -> None:
        """One event for all that was added."""
        added = self._report.added.total() - self._noted
        if added and not self._dry_run:
            journal.note(IMPORTED, reason=f"{added} rows of an export")
            self._noted += added

    def end(self) -> None:
        """Say so when the file ended before its end."""
        if self._headed and not self._ended:
            self._report.refuse("the end", "", "the file ends early: rows may be missing")


def _of_today(fields: Object) -> Object:
    """A line as it is written today: a passage stood in one document alone before."""
    if "chunk" not in fields:
        return fields
    rest = {name: value for name, value in fields.items() if name != "chunk"}
    return {**rest, "chunks": [fields["chunk"]]}


def _inserted(connection: Connection, rows: Sequence[Ready]) -> bool:
    """Whether the rows could be written; none of them is when one can't."""
    try:
        with connection.begin_nested():
            placing.insert_all(connection, rows)
    except IntegrityError:
        return False
    return True
