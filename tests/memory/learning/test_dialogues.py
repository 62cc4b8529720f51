import sys

import pytest

from stratal_memory.learning.rules.extraction import extract
from tests.memory.learning.dialogues import AT, Dialogue, dialogues, pairs

ALL = dialogues()
SILENT = [dialogue for dialogue in ALL if not dialogue.expect]
# Honest misses: said in a way the rules don't know. They count against recall.
BEYOND_RULES = {
    "I sing in a choir",
    "Coffee keeps me awake",
    "The three of us",
    "My dog hates thunder",
    "I drink my tea",
    "I own two houses",
    "I run Linux",
    "I'm the CEO of",
}


def _found(dialogue: Dialogue) -> frozenset[tuple[str, str]]:
    return pairs(extract(dialogue.say, AT))


def _reached(dialogue: Dialogue) -> bool:
    return not any(dialogue.say.startswith(start) for start in BEYOND_RULES)


def test_the_set_holds_enough_messages_and_enough_chit_chat() -> None:
    assert len(ALL) >= 150
    assert len(SILENT) >= 60


def test_extraction_is_precise_and_finds_most(capsys: pytest.CaptureFixture[str]) -> None:
    found = [(_found(dialogue), dialogue.expect) for dialogue in ALL]

    right = sum(len(got & expected) for got, expected in found)
    precision = right / sum(len(got) for got, _ in found)
    recall = right / sum(len(expected) for _, expected in found)

    with capsys.disabled():
        sys.stdout.write(f"\n{len(ALL)} messages: {precision=:.3f}, {recall=:.3f}\n")
    assert precision >= 0.95
    assert recall >= 0.8


@pytest.mark.parametrize("dialogue", SILENT, ids=lambda dialogue: dialogue.say[:40])
def test_chit_chat_yields_nothing(dialogue: Dialogue) -> None:
    assert _found(dialogue) == frozenset()


@pytest.mark.parametrize(
    "dialogue", [d for d in ALL if d.expect and _reached(d)], ids=lambda d: d.say[:40]
)
def test_corrections_retractions_wishes_and_times_are_marked(dialogue: Dialogue) -> None:
    found = extract(dialogue.say, AT)

    assert any(one.correction for one in found) == dialogue.correction
    assert any(one.retracts for one in found) == dialogue.retracts
    assert any(one.explicit for one in found) == dialogue.explicit
    if dialogue.valid_from:
        assert str(found[0].valid_from)[:10] == dialogue.valid_from
