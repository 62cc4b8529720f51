from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stratal.context.compression.results import (
    WHOLE,
    ResultRules,
    digest_of,
    excerpt,
    old_row,
    shown,
    spill_path,
    spills,
)
from stratal.presets import PRESETS
from stratal_memory.records import Media, Message, Role, ToolCall
from stratal_memory.text import content_hash
from tests.platform.context.making import assistant, tool, user

PICTURE = Media(source="https://example.org/a.png", width=10, height=10)


def stored(*messages: Message, first: int = 1) -> list[Message]:
    return [replace(message, seq=row) for row, message in enumerate(messages, first)]


def looked(text: str, *, name: str = "look") -> list[Message]:
    """A turn with one call of the tool `name` at row 2, and its result at row 3."""
    call = ToolCall(id="1", name=name, arguments="{}")
    asked = Message(role=Role.ASSISTANT, text="", tool_calls=(call,))
    return stored(user("look"), asked, tool(text, "1"), assistant("done"))


def result(turn: list[Message], rules: ResultRules, *, aged: int = 0) -> str:
    return shown(turn, rules, aged=aged)[2].text


def test_a_result_of_twenty_thousand_characters_is_whole_and_one_more_is_capped() -> None:
    # covers C1
    limit = ResultRules().limit

    assert limit == 20_000
    assert result(looked("x" * 20_000), ResultRules()) == "x" * 20_000
    capped = result(looked("a" * 15_000 + "z" * 5_001), ResultRules())
    assert capped.startswith("a" * (19_880 - 6_626) + "\n[... shortened to 19,880 of 20,001")
    assert capped.endswith("z" * 5_001)
    assert len(capped) <= 20_000


def test_the_note_holds_the_digest_that_finds_the_whole_result() -> None:
    text = "x" * 30_000

    capped = result(looked(text), ResultRules())

    assert f'expand_result("{digest_of(text)}") shows the rest' in capped
    assert content_hash(text).startswith(digest_of(text))


@pytest.mark.parametrize("name", ["take_screenshot", "dom_tree", "list_refs"])
def test_structured_results_stay_whole(name: str) -> None:  # covers Cs1
    exempt = PRESETS["octo"]["tool_results"]["exempt"]
    assert isinstance(exempt, list)
    rules = ResultRules(exempt=tuple(exempt))

    assert result(looked("x" * 90_000, name=name), rules, aged=9) == "x" * 90_000
    assert len(result(looked("x" * 90_000), rules)) < 21_000


@pytest.mark.parametrize(
    ("window", "limit"), [(8_000, 4_800), (50_000, 20_000), (1_000_000, 20_000), (200, 200)]
)
def test_a_small_window_caps_results_sooner(window: int, limit: int) -> None:  # covers Cs1
    assert ResultRules().within(window=window, share=0.15).limit == limit


def test_a_share_of_the_window_gives_at_most_forty_thousand_characters() -> None:  # covers Cs1
    open_ended = ResultRules(limit=None)

    assert open_ended.within(window=1_000_000, share=0.15).limit == 40_000
    assert open_ended.within(window=1_000_000, share=None).limit is None


def test_an_aged_result_shows_its_beginning_and_where_the_rest_is() -> None:  # covers C3, C5, Cs2
    text = "x" * 5_000

    aged = result(looked(text), ResultRules(), aged=3)

    assert aged == (
        "x" * 3_800 + "\n... [truncated - full result (5,000 characters) "
        f'shown by expand_result("{digest_of(text)}")]'
    )


def test_a_result_is_aged_by_its_row_and_only_when_it_is_long() -> None:  # covers C2, C3
    assert result(looked("x" * 5_000), ResultRules(), aged=2) == "x" * 5_000
    assert result(looked("x" * 4_000), ResultRules(), aged=3) == "x" * 4_000


def test_a_result_that_its_note_would_make_longer_does_not_age() -> None:
    rules = ResultRules(age_over=200)

    assert result(looked("x" * 250), rules, aged=3) == "x" * 250
    assert result(looked("x" * 900), rules, aged=3).startswith("x" * 200 + "\n... [truncated")


def test_an_aged_result_is_its_message_still() -> None:  # covers Cs2
    turn = looked("x" * 5_000)
    turn[2] = replace(turn[2], id="msg_3", media=(PICTURE,))

    aged = shown(turn, ResultRules(), aged=3)[2]

    assert (aged.id, aged.seq, aged.tool_call_id) == ("msg_3", 3, "1")
    assert aged.media == (PICTURE,)  # covers P41
    assert turn[2].text == "x" * 5_000


def test_an_aged_result_names_the_file_that_holds_it() -> None:  # covers C4, C5, C24
    rules = ResultRules(spill=".octo/workspace")
    when = datetime(2026, 11, 20, 9, 30, 15, 42, tzinfo=UTC)
    turn = looked("x" * 5_000, name="read/../file")
    turn[2] = replace(turn[2], created=when)

    path = spill_path(turn[2], rules, name="read/../file")

    name = f"tool-result-read----file-093015000042-{digest_of(turn[2].text)}.md"
    assert path == f".octo/workspace/2026-11-20/{name}"
    assert result(turn, rules, aged=3).endswith(f"saved to: {path}]")


def test_a_file_of_a_result_without_a_time_is_named_by_its_digest() -> None:
    message = tool("tea", "1")

    assert spill_path(message, ResultRules(spill="s"), name="") == (
        "s/undated/tool-result-tool-833ede412aad.md"
    )


def test_a_result_has_the_same_bytes_in_every_later_turn() -> None:
    turn = looked("x" * 50_000)

    first = shown(turn, ResultRules())

    assert all(shown(turn, ResultRules(), aged=row) == first for row in range(3))
    assert shown(turn, ResultRules(), aged=3) == shown(turn, ResultRules(), aged=300)


def test_old_is_what_lies_beyond_the_newest_ten() -> None:  # covers C2
    history = stored(*[user("word")] * 15)

    assert old_row(history, after=10) == 5
    assert old_row(history[:10], after=10) == 0
    assert old_row(history, after=0) == 15


def test_any_message_over_its_limit_is_cut_and_keeps_its_pictures() -> None:
    # covers C22, Cs4, P41
    rules = ResultRules(message_limit=30_000)
    said = replace(user("x" * 30_001), media=(PICTURE,))

    (cut,) = shown([said], rules)

    assert "shortened to 29,880 of 30,001 characters ...]" in cut.text
    assert len(cut.text) <= 30_000
    assert cut.media == (PICTURE,)
    assert shown([user("x" * 30_000)], rules) == (user("x" * 30_000),)


def test_whole_rules_leave_everything_as_it_is() -> None:
    turn = looked("x" * 300_000)

    assert shown(turn, WHOLE, aged=0) == tuple(turn)


def test_an_excerpt_of_any_text_keeps_both_ends() -> None:
    for text in ("\U0001f600" * 400, "\ud800" * 400, "\n" * 400, "[... shortened to 3 ...]" * 20):
        cut = excerpt(text, keep=300)

        assert cut.startswith(text[:200] + "\n[... shortened to 300 of 4")
        assert cut.endswith("\n" + text[-100:])


def test_two_results_of_one_tool_at_the_same_tick_have_two_files() -> None:  # covers C4
    rules = ResultRules(spill=".octo/workspace")
    when = datetime(2026, 11, 20, 9, 30, 15, 42, tzinfo=UTC)
    calls = tuple(ToolCall(id=id, name="look", arguments="{}") for id in ("1", "2"))
    turn = stored(
        user("look twice"),
        Message(role=Role.ASSISTANT, text="", tool_calls=calls),
        *(replace(tool(sign * 5_000, id), created=when) for sign, id in (("a", "1"), ("b", "2"))),
    )

    (one, first), (other, second) = spills(turn, rules, aged=4)

    assert one != other
    assert (first, second) == ("a" * 5_000, "b" * 5_000)
    ends = [message.text.rpartition("saved to: ")[2] for message in shown(turn, rules, aged=4)[2:]]
    assert ends == [f"{one}]", f"{other}]"]
