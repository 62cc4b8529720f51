"""The numbers of the Picoclaw documents, from the settings to the request."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import stratal
from stratal.errors import ContextBudgetError
from stratal.prompt.layers import system_prompt
from stratal.prompt.sections import Mode
from stratal_memory.records import Message
from tests.platform.context.making import (
    BARE,
    assistant,
    everything,
    tool,
    user,
)
from tests.platform.documents.worked import budget_of, granted, of, sent, words


def test_picoclaw_takes_four_times_the_answer_where_no_window_is_configured() -> None:
    # covers P4, P5, P6, Ps5
    plain = budget_of(of("picoclaw", model="openai:gpt-5"))
    longer = budget_of(
        of(
            "picoclaw",
            model="openai:gpt-5",
            environment={"STRATAL_CONTEXT__OUTPUT_RESERVE": "32768"},
        )
    )
    chosen = budget_of(
        of("picoclaw", model="openai:gpt-5", environment={"STRATAL_CONTEXT__WINDOW": "131072"})
    )

    assert (plain.window, plain.output_reserve) == (4 * 8_192, 8_192)
    assert (longer.window, longer.output_reserve) == (4 * 32_768, 32_768)
    assert (chosen.window, chosen.output_reserve) == (131_072, 8_192)
    assert of("picoclaw").summary.seconds == 120


@pytest.mark.parametrize(("history", "kept"), [(24_569, 24_569), (24_570, 0)])
def test_picoclaw_is_over_when_prompt_tools_history_and_answer_are_more_than_the_window(
    history: int, kept: int
) -> None:
    # covers P2, P3, P20, P21
    settings = of("picoclaw", model="openai:gpt-5")
    parts = replace(BARE, tools=everything().tools)  # three tokens each

    made = sent(settings, budget_of(settings), parts=parts, history=[user(words(history))])

    assert granted(made).get("history", 0) == kept
    assert 3 + 3 + 24_569 + 1 + 8_192 == made.ledger.window == 32_768


def test_picoclaw_keeps_its_four_regions_apart() -> None:
    # covers P1, P8, Ps7, Ps8
    settings = of("picoclaw", model="openai:gpt-5")

    made = sent(
        settings, budget_of(settings), parts=everything(), history=[user("a"), assistant("b")]
    )

    names = [name for name in granted(made) if name in ("tools", "system", "summary", "history")]
    assert sorted(names) == ["history", "summary", "system", "tools"]
    first, *rest, last = made.request.system
    assert (first.text, first.cached) == ("you are brief", True)
    assert not any(block.cached for block in (*rest, last))
    assert last.text.splitlines() == [
        "[Summary of the earlier conversation: approximate, for reference only]",
        "they spoke of leave",
    ]
    assert [message.text for message in made.request.messages] == ["a", "b", "go"]


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_is_told_that_what_is_said_now_outranks_a_summary(mode: Mode) -> None:
    # covers Ps7
    prompt = " ".join(system_prompt(mode=mode, tools=[], agent_name="Stratal").lower().split())

    assert re.search("what the person says now (outranks what was recalled|over both)", prompt)


def unshortened() -> list[Message]:
    """A tool loop of one turn in which nothing can be made shorter."""
    calls = [str(number) for number in range(30_000)]
    return [assistant("", *calls), *(tool("ok", call) for call in calls)]


def test_a_turn_too_large_to_send_leaves_its_message_or_is_an_error_by_choice() -> None:
    # covers P25, Ps4
    loop = unshortened()
    old = of("picoclaw", model="openai:gpt-5")
    new = of(
        "picoclaw",
        model="openai:gpt-5",
        environment={
            "STRATAL_HISTORY__KEEP_LAST_USER": "false",
            "STRATAL_HISTORY__OVERFLOW": "fifo",
        },
    )

    made = sent(old, budget_of(old), tail=loop)

    assert [message.text for message in made.request.messages] == ["go"]
    assert any("only its message was sent" in one.reason for one in made.ledger.left_out)
    with pytest.raises(ContextBudgetError):
        sent(new, budget_of(new), tail=loop)


def test_picoclaw_s_newer_code_drops_one_oldest_turn_at_a_time() -> None:
    # covers Ps4
    settings = of(
        "picoclaw", model="openai:gpt-5", environment={"STRATAL_HISTORY__OVERFLOW": "fifo"}
    )
    four = [user(words(8_000)), user(words(8_000)), user(words(8_000)), user(words(8_000))]

    made = sent(settings, budget_of(settings), history=four)

    assert granted(made)["history"] == 24_000


def test_what_a_turn_sends_is_built_in_one_place() -> None:
    # covers P36
    source = Path(stratal.__file__).parent
    builders = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"[^\w.]Request\(", path.read_text(encoding="utf-8"))
    }

    # The ledger rebuilds what the assembler made; the others ask for a summary, facts and counts.
    assert builders - {"context/request.py"} == {
        "context/ledger.py", "tokens/endpoint.py", "writers.py",
    }  # fmt: skip
