"""The provider without a model: it quotes what was recalled, and says so."""

import re
from collections.abc import Iterator

from stratal.context.request import Recalled, Request
from stratal.providers.pieces import in_pieces
from stratal.providers.provider import Completion, StreamItem
from stratal.providers.quoting import best_passage, is_question, shared_words
from stratal_memory.records import Role

MOST_QUOTED = 3  # items
FEWEST_SHARED = 2  # words of a question that an earlier message must hold to be quoted

QUOTES = "No model is connected, so I can only quote what I remember:"
NOTHING = "I have nothing on that. No model is connected, so I can't answer from anything else."
STATEMENT = (
    "Kept in this conversation. No model is connected, so I can't reply; "
    "ask me something and I quote what I remember."
)


class OfflineProvider:
    """A `Provider` that needs no key and no network and gives the same answer every time."""

    @property
    def name(self) -> str:
        """`offline`."""
        return "offline"

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """Quotes from `request.recalled` for a question, in pieces; it uses no tokens."""
        asked = next((m.text for m in reversed(request.messages) if m.role == Role.USER), "")
        yield from in_pieces(
            Completion(
                text=_answer(asked, (*request.recalled, *_said_here(request, asked))),
                model="offline",
                quotes_only=True,
            )
        )

    def close(self) -> None:
        """Does nothing: there is no connection."""


def _said_here(request: Request, asked: str) -> tuple[Recalled, ...]:
    """What the user said earlier in this conversation that shares words with the question."""
    said = [m for m in request.messages[:-1] if m.role == Role.USER and m.text != asked]
    return tuple(
        Recalled(
            memory=message.id,
            form="message",
            text=message.text,
            source="said earlier in this conversation",
            date=message.created.date().isoformat() if message.created else "",
            similarity=0.0,
        )
        for message in reversed(said)
        if shared_words(asked, message.text) >= FEWEST_SHARED
    )


def _answer(asked: str, recalled: tuple[Recalled, ...]) -> str:
    if not is_question(asked):
        return STATEMENT
    quoted = _most_relevant(asked, recalled)
    if not quoted:
        return NOTHING
    return "\n".join((QUOTES, "", *(_quote(item, asked) for item in quoted)))


def _most_relevant(asked: str, recalled: tuple[Recalled, ...]) -> list[Recalled]:
    """At most three items, in the order of recall, whose best item always stands first.

    The others share at least half as many words with the question as the one that shares most.
    """
    told = _told_apart(asked, recalled)
    shared = {item.memory: shared_words(asked, item.text) for item in told}
    most = max(shared.values(), default=0)
    others = [item for item in told[1:] if most and shared[item.memory] * 2 >= most]
    return [*told[:1], *others][:MOST_QUOTED]


def _told_apart(asked: str, recalled: tuple[Recalled, ...]) -> list[Recalled]:
    """`recalled` without repetitions, earlier questions, and what this provider said itself."""
    seen = {_plain(asked)}
    kept: list[Recalled] = []
    for item in recalled:
        if _plain(item.text) not in seen and not _empty(item):
            seen.add(_plain(item.text))
            kept.append(item)
    return kept


def _empty(item: Recalled) -> bool:
    """Whether quoting it would answer nothing: a bare question, or an offline answer."""
    said = item.text.strip()
    if item.form != "message":
        return not said
    asks = said.endswith(("?", "？", "؟")) and not re.search(r"[.!。！]\s", said)
    return asks or said.startswith((QUOTES, NOTHING, STATEMENT))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _quote(item: Recalled, asked: str) -> str:
    place = ", ".join(part for part in (item.source, item.date) if part)
    said = f'- "{best_passage(item.text, asked)}"'
    return f"{said} ({place})" if place else said
