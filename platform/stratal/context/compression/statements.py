"""What was said, one sentence at a time, each with its speaker; and what a tool came to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stratal_memory.records import Message, Role

EXAMINED = 20_000  # characters at each end of a message; nobody tells in the middle of a paste
LONGEST = 400  # characters of one statement, as in the rules of learning (MAX_CLAUSE)
ARGUMENTS = 120  # characters of a call's arguments
OUTCOME = 120  # characters of a tool's result

_UNSOUND = re.compile("[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff\u200b\u202a-\u202e\u2060-\u2069]")
_BREAK = re.compile(r"(?<=[.!?…])[\"'”’)]?\s+|(?<=[。！？])|[\r\n]+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|jr|sr|vs|prof|approx|no|e\.g|i\.e)|\b[A-Z]|\A\d{1,3})\.\Z", re.I
)
_BULLET = re.compile(r"(?:[-*+•>#]{1,6}|\d{1,3}[.)])\s+")
_PIECE = re.compile(rf".{{1,{LONGEST}}}(?=\s|\Z)|.{{1,{LONGEST}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence on one line."""

    speaker: str  # "user", "assistant", "tool NAME"
    text: str
    turn: int  # from 0, oldest first
    message: int  # of all messages, from 0, oldest first


def sentences(text: str) -> list[str]:
    r"""The sentences of `text`, each on one line, at most 400 characters, never empty.

    Lines end a sentence, and so do the full stops of Chinese and Japanese. Of a long text only
    both ends are read. NULs, control signs and lone surrogates become U+FFFD.

    >>> sentences("I met Dr. Lee. She said yes!\n- call back")
    ['I met Dr. Lee.', 'She said yes!', 'call back']
    """
    found: list[str] = []
    for piece in _BREAK.split(_UNSOUND.sub("\N{REPLACEMENT CHARACTER}", ends(text))):
        line = " ".join(piece.split())
        if found and _ABBREVIATION.search(found[-1][-8:]) and len(found[-1]) < LONGEST:
            line = f"{found.pop()} {line}"
        bullet = _BULLET.match(line)
        line = line[bullet.end() :] if bullet else line
        found.extend(part.strip() for part in _PIECE.findall(line) if part.strip())
    return found


def ends(text: str, *, most: int = EXAMINED) -> str:
    """Both ends of `text`, `most` characters each, on lines of their own; short texts whole."""
    return text if len(text) <= 2 * most else f"{text[:most]}\n{text[-most:]}"


def statements(turns: Sequence[Sequence[Message]]) -> Iterator[Statement]:
    """Everything said, oldest first, and one statement for each tool call with its outcome."""
    number = 0
    for turn, messages in enumerate(turns):
        results = outcomes(messages)
        for message in messages:
            for speaker, text in _said(message, results):
                yield Statement(speaker=speaker, text=text, turn=turn, message=number)
            number += 1


def outcomes(turn: Sequence[Message]) -> dict[str, Message]:
    """The tool results of a turn by the id of their call; of two for one call the later."""
    return {one.tool_call_id: one for one in turn if one.role == Role.TOOL}


def _said(message: Message, results: dict[str, Message]) -> Iterator[tuple[str, str]]:
    if message.role in (Role.USER, Role.ASSISTANT):
        for sentence in sentences(message.text):
            yield message.role.value, sentence
    yield from calls_of(message, results)


def calls_of(message: Message, results: Mapping[str, Message]) -> Iterator[tuple[str, str]]:
    """Speaker and one line for each call of `message`; `results` are by call id."""
    for call in message.tool_calls:
        name = one_line(call.name, most=60) or "unnamed"
        arguments = one_line(call.arguments, most=ARGUMENTS)
        yield f"tool {name}", f"{arguments} {_outcome(results.get(call.id))}".strip()


def _outcome(result: Message | None) -> str:
    if result is None:
        return "gave no result"
    word = "failed" if result.tool_failed else "gave"
    return f"{word}: {one_line(result.text, most=OUTCOME) or 'nothing'}"


def one_line(text: str, *, most: int) -> str:
    """The first `most` characters of `text` on one line, with an ellipsis where more follows."""
    head = " ".join(_UNSOUND.sub("\N{REPLACEMENT CHARACTER}", text[: 2 * most]).split())
    cut = len(head) > most or len(text) > 2 * most
    return f"{head[:most].rstrip()}…" if cut else head
