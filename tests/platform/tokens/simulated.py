"""Conversations made of generated texts, and providers that count them as nobody else does."""

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from functools import cache

from stratal_memory.records import Message, Role

Texts = Callable[[random.Random, int], str]  # about so many characters

_ENGLISH = """
the of and a to in is was for on that with as by it at from her were which this had not are but be
have one all their when said out up time people into could other than then now look only come its
over think also back after use two how our work first well way even new want because any these give
day most us kitchen evening library question morning answer together walking remember yesterday
beautiful something understand mountains neighbourhood extraordinary conversation university
photograph responsibility immediately Caroline
"""
WORDS = _ENGLISH.split()
HAN = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对"
KANA = "のにはをたがでてとしれさあるいなるかもこけそうせつえまりよくだやば"


def english(rng: random.Random, size: int) -> str:
    sentences: list[str] = []
    while sum(map(len, sentences)) < size:
        words = rng.choices(WORDS, k=rng.randint(5, 18))
        sentences.append(" ".join(words).capitalize() + rng.choice(".,?.\n"))
    return " ".join(sentences)


def python(rng: random.Random, size: int) -> str:
    lines: list[str] = []
    while sum(map(len, lines)) < size:
        name, other = rng.choices(WORDS, k=2)
        lines.append(f"def {name}_{other}(self, {other}: int = {rng.randint(0, 999)}) -> str:")
        lines.append(f'    return f"{{self.{name}[{other}]}}: {rng.choice(WORDS)}"  # {name}\n')
    return "\n".join(lines)


def json_rows(rng: random.Random, size: int) -> str:
    row = {"id": rng.randint(0, 99_999), "name": rng.choice(WORDS), "score": rng.random()}
    rows = [{**row, "tag": rng.choice(WORDS), "n": rng.random()} for _ in range(size // 90 + 1)]
    return json.dumps(rows)


def csv(rng: random.Random, size: int) -> str:
    rows: list[str] = []
    while sum(map(len, rows)) < size:
        amount, month = rng.uniform(0, 900), rng.randint(10, 12)
        rows.append(f"{rng.randint(1, 9999)},{rng.choice(WORDS)},{amount:.2f},2026-{month}")
    return "id,name,amount,month\n" + "\n".join(rows)


def cjk(rng: random.Random, size: int) -> str:
    return "。".join("".join(rng.choices(HAN + KANA, k=20)) for _ in range(size // 60 + 1))


def conversation(
    rng: random.Random, *, turns: int, talk: Texts
) -> Iterator[tuple[int, list[Message]]]:
    """Every request of one conversation, with its turn: system prompt, history, recall, message.

    People talk in `talk`; one turn in four runs tools, whose results are of any kind.
    """
    shared = random.Random("the same agent")
    system = [_message(english(shared, 4_000)), _message(json_rows(shared, 2_500))]
    history: list[Message] = []
    for turn in range(turns):
        recall = _message(talk(rng, rng.randint(100, 1_500)))
        current = [_message(talk(rng, rng.randint(40, 800)))]
        yield turn, [*system, *history, recall, *current]
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            kind = rng.choice((english, python, json_rows, csv, cjk))
            current += [_message(json_rows(rng, 60)), _message(kind(rng, rng.randint(200, 2_500)))]
            yield turn, [*system, *history, recall, *current]
        history += [*current, _message(talk(rng, rng.randint(200, 2_000)))]


def _message(text: str) -> Message:
    return Message(role=Role.USER, text=text)


_PIECES = re.compile(r"([\u3000-\u9fff])|([^\W\d_]+)|(\d+)|(\s+)|([^\w\s]|_)")

_PIECES_OF_BYTES = re.compile(r"\w+|[^\w\s]")


@cache
def like_a_vocabulary(text: str) -> int:
    """Words in pieces of six letters, everything times 1.3, CJK 1.6 a character."""
    tokens = 0.0
    for han, word, digits, blank, mark in _PIECES.findall(text):
        tokens += 1.6 * bool(han) + 1.3 * (bool(mark) + ("\n" in blank))
        tokens += 1.3 * (math.ceil(len(word) / 6) + math.ceil(len(digits) / 3))
    return round(tokens)


@cache
def like_bytes(text: str) -> int:
    """Words, numbers and marks in pieces of three bytes, and no blanks."""
    return sum(math.ceil(len(piece.encode()) / 3) for piece in _PIECES_OF_BYTES.findall(text))


@cache
def raw_bytes(text: str) -> int:
    """A token for 3.3 bytes, whatever they are: as no trained vocabulary counts."""
    return math.ceil(len(text.encode()) / 3.3)


@cache
def like_short_pieces(text: str) -> int:
    """Words in pieces of four letters, digits and CJK one by one."""
    tokens = 0
    for han, word, digits, blank, mark in _PIECES.findall(text):
        tokens += bool(han) + math.ceil(len(word) / 4) + len(digits) + ("\n" in blank) + bool(mark)
    return tokens


# Tokens of a text, tokens a message, tokens a request.
PROVIDERS: dict[str, tuple[Callable[[str], int], int, int]] = {
    "vocabulary": (like_a_vocabulary, 4, 3),
    "bytes": (like_bytes, 3, 0),
    "short pieces": (like_short_pieces, 7, 350),
    "raw bytes": (raw_bytes, 3, 0),
}


def billed(provider: str, messages: list[Message]) -> int:
    """The input tokens `provider` reports for a request."""
    count, a_message, a_request = PROVIDERS[provider]
    return a_request + sum(count(message.text) + a_message for message in messages)
