"""SRT and VTT: what is said, cues joined to sentences, with its speaker and its minute."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from stratal_ingest.document import Block, ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.encoding import decode

_TIMES = re.compile(r"\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}\s*-->")
_VOICE = re.compile(r"<v(?:\.[^ \t<>]{0,100})?[ \t]{1,9}([^<>]{1,200})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<\d[\d:.]*>|\{\\[^{}]{0,100}\}")
_SECTION = 120  # seconds under one heading
_PAUSE = 4  # seconds of silence that end a paragraph
_PARAGRAPH = 600  # characters after which a sentence's end ends it too
_SENTENCE_END = re.compile(r"""[.!?…。！？]["'”’»)]*$""")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cue:
    second: int
    speaker: str
    text: str


class SubtitleReader:
    """Reads subtitles; the time of a passage is its heading, in steps of two minutes."""

    formats = ("srt", "vtt")
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Paragraphs of one speaker each."""
        text = decode(data).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        cues = list(_cues(text))
        if not cues and text.strip():
            raise CorruptDocument("there is no line of times in it")
        format = "vtt" if text.startswith("WEBVTT") else "srt"
        return ReadDocument(format=format, blocks=tuple(_paragraphs(cues)))


def _cues(text: str) -> Iterator[_Cue]:
    """The cues in their order; notes and style sheets between them are left out."""
    speaker = ""
    for part in re.split(r"\n[ \t]*\n", text):
        lines = part.strip("\n").split("\n")
        at = next((n for n, line in enumerate(lines[:2]) if _TIMES.match(line)), None)
        if at is None:
            continue
        hours, minutes, seconds = (int(n or 0) for n in _found(lines[at]))
        second = 3600 * hours + 60 * minutes + seconds
        # One cue may hold the words of several speakers, each after a tag of its own.
        first, *voiced = _VOICE.split("\n".join(lines[at + 1 :]))
        for speaker, said in [("", first), *zip(voiced[::2], voiced[1::2], strict=True)]:
            words = " ".join(html.unescape(_TAG.sub("", said)).split())
            if words:
                yield _Cue(second=second, speaker=html.unescape(speaker).strip(), text=words)


def _found(line: str) -> tuple[str | None, ...]:
    match = _TIMES.match(line)
    return match.groups() if match else ()


def _paragraphs(cues: list[_Cue]) -> Iterator[Block]:
    opened: list[_Cue] = []
    size = 0
    for cue in cues:
        if opened and _ends(opened[-1], cue, size):
            yield _block(opened)
            opened, size = [], 0
        if not opened or opened[-1].text != cue.text:  # captions that roll repeat their lines
            opened.append(cue)
            size += len(cue.text)
    if opened:
        yield _block(opened)


def _ends(last: _Cue, cue: _Cue, size: int) -> bool:
    apart = last.second // _SECTION != cue.second // _SECTION
    paused = cue.second - last.second > _PAUSE + len(last.text) // 10
    whole = bool(_SENTENCE_END.search(last.text))
    return last.speaker != cue.speaker or (whole and (apart or paused or size > _PARAGRAPH))


def _block(cues: list[_Cue]) -> Block:
    first = cues[0]
    minute = first.second // _SECTION * _SECTION // 60
    said = " ".join(cue.text for cue in cues)
    return Block(
        text=f"{first.speaker}: {said}" if first.speaker else said,
        heading=(f"{minute // 60}:{minute % 60:02}:00",),
    )
