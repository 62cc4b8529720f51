"""Facts: what is known about the user and their world, one statement a memory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_

from stratal_memory.errors import InputError
from stratal_memory.facets import one_at_a_time
from stratal_memory.learning.privacy import Policy, hidden, without
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.remembering import remember
from stratal_memory.learning.resolution import Resolution, Statement
from stratal_memory.learning.understanding import understood
from stratal_memory.learning.visible import seen
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
from stratal_memory.tiers.naming import SHOWN, named
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

LONGEST = 2_000  # characters of one fact; longer texts are documents
_LABEL = re.compile(r"\[[^\[\]\n]{2,40}\]")
_SAYS = re.compile(r"\w")
_FACET = re.compile(r"[a-z][a-z0-9_]*(\.[^\s.]+)*", re.IGNORECASE)


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
        facet: str = "",
    ) -> Resolution:
        """Remember one statement as it is; the same statement again reinforces the first.

        What is said plainly meets what is known, as it would in a conversation: "I live in Porto"
        replaces another home, and "The user lives in Porto" of a less trusted source contests it.
        A quarantined statement is kept and not recalled. With `facet` it is about that, as
        `decision` or `stack` of a project.

        The privacy policy rules it as it does a message. Raises `InputError` when it is empty,
        over 2,000 characters, holds a secret or what the policy blocks.
        """
        said = self._statement(text, scope=scope, trust=trust, source=source)
        read = understood(said, self.store.gate)
        if facet and read.facet != checked_facet(facet):
            read = replace(said, facet=facet, single_valued=one_at_a_time(facet))
        return remember(self.store, [replace(read, status=status)])[0]

    def add_all(
        self,
        texts: Sequence[str],
        *,
        scope: ScopeKind = ScopeKind.USER,
        trust: Trust = Trust.USER,
        source: str = "added by hand",
    ) -> list[Resolution]:
        """As `add` for each of `texts`, in order, at hardly more than the cost of embedding them.

        Raises as `add`, before anything is written.
        """
        said = [self._statement(one, scope=scope, trust=trust, source=source) for one in texts]
        return remember(self.store, [understood(one, self.store.gate) for one in said])

    def _statement(self, text: str, *, scope: ScopeKind, trust: Trust, source: str) -> Statement:
        clean = checked_text(self.store, text)
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
        with self.store.read() as connection:
            [key] = {one.key for one in named(connection, self.store.reach, name)}
        within = visible(self.store.reach, statuses=SHOWN)
        versions = self._select(and_(within, table.c.key == key))
        return sorted(versions, key=lambda memory: (memory.version, memory.recorded_at))

    def _select(self, where: ColumnElement[bool], *, limit: int | None = None) -> list[Memory]:
        with self.store.read() as connection:
            return memories.select_memories(connection, where, limit=limit, newest_first=True)


def checked_text(store: Store, text: str) -> str:
    """`text` as a fact may be: without what the store's privacy policy hides.

    Raises `InputError` when it is empty, over 2,000 characters, holds a secret or what the policy
    blocks, and when nothing but an identifier is in it.
    """
    clean = seen(storable(text)).strip()
    if not clean:
        raise InputError(
            "there is nothing to remember: the text is empty",
            hint="Give a sentence, such as “I live in Porto.”",
        )
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
    return _private(store, clean)


def _private(store: Store, text: str) -> str:
    """`text` without identifiers; `InputError` when the policy or its emptiness forbids it."""
    found = hidden(text, store.gate.privacy)
    kinds = ", ".join(dict.fromkeys(one.label[1:-1] for one in found))
    if any(one.policy is Policy.BLOCK for one in found):
        raise InputError(
            f"the text holds {kinds}, which the privacy policy blocks",
            hint="The settings `privacy` say what is kept, redacted or blocked.",
        )
    left = without(text, found)
    if found and not _SAYS.search(_LABEL.sub("", left)):
        raise InputError(f"without its {kinds} nothing is left of the text")
    return left


def checked_facet(facet: str) -> str:
    """`facet` as it may be: words joined by dots; `InputError` otherwise."""
    if facet and not _FACET.fullmatch(facet):
        raise InputError(
            f"{facet[:40]!r} is no facet",
            hint="Write words joined by dots, such as decision or preference.tea.",
        )
    return facet
