"""A small made data set: two friends, and a user with an assistant."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = Mapping[str, object]
Told = tuple[str, str, str, str]  # session, time, speaker, text

FRIENDS: Sequence[Told] = (
    ("S1", "2023-05-08T13:56:00", "Ida", "I adopted a grey kitten called Biscuit."),
    ("S1", "2023-05-08T13:57:00", "Tom", "How sweet! Which shelter did you go to?"),
    ("S1", "2023-05-08T13:58:00", "Ida", "The small one by the harbour."),
    ("S2", "2023-06-20T09:00:00", "Tom", "I sold my old violin to a student."),
    ("S2", "2023-06-20T09:01:00", "Ida", "Did it make you sad?"),
    ("S2", "2023-06-20T09:02:00", "Tom", "A little, it was my grandfather's."),
)
WORK: Sequence[Told] = (
    ("B1", "2024-03-15T00:00:00", "user", "My monthly book budget is 40 euros."),
    ("B1", "2024-03-15T00:01:00", "assistant", "Noted, a book budget helps with saving."),
    ("B2", "2024-04-20T00:00:00", "user", "My monthly book budget is 55 euros now."),
    ("B2", "2024-04-20T00:01:00", "assistant", "That leaves room for two novels."),
)


def turns() -> list[Row]:
    return [
        {
            "conv_id": id,
            "session_id": session,
            "timestamp": at,
            "turn_id": f"{id}{number}",
            "speaker": speaker,
            "text": text,
            **({"role": speaker} if id == "w" else {}),
            **({"caption": "a kitten on a sofa"} if "Biscuit" in text else {}),
        }
        for id, told in (("f", FRIENDS), ("w", WORK))
        for number, (session, at, speaker, text) in enumerate(told)
    ]


def question(qid: str, text: str, *evidence: str, category: str = "single-hop") -> Row:
    return {
        "qid": qid,
        "conv_id": evidence[0][0] if evidence else "f",
        "question": text,
        "answer": 1,
        "category": category,
        "evidence": list(evidence),
        "answerable": bool(evidence),
    }


def questions() -> list[Row]:
    return [
        question("1", "What is the name of Ida's kitten?", "f0"),
        question("2", "Who sold a violin?", "f3"),
        question("3", "What is my monthly book budget?", "w0", "w2", category="knowledge_update"),
        question("4", "Which airline flies to Reykjavik?", category="abstention"),
        question("5", "What happened on the moon?", "f99"),
    ]


def written(folder: Path, name: str, rows: Sequence[Row]) -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    return path
