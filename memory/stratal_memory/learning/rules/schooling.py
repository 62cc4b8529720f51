"""What the user studies and learns."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    cleaned,
    named,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import LANGUAGE_NAMES

_DEGREE = (
    r"(?:ph\.?d|doctorate|master'?s?(?: degree)?|msc|mba|bachelor'?s?(?: degree)?|bsc|ba|ma"
    r"|b\.?tech|m\.?tech"
    r"|b\.?com|bca|mca|mbbs|llb|llm|a[- ]levels?|gcses?|bootcamp|degree"
    r"|diploma|apprenticeship|traineeship|internship|residency)"
)


def _degree(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    raw = cleaned(match["value"], clause)
    subject, *rest = re.split(r" (?:at|from) ", raw, maxsplit=1)
    school = rest[0] if rest else ""
    if not 0 < len(subject.split()) <= 5:
        return ()
    text = f"The user studies {subject} ({' '.join(match['degree'].split())})."
    drafts = [Draft(facet="study.subject", value=subject, text=text, single_valued=True)]
    place = re.sub(r"\Athe ", "", school)
    if place and named(place, words=6):
        text = f"The user studies at {school}."
        drafts.append(Draft(facet="study.school", value=place, text=text, single_valued=True))
    return drafts


def _studied(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause, past=True)
    subject = re.split(r"\s+(?:in|at)\s+", value)[0]
    if not 0 < len(subject.split()) <= 4 or subject.casefold() in {"hard", "a lot", "it", "this"}:
        return ()
    return (Draft(facet="study.past", value=subject, text=f"The user studied {value}."),)


def _level(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    name = match["value"].capitalize()
    if name.casefold() not in LANGUAGE_NAMES:
        return ()
    level = cleaned(match["level"], clause)
    text = f"The user speaks {name} ({level})."
    return (Draft(facet="language", value=name, text=text),)


RULES: tuple[Rule, ...] = (
    rule(
        "schooling.degree",
        rf"(?:{I_AM}(?:doing|finishing(?: up)?|wrapping up|starting|retaking|writing|pursuing"
        rf"|working on|halfway through|in|in my \w+ year of)"
        rf"|{I_HAVE}|I did|I {ADVERBS}have) ?(?:my|an?|the)? (?:\w+ year of )?(?:an? |my )?"
        rf"(?P<degree>{_DEGREE}) (?:in|on) (?P<value>.+)",
        _degree,
    ),
    rule(
        "schooling.trains",
        rf"(?:{I_AM}(?:doing|in|on|starting|finishing)|I {ADVERBS}do) (?:an? |my )"
        r"(?P<value>(?:[\w-]+ ){1,3}?(?:apprenticeship|traineeship|internship|residency|bootcamp"
        r"|course|placement|degree|diploma|phd))(?: (?:in|at|with) .+)?\Z",
        stated("study.subject", "The user is doing a {value}.", single=True),
    ),
    rule(
        "schooling.evening",
        r"my (?:evening|night|online|weekend|sunday|saturday|language|\w+day) (?:class|course"
        r"|school)"
        r"(?:'s| is)(?: in)? (?P<value>(?-i:[A-Z])\w+|[a-z]+)\b.*",
        stated("learning", "The user takes lessons in {value}."),
    ),
    rule(
        "schooling.dropped",
        rf"(?:I|I've) {ADVERBS}(?:dropped out of|quit|left) (?P<value>(?:[\w-]+ )?(?:school"
        rf"|college|uni"
        r"|university|phd|course|degree)(?: of [\w ]+)?)\b.*",
        stated("study.school", "The user left {value}{date}.", retracts=True, past=True),
    ),
    rule(
        "schooling.apprentice",
        rf"{I_AM}in (?:my|the) \w+ year of (?:an? |my |the )?(?P<value>.+)",
        stated("study.subject", "The user is doing {value}.", single=True),
    ),
    rule(
        "schooling.classes",
        rf"(?:{I_AM}(?:taking|attending|doing)|I take|I attend|I go to) (?:\w+ )?(?:classes|lessons"
        r"|a (?:\w+ )?(?:course|class)|courses) (?:in|on|for) (?P<value>.+)",
        stated("learning", "The user takes lessons in {value}."),
    ),
    rule(
        "schooling.lessons",
        rf"(?:{I_AM}(?:taking|having)|I take|I have) (?P<value>[\w-]+(?: [\w-]+)?) (?:classes"
        rf"|lessons)\b.*",
        stated("learning", "The user takes {value} lessons."),
    ),
    rule(
        "schooling.grade",
        rf"(?:{I_AM}|currently )in (?P<value>(?:the )?\d{{1,2}}(?:st|nd|rd|th) grade"
        r"|(?:my )?(?:first|second|third|fourth|final|last) year(?: of (?:uni\w*|college"
        r"|high school))?"
        r"|year \d{1,2})\b.*",
        stated("study.year", "The user is in {value}.", single=True),
    ),
    rule("schooling.studied", rf"I {ADVERBS}studied (?P<value>.+)", _studied),
    rule(
        "schooling.major",
        r"my (?:major|degree|subject|minor)(?:'s| is| was)(?: in)? (?P<value>.+)",
        stated("study.subject", "The user's subject is {value}.", single=True),
    ),
    rule(
        "schooling.level",
        r"my (?P<value>[a-z]+)(?:'s| is) (?P<level>(?:about |around |only |roughly )?(?:[abc][12]\b"
        r"|native|fluent|rusty|basic|decent|intermediate|terrible|bad|okay|pretty (?:good|bad)).*)",
        _level,
    ),
    rule(
        "schooling.learning_since",
        rf"(?:{I_HAVE})been (?:learning|studying) (?P<value>.+)",
        stated("learning", "The user is learning {value}.", accept=lambda v: len(v.split()) <= 4),
    ),
)
