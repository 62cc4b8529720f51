"""Facts: what is known about the user and their world, one statement a memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_, or_

from stratal_memory.errors import InputError, NotFound
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.resolution import Resolution, Statement, found_by_text, resolve
from stratal_memory.learning.rules.extraction import extract
from stratal_memory.records import (
    Evidence,
    Form,
    Memory,
    ScopeKind,
    Status,
    Trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

LONGEST = 2_000  # characters of one fact; longer texts are documents
READ_WHOLE = 0.7  # share of a text a rule must have read to stand for it
SHOWN = tuple(status for status in Status if status is not Status.ERASED)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts one principal can read and write."""

    store: Store

    def add(
        self,
        text: str,
        *,
        scope: ScopeKind = ScopeKind.USER,
        trust: Trust = Trust.USER,
        source: str = "added by hand",
        status: Status = Status.ACTIVE,
    ) -> Resolution:
        """Remember one statement as it is; the same statement again reinforces the first.

        What a user says plainly meets what is known, as it would in a conversation: "I live in
        Porto" replaces another home. A quarantined statement is kept and not recalled.

        Raises `InputError` when it is empty, over 2,000 characters, or holds a secret.
        """
        statement = self._statement(text, scope=scope, trust=trust, source=source)
        statement = replace(_understood(statement), status=status)
        vector = self.store.embed([found_by_text(statement)])[0]
        with self.store.write() as journal:
            return resolve(journal, statement, vector=vector)

    def _statement(self, text: str, *, scope: ScopeKind, trust: Trust, source: str) -> Statement:
        clean = storable(text).strip()
        if not clean:
            raise InputError("there is nothing to remember: the text is empty")
        if len(clean) > LONGEST:
            raise InputError(
                f"the text has {len(clean):,} characters, a fact may have {LONGEST:,}",
                hint="Give it as a document: stratal ingest FILE.",
            )
        secrets = redact(clean).kinds
        if secrets:
            raise InputError(
                f"the text holds a secret ({', '.join(secrets)}), and secrets are not remembered",
                hint="Keep it in a password manager and remember where it is.",
            )
        return Statement(
            text=clean,
            scope=self.store.reach.principal.scope(scope),
            trust=trust,
            source=source,
            valid_from=self.store.clock(),
            evidence=Evidence(ref=new_id("note"), quote=clean, end=len(clean)),
        )

    def known(
        self,
        *,
        forms: Sequence[Form] = (Form.FACT,),
        statuses: Sequence[Status] = (Status.ACTIVE, Status.CONTESTED, Status.PROVISIONAL),
        limit: int | None = None,
    ) -> list[Memory]:
        """Memories within reach, newest first."""
        where = visible(self.store.reach, forms=forms, statuses=statuses)
        return self._select(where, limit=limit)

    def show(self, name: str) -> list[Memory]:
        """Every version of one memory, oldest first, by its key or the id of a version.

        Raises `NotFound` when nothing within reach has that name.
        """
        within = visible(self.store.reach, statuses=SHOWN)
        found = self._select(and_(within, or_(table.c.key == name, table.c.id == name)))
        if not found:
            raise NotFound(
                f"no memory {name!r} here", hint="`stratal memory list` shows what there is."
            )
        versions = self._select(and_(within, table.c.key == found[0].key))
        return sorted(versions, key=lambda memory: (memory.version, memory.recorded_at))

    def _select(self, where: ColumnElement[bool], *, limit: int | None = None) -> list[Memory]:
        with self.store.read() as connection:
            return memories.select_memories(connection, where, limit=limit, newest_first=True)


def _understood(statement: Statement) -> Statement:
    """The statement with what the rules read in it, when one of them reads nearly all of it."""
    found = extract(statement.text, statement.valid_from)
    whole = len(found) == 1 and len(found[0].quote) >= READ_WHOLE * len(statement.text)
    if statement.trust is not Trust.USER or not whole:
        return statement
    (one,) = found
    return replace(
        statement,
        facet=one.facet,
        value=one.value,
        single_valued=one.single_valued,
        correction=one.correction,
        retracts=one.retracts,
        instead_of=one.instead_of,
        valid_from=one.valid_from or statement.valid_from,
    )
