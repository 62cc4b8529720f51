from dataclasses import replace

from stratal.context.compression.statements import LONGEST, ends, one_line, sentences, statements
from tests.platform.context.making import assistant, tool, user


def test_sentences_end_at_full_stops_of_many_scripts() -> None:
    assert sentences("好的。我住在北京！Yes? No.") == ["好的。", "我住在北京！", "Yes?", "No."]


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert sentences("We met Dr. Lee e.g. on Monday.") == ["We met Dr. Lee e.g. on Monday."]


def test_lists_lose_their_bullets_and_lines_their_breaks() -> None:
    assert sentences("- one\r\n2. two\n\n* three") == ["one", "two", "three"]


def test_a_sentence_without_end_is_cut_at_blanks() -> None:
    cut = sentences("word " * 500)

    assert max(map(len, cut)) <= LONGEST
    assert " ".join(cut) == ("word " * 500).strip()


def test_unsound_signs_are_shown_as_replaced() -> None:
    assert sentences("a\x00b \ud800 \u202ec") == ["a\ufffdb \ufffd \ufffdc"]


def test_of_a_paste_both_ends_are_read() -> None:
    assert ends("a" * 5 + "b" * 90 + "c" * 5, most=5) == "aaaaa\nccccc"
    assert ends("short", most=5) == "short"


def test_a_call_is_told_with_its_outcome() -> None:
    failed = replace(tool("no such file", "2"), tool_failed=True)
    turn = (user("look"), assistant("", "1", "2", "3"), tool("found\nit", "1"), failed)

    told = [(one.speaker, one.text) for one in statements([turn])]

    assert told == [
        ("user", "look"),
        ("tool look", "{} gave: found it"),
        ("tool look", "{} failed: no such file"),
        ("tool look", "{} gave no result"),
    ]


def test_a_long_result_is_told_by_its_beginning() -> None:
    assert one_line("x" * 1_000_000, most=5) == "xxxxx…"
    assert one_line("a \n b", most=5) == "a b"
