"""What a model is asked at night, and what becomes of a poor answer."""

import json
from dataclasses import dataclass, field

import pytest

from stratal_memory.consolidation.night import Asking, Model
from stratal_memory.consolidation.observing_model import observe_by_model
from stratal_memory.consolidation.telling_model import tell_by_model
from stratal_memory.learning.model_answer import ModelAnswerError

FACTS = ["User lives in Lyon", "User works in Lyon"]
GOOD = json.dumps({"sentence": "User lives and works in Lyon.", "cites": ["f1", "f2"]})


@dataclass
class Scripted:
    """A model that gives these answers, in turn."""

    answers: list[str]
    prompts: list[str] = field(default_factory=list[str])

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.answers[len(self.prompts) - 1]


def _asking(model: Scripted) -> Asking:
    return Asking(model=Model(complete=model.complete))


def test_the_shape_of_the_answer_is_shown_as_json_is_written() -> None:
    model = Scripted([GOOD, json.dumps({"title": "Lyon", "gist": "I live in Lyon."})])
    observe_by_model(_asking(model), FACTS)
    tell_by_model(_asking(model), ["user: I live in Lyon."])
    for prompt in model.prompts:
        assert '\n{"' in prompt, "the object starts with one brace"
        assert "{{" not in prompt
        assert "}}" not in prompt


def test_braces_in_the_data_are_data() -> None:
    model = Scripted([json.dumps({"title": "A mark", "gist": "I like {nonce} and {}."})])
    tell_by_model(_asking(model), ["user: I like {nonce} and {}."])
    assert "I like {nonce} and {}." in model.prompts[0]


def test_a_poor_answer_is_asked_again_with_the_reason() -> None:
    model = Scripted(['{"sentence": "User lives in Lyon.", "cites": ["f1"]}', GOOD])
    assert observe_by_model(_asking(model), FACTS) == "User lives and works in Lyon."
    assert "cites must be exactly f1, f2" in model.prompts[1]


def test_after_a_second_poor_answer_the_rules_have_to_do() -> None:
    model = Scripted(["no", "no"])
    with pytest.raises(ModelAnswerError, match="can't be used"):
        observe_by_model(_asking(model), FACTS)
