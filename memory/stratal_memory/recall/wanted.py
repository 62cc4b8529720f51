"""The attribute of themselves that a person asks for, and what of memory tells of it.

"Where's home these days?" shares no word and little meaning with "new city unlocked, I'm in Porto":
both are read as of one attribute, and what tells of it is relevant without more.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, select

from stratal_memory.attributes.catalogue import ATTRIBUTES, Attribute
from stratal_memory.attributes.reader import Reader, reader_for
from stratal_memory.embedding.embedder import Embedder, Vectors
from stratal_memory.learning.rules.kin import RELATION
from stratal_memory.records import Form, Memory
from stratal_memory.truth.facets import about
from stratal_memory.truth.schema import memories as table

MOST = 3  # attributes that one question may ask for: "my partner" and "my family" are near
ASKED, PERHAPS = 0.3, 0.12  # how sure the reader must be of the first, and of the others
SURELY = 0.35  # from here on nothing else is asked for
TELLS = 0.4  # how sure a line of a conversation must tell of one
# Where none is that sure, the best of them may: that the attribute is asked for speaks for it.
BEST, BEST_TELLS, NEARLY = 3, 0.04, 0.33  # NEARLY: of the first of them
FACTS = 20  # of these attributes that are looked at
_SELF = re.compile(
    r"\b(?:i|i['’]\w+|im|ive|me|my|mine|myself|we|we['’]\w+|us|our|ours|home)\b", re.IGNORECASE
)
_ONCE = re.compile(
    r"\b(?:did|was|were|had|went|took|last|ago|in (?:january|february|march|april|may|june|july"
    r"|august|september|october|november|december|\d{4}))\b",
    re.IGNORECASE,
)
WORDS = 14  # of a question for one attribute; a longer one wants more than its value
# What wants an overview, a count, a comparison or help, and not the value of an attribute.
_MORE = re.compile(
    r"\b(?:summar\w*|overview|recap|how (?:many|long|far|often)|ever|compare\w*|difference"
    r"|suggest\w*|recommend\w*|help me|can you|could you|organi[sz]e|different|progress\w*"
    r"|develop\w*|in order|how (?:do|can|could|should) i (?!get to|travel|commute|reach))\b",
    re.IGNORECASE,
)
# Another person is asked about: "where does my sister live", "my boss's birthday".
_MINE = rf"(?:my|our) {RELATION}"
_ANOTHER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:do|does|did|is|are|was|were|has|have|had|will|can|could|should|would) {_MINE}",
        rf"\b{_MINE}['’]s\b",
        rf"\b(?:of|for|about|with|to) {_MINE}",
        rf"\b{_MINE} (?:\w+s|do|did|was|were|have|had|like)\b",
        r"\b(?:anyone|anybody|someone|somebody|everyone|my team|our team)\b",
    )
)
_PEOPLE = ("family", "people", "pet")  # facets of attributes that are other people


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The attributes that are asked for, the likeliest first, and who reads them in lines."""

    attributes: tuple[Attribute, ...]
    sure: float  # of the first, 0..1
    reader: Reader
    once: bool = False  # what was once may be asked for: nothing is hidden for being over

    @property
    def surely(self) -> bool:
        """Whether it is the first that is asked for, as it is now, and nothing else."""
        return self.sure >= SURELY and not self.once

    @property
    def own_words(self) -> frozenset[str]:
        """The terms that the first is told with: they say nothing of which one is meant."""
        return self.reader.terms_of(self.attributes[0])

    @property
    def near(self) -> Vectors:
        """The vector near which lines lie that tell of the first."""
        return self.reader.middle(self.attributes[0])

    def told_in(self, rows: Vectors) -> list[float]:
        """How sure each of `rows`, the vectors of lines, tells of one of them, 0..1."""
        shares = self.reader.told(rows)
        meant = self.attributes[:1] if self.surely else self.attributes
        places = [ATTRIBUTES.index(one) for one in meant]
        return [float(one) for one in shares[:, places].max(axis=1)]

    def telling(self, sure: Mapping[int, float]) -> dict[int, float]:
        """Those lines, by row number, that tell of one; the best where none surely does."""
        surely = {seq: one for seq, one in sure.items() if one >= TELLS}
        if surely:
            return surely
        best = sorted(sure, key=lambda seq: (-sure[seq], -seq))[:BEST]
        least = max([BEST_TELLS, *(NEARLY * sure[seq] for seq in best[:1])])
        return {seq: sure[seq] for seq in best if sure[seq] >= least}

    def facts(
        self, connection: Connection, where: ColumnElement[bool], *, limit: int = FACTS
    ) -> list[int]:
        """The row numbers of the newest facts that are kept under them."""
        facets = {facet for one in self.attributes for facet in one.all_facets}
        found = select(table.c.seq).where(where, about(facets), table.c.form == Form.FACT)
        newest = found.order_by(table.c.seq.desc()).limit(limit)
        return list(connection.execute(newest).scalars())

    def told_by(self, memory: Memory) -> bool:
        """Whether a fact is kept under one of them."""
        return memory.form is Form.FACT and any(one.covers(memory.facet) for one in self.attributes)


def wanted(embedder: Embedder | None, text: str, vector: Vectors | None) -> Wanted | None:
    """What `text` asks of the one who says it; None where it asks for no known attribute."""
    if embedder is None or vector is None or not _SELF.search(text):
        return None
    if len(text.split()) > WORDS or _MORE.search(text):
        return None
    reader = reader_for(embedder.generation)
    if reader is None:
        return None
    readings = reader.asked(vector, most=MOST)
    if readings[0].sure < ASKED:
        return None
    attributes = [one.attribute for one in readings if one.sure >= PERHAPS]
    if any(pattern.search(text) for pattern in _ANOTHER):
        attributes = [one for one in attributes if one.facet.partition(".")[0] in _PEOPLE]
    if not attributes:
        return None
    return Wanted(
        attributes=tuple(attributes),
        sure=readings[0].sure,
        reader=reader,
        once=bool(_ONCE.search(text)),
    )
