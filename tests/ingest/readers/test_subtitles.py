import pytest

from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read
from stratal_ingest.readers.subtitles import SubtitleReader


def test_cues_of_one_speaker_become_one_paragraph() -> None:
    data = (
        b"WEBVTT\n\nNOTE skipped\n\nSTYLE\n::cue {}\n\n1\n00:01.000 --> 00:03.000 align:left\n"
        b"<v Ann>We are <i>in</i>\n\n00:03.500 --> 00:05.000\n<v Ann>Oslo &amp; Bergen.\n\n"
        b"00:06.000 --> 00:07.000\n<v.loud Bo>Yes?</v>\n<v Ann>Yes.\n"
    )

    document = read(data, "a.vtt")

    assert document.format == "vtt"
    assert [block.text for block in document.blocks] == [
        "Ann: We are in Oslo & Bergen.",
        "Bo: Yes?",
        "Ann: Yes.",
    ]


def test_the_minute_is_the_heading_and_a_sentence_is_never_parted() -> None:
    data = (
        b"1\r\n00:01:58,000 --> 00:01:59,000\r\n{\\an8}It goes\r\n\r\n2\r\n"
        b"00:02:01,000 --> 00:02:02,000\r\non.\r\n\r\n3\r\n"
        b"01:04:01,000 --> 01:04:02,000\r\nThe end\r\n"
    )

    assert [(block.heading, block.text) for block in read(data, "a.srt").blocks] == [
        (("0:00:00",), "It goes on."),
        (("1:04:00",), "The end"),
    ]


def test_what_has_no_times_is_corrupt() -> None:
    with pytest.raises(CorruptDocument):
        SubtitleReader().read(b"WEBVTT\n\nhello", "a.vtt")
