"""How well passages of several sizes answer the questions of a chunking set (RETRIEVAL, Os16).

    python scripts/measure_chunking.py ../shared/data/chunking [TARGET:MAX:OVERLAP ...]

The real way in and out: reader, chunker, store, ranker. A gold span counts as found when the
passages that fit a budget of tokens hold all of it; precision is the share of their characters
that is gold. `fixed` cuts every 512 tokens with 64 repeated, whatever stands there (Os16).
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stratal_ingest.chunker import Sizes, chunk
from stratal_ingest.document import ReadDocument
from stratal_ingest.readers.registry import read
from stratal_memory.embedding.discovery import packaged_model
from stratal_memory.embedding.onnx import OnnxEmbedder
from stratal_memory.incoming import NewDocument
from stratal_memory.recall.recall import ranking
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Passage
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.truth.database import Database

BUDGETS = (500, 1_000, 2_000)  # tokens of retrieved text
DEFAULT = ("200:240:30", "150:240:20", "100:160:15", "220:240:0", "200:240:60", "fixed")
_WORD = re.compile(r"\S+")
MARKS = frozenset("*_#|>-`'’‘“”\"")

Chunker = Callable[[ReadDocument], list[Passage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the places of its answer, in characters of the document's text."""

    question: str
    spans: tuple[tuple[int, int], ...]


def main() -> None:
    """Print a line for each size."""
    folder = Path(sys.argv[1])
    model = packaged_model()
    if model is None:
        sys.exit("the embedding model is missing: make install")
    embedder = OnnxEmbedder(model)
    print(
        f"{'sizes':>12} {'chunks':>7} "
        + " ".join(f"{'R@' + str(t):>7} {'P@' + str(t):>7}" for t in BUDGETS)
    )
    for name in sys.argv[2:] or DEFAULT:
        sums = [0.0] * (2 * len(BUDGETS))
        asked = chunks = 0
        for corpus in sorted(folder.glob("*.md")):
            document = read(corpus.read_bytes(), corpus.name)
            passages = _chunker(name, embedder.count)(document)
            questions = list(_questions(folder, corpus.stem, document.text))
            chunks += len(passages)
            asked += len(questions)
            for one in _measured(document, passages, questions, embedder):
                sums = [a + b for a, b in zip(sums, one, strict=True)]
        print(
            f"{name:>12} {chunks:7} " + " ".join(f"{one / asked:7.3f}" for one in sums), flush=True
        )


def _chunker(name: str, count: Callable[[str], int]) -> Chunker:
    if name == "fixed":
        return lambda document: _fixed(document, count, size=512, overlap=64)
    target, most, overlap = map(int, name.split(":"))
    sizes = Sizes(target=target, max=most, overlap=overlap)
    return lambda document: chunk(document, count=count, sizes=sizes)


def _fixed(
    document: ReadDocument, count: Callable[[str], int], *, size: int, overlap: int
) -> list[Passage]:
    """Passages of `size` tokens, cut between two words."""
    text = document.text
    words = [(match.start(), match.end(), count(match[0])) for match in _WORD.finditer(text)]
    passages: list[Passage] = []
    first = 0
    while first < len(words):
        last, total = first, 0
        while last < len(words) and total + words[last][2] <= size:
            total += words[last][2]
            last += 1
        last = max(last, first + 1)
        start, end = words[first][0], words[last - 1][1]
        passages.append(Passage(text=text[start:end], ordinal=len(passages), start=start, end=end))
        back, first = 0, last
        while last < len(words) and back + words[first - 1][2] <= overlap:
            first -= 1
            back += words[first][2]
    return passages


def _questions(folder: Path, corpus: str, text: str) -> Iterator[Asked]:
    folded, places = _folded(text)
    for line in (folder / "dev_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["corpus"] != corpus:
            continue
        spans = []
        for gold in row["texts"]:
            words, _ = _folded(gold)
            at = folded.find(words)
            if at >= 0:
                spans.append((places[at], places[at + len(words) - 1] + 1))
        if len(spans) < len(row["texts"]):
            print(f"{row['qid']}: a span is not in the text that was read", file=sys.stderr)
        yield Asked(question=row["question"], spans=tuple(spans))


def _folded(text: str) -> tuple[str, list[int]]:
    """`text` without blanks, marks of Markdown and quotes, and where each character stood."""
    kept = [
        (char, at)
        for at, char in enumerate(text)
        if not (char.isspace() or char in "*_#|>-`'’‘“”\"")
    ]
    return "".join(char for char, _ in kept), [at for _, at in kept]


def _measured(
    document: ReadDocument,
    passages: Sequence[Passage],
    questions: Sequence[Asked],
    embedder: OnnxEmbedder,
) -> Iterator[list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database.open(Path(folder), purpose="measuring chunks")
        store = Store.open(database, Principal(user="me"), embedder=embedder)
        new = NewDocument(
            path="/d",
            title="",
            format=document.format,
            content_hash="0" * 64,
            characters=len(document.text),
        )
        Documents(store).put(new, passages)
        for one in questions:
            found = ranking(store, one.question, settings=RecallSettings(), forms=(Form.CHUNK,))
            yield _score(document.text, [item.memory for item in found], one, embedder.count)
        store.close()
        database.close()


def _score(
    text: str, found: Sequence[Memory], asked: Asked, count: Callable[[str], int]
) -> list[float]:
    gold = {at for start, end in asked.spans for at in range(start, end) if not text[at].isspace()}
    result: list[float] = []
    for budget in BUDGETS:
        held: set[int] = set()
        spent = 0
        for memory in found:
            spent += count(memory.text)
            if spent > budget and held:
                break
            held |= {
                at
                for at in range(memory.evidence[0].start, memory.evidence[0].end)
                if not text[at].isspace()
            }
        whole = [
            all(at in held for at in range(start, end) if not text[at].isspace())
            for start, end in asked.spans
        ]
        result.append(sum(whole) / len(whole) if whole else 0.0)
        result.append(len(gold & held) / len(held) if held else 0.0)
    return result


if __name__ == "__main__":
    main()
