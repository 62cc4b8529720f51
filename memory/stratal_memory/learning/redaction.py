"""Secrets of known shape in a text, found by our own patterns, and the text without them.

detect-secrets is not used: on 200,000 characters four of its detectors (JWT, npm, OpenAI,
Cloudant) need more than 8 seconds, it loads requests, and it says what it found but not where.
Signs that are not seen (zero-width, bidi and tag characters) hide no secret, and full-width or
other look-alike forms of letters (NFKC) are read as the letters. What identifies a
person but opens no door, as an e-mail address, is the business of `identifiers`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stratal_memory.learning.folding import Folded
from stratal_memory.learning.secret_shapes import SHAPES
from stratal_memory.learning.visible import Visible

_KINDS = sorted({shape.kind for shape in SHAPES})
_REPLACED = re.compile(rf"\[secret: (?:{'|'.join(map(re.escape, _KINDS))})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Where a secret stands, in characters, and what it is: "GitHub token", "password"."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text without its secrets, and the kinds found, in order of their place."""

    text: str
    kinds: tuple[str, ...] = ()


def find_secrets(text: str) -> list[Secret]:
    """The secrets in `text` in order, each stretch once: where two overlap, the rest of the later.

    >>> [(s.start, s.kind) for s in find_secrets("my password is hunter2, right?")]
    [(15, 'password')]
    """
    plain = Visible.of(text)
    folded = Folded.of(plain.text, "NFKC", marks=False)
    shown: list[Secret] = []
    for one in _candidates(folded.text):
        start, end = folded.source(one.start, one.end)
        shown.append(Secret(start=plain.place(start), end=plain.end(end), kind=one.kind))
    found = sorted(shown, key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:
            # Two overlap: the rest of the later one is a secret too.
            kept.append(Secret(start=kept[-1].end, end=secret.end, kind=secret.kind))
    return kept


def _candidates(text: str) -> Iterator[Secret]:
    for shape in SHAPES:
        for match in shape.pattern.finditer(text):
            group = "secret" if "secret" in shape.pattern.groupindex else 0
            if match[group] and shape.check(match[group]):
                yield Secret(start=match.start(group), end=match.end(group), kind=shape.kind)


def redact(text: str) -> Redacted:
    """`text` with each secret replaced by `[secret: KIND]`; a second pass finds nothing more.

    >>> redact("The key is ghp_" + "a1B2" * 9).text
    'The key is [secret: GitHub token]'
    """
    parts: list[str] = []
    position = 0
    secrets = find_secrets(text)
    for secret in secrets:
        parts += (text[position : secret.start], f"[secret: {secret.kind}]")
        position = secret.end
    return Redacted(
        text="".join((*parts, text[position:])), kinds=tuple(secret.kind for secret in secrets)
    )


def was_redacted(text: str) -> bool:
    """Whether something in `text` may stand for a secret that `redact` took out.

    >>> was_redacted(redact("my password is hunter2").text), was_redacted("[secret: sauce]")
    (True, False)
    """
    return _REPLACED.search(text) is not None
