"""Prints how every file of a data folder is read: snippets found, refusals, seconds, memory.

Run: python scripts/check_documents.py FOLDER [FORMAT ...]. The folder holds `manifest.json` (what
each file's text must contain, white space folded) and `hostile_manifest.json` (how each file has
to end). Every file goes through the parser child, as in an ingest. Exit code 1 when one is amiss.
"""

import contextlib
import json
import re
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import DocumentError
from stratal_ingest.sandbox import Sandbox

_QUOTES = {ord(quote): "'" for quote in "‘’‚‛`´"} | {ord(quote): '"' for quote in "“”„‟"}


class Limited(BaseModel):
    """What a file may cost."""

    max_seconds: float
    max_rss_mb: float


class Entry(BaseModel):
    """One file of a manifest; `expect` is empty where it simply has to be read."""

    file: str
    format: str = ""
    kind: str = ""
    expect: str = "ok"
    must_contain: list[str] = []
    must_not_contain: list[str] = []
    limits: Limited | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one file ended."""

    entry: Entry
    ending: str  # `ok`, or the name of the error
    missing: tuple[str, ...]
    seconds: float
    megabytes: int  # of memory the parser child and its fork reached, the first file excepted
    message: str = ""

    @property
    def good(self) -> bool:
        """Whether it ended as the manifest says, with nothing missing, within its time."""
        limits = self.entry.limits
        cheap = not limits or self.seconds <= limits.max_seconds
        return _as_expected(self.entry.expect, self.ending) and not self.missing and cheap


def main() -> None:
    """Check the folder named first, only the formats named after it where there are any."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, formats = Path(sys.argv[1]), frozenset(sys.argv[2:])
    outcomes = [
        _checked(folder, entry)
        for name in ("manifest.json", "hostile_manifest.json")
        for entry in _entries(folder / name)
        if not formats or {entry.format, Path(entry.file).suffix[1:]} & formats
    ]
    _print(outcomes)
    sys.exit(0 if all(outcome.good for outcome in outcomes) else 1)


def _entries(manifest: Path) -> list[Entry]:
    found = json.loads(manifest.read_text("utf-8")) if manifest.exists() else []
    return TypeAdapter(list[Entry]).validate_python(found)


def _checked(folder: Path, entry: Entry) -> Outcome:
    """Read one file in a child of its own, so that its memory can be told."""
    path = folder / entry.file
    with Sandbox() as sandbox:
        _warm(sandbox, path.name)
        began = time.monotonic()
        try:
            text, ending, message = _all_text(sandbox.read(path.read_bytes(), path.name)), "ok", ""
        except DocumentError as error:
            text, ending, message = "", type(error).__name__, str(error)
        seconds = time.monotonic() - began
    return Outcome(
        entry=entry,
        ending=ending,
        missing=tuple(_missing(entry, text)) if ending == "ok" else (),
        seconds=seconds,
        megabytes=_children_peak(),
        message=message,
    )


def _warm(sandbox: Sandbox, name: str) -> None:
    """Start the child and have it load what files of that name need."""
    with contextlib.suppress(DocumentError):
        sandbox.read(b" ", name)


def _all_text(document: ReadDocument) -> str:
    """The title, the text, and that of the files inside."""
    inner = (_all_text(each.document) for each in document.enclosed if each.document)
    return "\n".join([document.title, document.text, *inner])


def _missing(entry: Entry, text: str) -> Iterator[str]:
    folded, raw = _folded(text), text
    optional = entry.expect.endswith(":none")
    for snippet in entry.must_contain:
        if _folded(snippet) not in folded and not optional:
            yield snippet
    for snippet in entry.must_not_contain:
        if snippet in raw:
            yield f"(there) {snippet!r}"


def _folded(text: str) -> str:
    """White space and quotes folded: the manifest's snippets have straight quotes only."""
    straight = unicodedata.normalize("NFKC", text).translate(_QUOTES).replace("''", '"')
    return re.sub(r"\s+", " ", straight)


def _as_expected(expect: str, ending: str) -> bool:
    """`ok`, `error:Name`, or `ok_or_error:Name`, where `none` allows any."""
    wanted, _, name = expect.partition(":")
    if ending == "ok":
        return wanted.startswith("ok") or wanted == "non_empty"
    return "error" in wanted and name in {ending, "none"}


def _children_peak() -> int:
    """The most memory any child so far has used, in megabytes; 0 where it is not known."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


def _print(outcomes: Sequence[Outcome]) -> None:
    peak = 0
    print(f"{'file':58} {'format':9} {'outcome':20} {'seconds':>7} {'MB':>5}")
    for outcome in outcomes:
        mark = " " if outcome.good else "!"
        entry = outcome.entry
        grown = f"{outcome.megabytes}" if outcome.megabytes > peak else "<"
        peak = max(peak, outcome.megabytes)
        kind = entry.format or entry.kind
        print(f"{mark} {entry.file:56} {kind:9.9} {outcome.ending:20}", end="")
        print(f" {outcome.seconds:7.2f} {grown:>5} {outcome.message[:70]}")
        for snippet in outcome.missing:
            print(f"      missing: {snippet}")
    _totals(outcomes)


def _totals(outcomes: Sequence[Outcome]) -> None:
    dev = [outcome for outcome in outcomes if not outcome.entry.kind]
    hostile = [outcome for outcome in outcomes if outcome.entry.kind]
    snippets = sum(len(outcome.entry.must_contain) for outcome in dev)
    lost = sum(
        len(outcome.missing) if outcome.ending == "ok" else len(outcome.entry.must_contain)
        for outcome in dev
    )
    print(f"\nfiles read whole: {sum(map(_good, dev))} of {len(dev)}")
    print(f"snippets found:   {snippets - lost} of {snippets}")
    print(f"hostile as told:  {sum(map(_good, hostile))} of {len(hostile)}")
    print(f"seconds in all:   {sum(outcome.seconds for outcome in outcomes):.1f}")


def _good(outcome: Outcome) -> bool:
    return outcome.good


if __name__ == "__main__":
    main()
