"""Evaluation through the real write and read path, on a made data set small enough to read."""

from pathlib import Path

import pytest

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.evaluation.dataset import Conversation, TurnRow, load
from stratal_memory.evaluation.measures import Said, measures
from stratal_memory.evaluation.retrieval import Scores, evaluate
from stratal_memory.evaluation.telling import Calendar, role_of, tell, text_of
from stratal_memory.records import Form, Role
from stratal_memory.tiers.semantic import Facts
from tests.memory.evaluation.talks import FRIENDS, questions, turns, written
from tests.memory.worlds import World


@pytest.fixture
def data(tmp_path: Path) -> list[Conversation]:
    return load(written(tmp_path, "t.jsonl", turns()), written(tmp_path, "q.jsonl", questions()))


@pytest.fixture
def scores(data: list[Conversation]) -> Scores:
    return evaluate(data, HashEmbedder())


def test_what_was_said_is_found_by_who_said_it_and_what_was_shown(scores: Scores) -> None:
    best = {one.question.qid: one.ranking[0] for one in scores.answers if one.ranking}

    assert (best["1"], best["2"]) == ("f0", "f3")
    assert (scores.n, scores.overall["MRR"]) == (3, 1.0)
    assert scores.per_category["knowledge_update"]["n"] == 1


def test_the_latest_of_two_numbers_is_above_the_superseded_one(scores: Scores) -> None:
    assert (scores.knowledge_update, scores.knowledge_updates) == (1.0, 1)


def test_questions_nothing_answers_count_for_abstention_alone(scores: Scores) -> None:
    assert "abstention" not in scores.per_category
    assert scores.auroc == 1
    assert scores.unanswerable_injecting_nothing == 1


def test_evidence_that_was_never_told_is_left_out(scores: Scores) -> None:
    (lost,) = [one for one in scores.answers if one.question.qid == "5"]

    assert (lost.evidence, lost.measured) == ((), {})


def test_every_measure_is_that_of_the_ranking(scores: Scores, data: list[Conversation]) -> None:
    said = {
        turn.turn_id: Said(turn.session_id, len(turn.text) + len(turn.caption or ""))
        for conversation in data
        for turn in conversation.turns
    }

    for one in scores.answers:
        if one.evidence:
            assert one.measured == measures(one.ranking, one.evidence, said)


def test_a_limit_cuts_the_ranking(data: list[Conversation]) -> None:
    assert max(len(one.ranking) for one in evaluate(data, None, limit=2).answers) == 2


def test_progress_is_told_for_every_turn_and_question(data: list[Conversation]) -> None:
    seen: list[tuple[int, int]] = []
    evaluate(data, None, on_progress=lambda done, total, what: seen.append((done, total)))

    assert seen == [(number, 15) for number in range(1, 16)]


def test_turns_become_messages_of_sessions_with_speaker_date_and_picture(
    world: World, data: list[Conversation]
) -> None:
    store = world.store()
    friends = data[0]
    ids = tell(store, friends, clock=Calendar(friends.turns[0].at))

    found = list(reversed(Facts(store).known(forms=(Form.MESSAGE,))))
    assert list(ids.values()) == [turn.turn_id for turn in friends.turns]
    assert found[0].text == f"Ida: {FRIENDS[0][3]} [image: a kitten on a sofa]"
    assert len({one.session for one in found}) == 2


@pytest.mark.parametrize(
    ("speaker", "role", "text"),
    [
        ("user", Role.USER, "hello"),
        ("assistant", Role.ASSISTANT, "hello"),
        ("Ida", Role.USER, "Ida: hello"),
        ("", Role.USER, "hello"),
    ],
)
def test_a_speaker_is_a_role_or_a_name(speaker: str, role: Role, text: str) -> None:
    row = TurnRow(conv_id="c", session_id="s", turn_id="t", speaker=speaker, text="hello")

    assert (role_of(row), text_of(row)) == (role, text)
