"""A made-up world for `bench_recall.py`: many users with facts and lines of conversations.

Its words follow Zipf's law and have random directions, and a text points where its words do: so
that words and vectors both find something, as fast as rows can be written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from sqlalchemy import insert

from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.records import Form, Kind, Scope, ScopeKind, Status, Trust
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.text import terms
from stratal_memory.truth import schema, sqlite, vectors
from stratal_memory.truth.database import Database

DIMENSION, VOCABULARY = 384, 20_000
FLATTER = 20.0  # added to a word's rank: no word is in every text
SHORTEST, LONGEST = 6, 18  # words of a text
TALK = 40  # memories of one conversation
TOGETHER = 20  # users whose rows are written in turns, so that nobody's lie side by side
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
NOW = BEGUN + timedelta(days=200)
SPEAKERS = ("Ann", "Ben")


def _word(number: int) -> str:
    """One of the made-up words: `VOCABULARY` different ones of four syllables."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    made = ""
    for _ in range(4):
        number, consonant = divmod(number * 7 + 3, len(consonants))
        made += consonants[consonant] + vowels[(number + consonant) % len(vowels)]
    return made


WORDS = [f"{_word(number)}{number}x" for number in range(VOCABULARY)]
_PLACE = {word: number for number, word in enumerate(WORDS)}
_WEIGHTS = 1 / (np.arange(VOCABULARY) + FLATTER)
_SHARE = _WEIGHTS / _WEIGHTS.sum()


class WordEmbedder:
    """A text's vector is the mean of its words' random directions; kept ones cost nothing."""

    generation = Generation(model="bench-words", revision="1", dimension=DIMENSION)

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self._of_words = rng.standard_normal((VOCABULARY, DIMENSION)).astype(np.float32)
        self._known: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row a text."""
        return np.stack(
            [self._known[one] if one in self._known else self._one(one) for one in texts]
        )

    def keep(self, texts: Sequence[str]) -> None:
        """Embed these now: what is timed later is not the embedder."""
        self._known = dict(zip(texts, self.embed(texts), strict=True))

    def _one(self, text: str) -> Vectors:
        places = [_PLACE[word] for word in text.lower().rstrip(".?").split() if word in _PLACE]
        summed = self._of_words[places or [0]].sum(axis=0)
        return np.asarray(summed / np.linalg.norm(summed), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Person:
    """One user's texts; the same for the same number."""

    number: int
    memories: int

    @property
    def name(self) -> str:
        """The id of the user."""
        return f"user-{self.number}"

    def texts(self) -> list[str]:
        """Facts and lines of conversations in turns."""
        rng = np.random.default_rng(self.number)
        lengths = rng.integers(SHORTEST, LONGEST, self.memories)
        said = rng.choice(VOCABULARY, size=int(lengths.sum()), p=_SHARE)
        ends = np.cumsum(lengths)
        bodies = [
            " ".join(WORDS[number] for number in said[end - length : end])
            for end, length in zip(ends, lengths, strict=True)
        ]
        return [_told(i, body) for i, body in enumerate(bodies)]

    def questions(self, count: int) -> list[str]:
        """Questions that share words with what is remembered."""
        rng, texts = np.random.default_rng(self.number + 1_000_000), self.texts()
        asked: list[str] = []
        for _ in range(count):
            one, other = (
                texts[place].rstrip(".").split()[1:] for place in rng.integers(0, len(texts), 2)
            )
            asked.append(f"What about {' '.join(rng.choice([*one[:4], *other[:2]], 5))}?")
        return asked


def _told(i: int, body: str) -> str:
    return f"{SPEAKERS[i // 2 % 2]}: {body}." if i % 2 else f"The user said {body}."


def fill(
    database: Database,
    people: Sequence[Person],
    embedder: WordEmbedder,
    on_progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Everything `people` remember, written in bulk through the tables of the truth."""
    store = Store.open(database, Principal(user="bench"), embedder=embedder)
    seq = 0
    for start in range(0, len(people), TOGETHER):
        some = people[start : start + TOGETHER]
        told = [
            (person, i, text)
            for i, texts in enumerate(zip(*(one.texts() for one in some), strict=True))
            for person, text in zip(some, texts, strict=True)
        ]
        for page in range(0, len(told), 20_000):
            rows = told[page : page + 20_000]
            _write(store, rows, first=seq + 1)
            seq += len(rows)
        on_progress(seq)
    store.close()


def _write(store: Store, rows: Sequence[tuple[Person, int, str]], *, first: int) -> None:
    assert store.embedder is not None
    found = np.ascontiguousarray(store.embedder.embed([text for _, _, text in rows]), dtype="<f4")
    seqs = range(first, first + len(rows))
    with store.database.write() as connection:
        connection.execute(
            insert(schema.memories),
            [_memory(*row, seq=seq) for row, seq in zip(rows, seqs, strict=True)],
        )
        connection.execute(insert(schema.evidence), [_evidence(*row) for row in rows])
        connection.execute(insert(schema.events), [_event(*row) for row in rows])
        connection.exec_driver_sql(
            "INSERT INTO full_text(rowid, owner, body) VALUES (?, ?, ?)",
            [
                (seq, sqlite.owner_token(Scope(ScopeKind.USER, person.name)), " ".join(terms(text)))
                for seq, (person, _, text) in zip(seqs, rows, strict=True)
            ],
        )
        connection.execute(
            insert(vectors.vectors),
            [
                {"memory": seq, "generation": store.generation, "vector": row.tobytes()}
                for seq, row in zip(seqs, found, strict=True)
            ],
        )


def _memory(person: Person, i: int, text: str, *, seq: int) -> dict[str, object]:
    spoken, at = bool(i % 2), BEGUN + timedelta(minutes=i)
    return {
        "seq": seq,
        "id": f"mem_{person.number}_{i}",
        "key": f"key_{person.number}_{i}",
        "version": 1,
        "text": text,
        "text_hash": f"{person.number}-{i}",
        "kind": Kind.EPISODIC if spoken else Kind.SEMANTIC,
        "form": Form.MESSAGE if spoken else Form.FACT,
        "scope_kind": ScopeKind.USER,
        "scope_id": person.name,
        "session": f"ses_{person.number}_{i // TALK}" if spoken else "",
        "trust": Trust.USER,
        "status": Status.ACTIVE,
        "confidence": 0.9,
        "support": 1,
        "source": "said by the user",
        "recorded_at": at,
        "valid_from": at,
    }


def _evidence(person: Person, i: int, text: str) -> dict[str, object]:
    return {
        "memory": f"mem_{person.number}_{i}",
        "position": 0,
        "ref": f"msg_{person.number}_{i}",
        "start": 0,
        "end": len(text),
        "quote": "" if i % 2 else text,
    }


def _event(person: Person, i: int, text: str) -> dict[str, object]:
    return {
        "id": f"evt_{person.number}_{i}",
        "at": BEGUN,
        "kind": "memory.added",
        "user": person.name,
        "reason": "bench",
        "memory": f"mem_{person.number}_{i}",
        "key": f"key_{person.number}_{i}",
    }
