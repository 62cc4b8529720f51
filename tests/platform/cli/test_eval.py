from pathlib import Path

from stratal.cli.shapes.measuring import RetrievalScores
from tests.memory.evaluation.talks import questions, turns, written
from tests.platform.cli.running import Run


def test_retrieval_is_measured_without_touching_the_data(stratal: Run, tmp_path: Path) -> None:
    files = (written(tmp_path, "t.jsonl", turns()), written(tmp_path, "q.jsonl", questions()))

    ran = stratal("eval", "retrieval", *map(str, files), "--json")

    found = RetrievalScores.model_validate(ran.json)
    assert ran.code == 0
    assert (found.n, found.knowledge_updates) == (3, 1)
    assert {row["qid"] for row in found.per_question} == {"1", "2", "3"}
    assert stratal("memory", "list", "--kind", "episodic", "--json").json["memories"] == []


def test_people_see_a_row_a_category(stratal: Run, tmp_path: Path) -> None:
    files = (written(tmp_path, "t.jsonl", turns()), written(tmp_path, "q.jsonl", questions()))

    shown = stratal("eval", "retrieval", *map(str, files)).out

    for words in ("knowledge_update", "all answerable", "AUROC", "latest above superseded"):
        assert words in shown


def test_files_the_wrong_way_round_are_named(stratal: Run, tmp_path: Path) -> None:
    ran = stratal(
        "eval",
        "retrieval",
        str(written(tmp_path, "q.jsonl", questions())),
        str(written(tmp_path, "t.jsonl", turns())),
    )

    assert ran.code != 0
    assert "line 1: session_id: Field required" in ran.err
