"""What and where the user studies."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    Draft,
    Rule,
    bare,
    cleaned,
    named,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause


def _studies(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    groups = match.groupdict()
    subject = cleaned(groups.get("subject") or "", clause)
    school = cleaned(groups.get("school") or "", clause)
    drafts: list[Draft] = []
    placed = re.match(
        r"(?:in|at|on|for|with|hard|all|about|like|from|to|abroad)\b", subject, re.IGNORECASE
    )
    if (
        subject
        and not placed
        and len(subject.split()) <= 4
        and subject.casefold() not in {"hard", "a lot", "it"}
    ):
        text = f"The user studies {subject}."
        drafts.append(Draft(facet="study.subject", value=subject, text=text, single_valued=True))
    if school and named(bare(school), words=6):
        text = f"The user studies at {school}."
        drafts.append(Draft(facet="study.school", value=school, text=text, single_valued=True))
    return drafts


RULES: tuple[Rule, ...] = (
    rule(
        "studies.studies",
        rf"(?:I {ADVERBS}study|{I_AM}studying|{I_AM}majoring in|I major in)"
        r" (?!at\b)(?P<subject>.+?)(?: at (?P<school>.+))?\Z",
        _studies,
    ),
    rule(
        "studies.school",
        rf"(?:{I_AM}an? (?:\w+ )?student|I {ADVERBS}study|{I_AM}studying|I go to school)"
        r" at (?P<school>.+)",
        _studies,
    ),
)
