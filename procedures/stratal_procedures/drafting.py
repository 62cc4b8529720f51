"""A draft: what several episodes had in common, as the text of a `SKILL.md`."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from stratal_memory.text import terms
from stratal_procedures.errors import SkillError
from stratal_procedures.generalising import General, Needed
from stratal_procedures.rewording import Complete, reworded
from stratal_procedures.skill import FILE_NAME, parse
from stratal_procedures.wording import common_words, name_of, trigger_of

AUTHOR = "learned from practice"
DRAFT = Path("draft") / FILE_NAME  # names the text in errors
MOST_EXAMPLES = 3
LONGEST_EXAMPLE = 120  # characters; a longer request is a text, not a wish
SHORTEST = 2  # characters of a value that is looked for in a request
_ODD = re.compile(r"[{}<>`\x00-\x1f]|://|@")
MOST_OTHERS = 6  # words of neighbouring tasks that a boundary names


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What a draft says besides its steps; all of it may be empty."""

    name: str = ""  # of an earlier version: it stays
    taken: frozenset[str] = frozenset()  # names other skills have
    others: tuple[str, ...] = ()  # words of tasks with the same tools that are not this one
    uses: int = 0  # of an earlier version
    failures: Mapping[str, int] | None = None  # why an earlier version failed, and how often
    version: int = 1


def draft(general: General, beside: Beside, *, complete: Complete | None = None) -> str:
    """The text of a skill with these steps; the same for the same episodes.

    A model may better the description and the instructions; steps, tools, arguments and
    parameters stay as they are, else its wording is not taken. Raises `SkillError` when the text
    would not read back as it was meant, with too many or too long steps.
    """
    header, body = _header(general, beside), _body(general, beside)
    text = _text(header, body)
    _check(text, general)
    if complete is None:
        return text
    better = _text(reworded(header, complete), body)
    try:
        _check(better, general)
    except SkillError:
        return text
    return better


def words_of(general: General) -> tuple[str, ...]:
    """The words of the task: what most of its requests say, and no value of a parameter."""
    return common_words(general.episodes, _values(general))


def _values(general: General) -> frozenset[str]:
    every = (text for needed in general.parameters for text in _texts(general, needed))
    return frozenset(term for text in every for term in terms(text))


def _texts(general: General, needed: Needed) -> list[str]:
    """What a parameter held, in every episode."""
    return [
        given.text
        for number, argument in needed.used
        for one in general.episodes
        for call in one.stages[number - 1].calls
        for given in call.arguments
        if given.name == argument
    ]


def _header(general: General, beside: Beside) -> dict[str, object]:
    words = words_of(general)
    tools = [stage.tool for stage in general.episodes[0].stages]
    trigger = trigger_of(words, general.episodes)
    # One word alone says nothing of a task.
    named = words if len(words) > 1 else [_readable(tool) for tool in dict.fromkeys(tools)]
    about = ", ".join(named)
    done = ", then ".join(_readable(tool) for tool in tools)
    header: dict[str, object] = {
        "name": beside.name or name_of(words, tools, lambda name: name.casefold() in beside.taken),
        "description": f"For requests about: {about}. {done.capitalize()}.{_examples(general)}",
        "version": f"{beside.version}.0.0",
        "author": AUTHOR,
    }
    if trigger:
        header["triggers"] = [trigger]
    if general.parameters:
        header["parameters"] = [_parameter(one) for one in general.parameters]
    header["steps"] = [_step(general, number) for number in range(len(tools))]
    return header


def _examples(general: General) -> str:
    """The user's own short requests without their objects: what a message is compared with."""
    values = {
        text: needed.name
        for needed in sorted(general.parameters, key=lambda one: one.asked)  # the asked ones win
        for text in _texts(general, needed)
        if len(text) >= SHORTEST or text.isdigit()
    }
    requests = [
        " ".join(one.request.split())
        for one in general.episodes
        if len(one.request) <= LONGEST_EXAMPLE and not _ODD.search(one.request)
    ]
    shown = list(dict.fromkeys(_without(request, values) for request in requests))
    if not shown:
        return ""
    return " For example: " + "; ".join(one.rstrip(".") for one in shown[:MOST_EXAMPLES]) + "."


def _without(request: str, values: Mapping[str, str]) -> str:
    for text in sorted(values, key=lambda text: (-len(text), text)):
        pattern = rf"(?<!\w){re.escape(text)}(?!\w)"
        request = re.sub(pattern, f"({values[text]})", request, flags=re.IGNORECASE)
    return request


def _readable(tool: str) -> str:
    return " ".join(tool.replace("_", " ").replace("-", " ").replace(".", " ").split())


def _parameter(needed: Needed) -> dict[str, object]:
    number, argument = needed.used[0]
    where = f"the {argument} of step {number}"
    if needed.source:
        where += f", as step {needed.source} gives it"
    elif needed.asked:
        where += ", as the request names it"
    made: dict[str, object] = {"name": needed.name, "description": where}
    return made if needed.required else {**made, "required": "false"}


def _step(general: General, number: int) -> dict[str, object]:
    stages = [one.stages[number] for one in general.episodes]
    several = any(len(stage.calls) > 1 for stage in stages)
    once = ", once for each that is needed" if several else ""
    made: dict[str, object] = {
        "instruction": f"{_readable(stages[0].tool).capitalize()}{once}.",
        "tool": stages[0].tool,
    }
    given = {one.name: one.template for one in general.steps[number]}
    return {**made, "arguments": given} if given else made


def _body(general: General, beside: Beside) -> str:
    parts = [
        ("Before you begin", _before(general)),
        ("When not to use it", _boundaries(beside)),
        ("What went wrong before", _failures(general, beside)),
    ]
    return "\n\n".join(
        f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines) for title, lines in parts
    )


def _before(general: General) -> list[str]:
    tools = sorted({stage.tool for stage in general.episodes[0].stages})
    asked = [one.name for one in general.parameters if one.required and not one.source]
    lines = [f"These tools are there: {', '.join(tools)}."]
    if asked:
        lines.append(f"Known, or asked for: {', '.join(asked)}. Do not guess them.")
    return lines


def _boundaries(beside: Beside) -> list[str]:
    lines = [
        "The user wants only a part of it, another order, or only to know how it is done.",
        "A step needs something that the request does not give and the user does not say.",
    ]
    if beside.others:
        lines.append(f"The request is about: {', '.join(beside.others[:MOST_OTHERS])}.")
    return lines


def _failures(general: General, beside: Beside) -> list[str]:
    failed = Counter[str]()
    for one in general.episodes:
        for stage in one.stages:
            failed[stage.tool] += stage.failures
    every = len(general.episodes)
    lines = [
        f"{tool} failed {_times(count)} in {every} episodes before it worked."
        for tool, count in sorted(failed.items())
        if count
    ]
    for why, count in sorted((beside.failures or {}).items()):
        lines.append(f"An earlier version failed {_times(count)} in {beside.uses} uses: {why}.")
    return lines or [f"Nothing yet, in {every} episodes."]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _text(header: Mapping[str, object], body: str) -> str:
    fields = yaml.safe_dump(dict(header), sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{fields}---\n\n{body}\n"


def _check(text: str, general: General) -> None:
    """Raises `SkillError` unless `text` reads back as the steps and parameters it was made of."""
    read = parse(text.encode("utf-8", "surrogatepass"), file=DRAFT)
    tools = [stage.tool for stage in general.episodes[0].stages]
    meant = [
        (tool, tuple((given.name, given.template) for given in step))
        for tool, step in zip(tools, general.steps, strict=True)
    ]
    names = [(one.name, one.required) for one in general.parameters]
    if [(step.tool, step.arguments) for step in read.steps] != meant or [
        (one.name, one.required) for one in read.parameters
    ] != names:
        raise SkillError(
            "the draft does not read back as it was meant",
            file=DRAFT,
            field="steps",
            hint="A value in it can't be written; the episodes stay as they are.",
        )
