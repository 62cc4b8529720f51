"""Models that answer from a script, and the answers they give."""

import json
from collections.abc import Sequence


class Scripted:
    """Gives its answers one after the other, the last for ever; an error is raised."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def fact(
    message: str = "m1",
    *,
    evidence: str = "tea over coffee",
    text: str = "The user likes tea.",
    facet: str = "preference.drink",
    value: str = "tea",
    when: str = "",
    ended: bool = False,
    replaces: str = "",
) -> dict[str, object]:
    """One fact as a model writes it."""
    return {
        "message": message,
        "evidence": evidence,
        "text": text,
        "facet": facet,
        "value": value,
        "when": when,
        "ended": ended,
        "replaces": replaces,
    }


def answer(facts: Sequence[dict[str, object]] = ()) -> str:
    """A whole answer."""
    return json.dumps({"facts": list(facts)})
