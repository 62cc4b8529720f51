"""What the user does: employer, role, studies, business."""

import re
from collections.abc import Sequence

from stratal_memory.learning.dates import Precision, When
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Make,
    Rule,
    bare,
    cleaned,
    first_date,
    named,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import NO_EMPLOYER, ROLE_HEADS

_ROLE_END = re.compile(r"\b(?:at|for|with|in|from|by|on|who|specialising|based|near)\b", re.I)
_EMPLOYER_END = re.compile(r"\b(?:as|in|on|doing|from|where|near|making|building|right)\b", re.I)


def _role(raw: str, clause: Clause) -> str:
    """The occupation in `raw`, or an empty text when it is none we know."""
    value = bare(_ROLE_END.split(cleaned(raw, clause, past=True))[0].strip())
    words = value.split()
    if not 0 < len(words) <= 5:
        return ""
    return value if words[-1].casefold() in ROLE_HEADS else ""


def _employer(raw: str, clause: Clause) -> str:
    value = _EMPLOYER_END.split(cleaned(raw, clause, past=True))[0].strip(" ,")
    first = value.casefold().split()[:1]
    idle = value.casefold() in {"a living", "the night", "the weekend", "a while", "the moment"}
    if not first or first[0] in NO_EMPLOYER or idle or len(value) > 60:
        return ""
    return value


def _article(role: str) -> str:
    if role.isupper():
        return role
    return f"an {role}" if role[:1].casefold() in "aeiou" else f"a {role}"


def _works(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Employer and role, as far as each was said."""
    groups = match.groupdict()
    role = _role(groups.get("role") or "", clause)
    employer = _employer(groups.get("employer") or "", clause)
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when and groups.get("began") else ""
    drafts: list[Draft] = []
    if employer:
        verb = "started to work at" if date else "works at"
        text = f"The user {verb} {employer}{date}."
        drafts.append(_draft("work.employer", employer, text, when if date else None))
    if role:
        drafts.append(_draft("work.role", role, f"The user works as {_article(role)}.", None))
    return drafts


def _draft(facet: str, value: str, text: str, when: When | None) -> Draft:
    return Draft(facet=facet, value=value, text=text, single_valued=True, when=when)


def _gone(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The employer of "I'm not at Spotify any more"."""
    value = _employer(match["value"], clause)
    if not named(value):
        return ()
    text = f"The user does not work at {value} any more."
    return (
        Draft(facet="work.employer", value=value, text=text, single_valued=True, retracts=True),
    )


_WORKED = re.compile(r"\bwork(?:ing|ed)?\b", re.IGNORECASE)  # "I left the ..." may be anything


def _left(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _employer(match["value"], clause)
    if not value or not (named(value) or _WORKED.search(clause.text)):
        return ()
    if _journey(match.groupdict().get("how") or "", clause):
        return ()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    return (
        Draft(
            facet="work.employer",
            value=value,
            text=f"The user does not work at {value} any more"
            + (f" (since{date[3:]})." if date else "."),
            single_valued=True,
            when=when,
            retracts=True,
        ),
    )


def _joined(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _employer(match["employer"], clause)
    return _works(match, clause) if named(value) and not value[0].isdigit() else ()


_SHIFT = re.compile(
    r"\b(?:shifts?|nights?|days|jobs?|roles?|positions?|work|working|temp\w*|part|full|time|weekends"
    r"|internship|apprenticeship|placement|contract\w*|deliver\w+|teaching|intern|consult\w+|hours"
    r"|career|gig|new|week|month|monday|yesterday|today|recently)\b",
    re.IGNORECASE,
)


def _on_shift(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """An employer behind words of work: "doing nights at Amazon", and not "yoga with Adriene"."""
    between = match["between"].strip()
    return _joined(match, clause) if not between or _SHIFT.search(between) else ()


def _journey(verb: str, clause: Clause) -> bool:
    """Whether "left X" tells of a journey or of the end of a day: a day is named, and no work."""
    exact = any(when.precision is Precision.DAY for when in clause.dates(past=True))
    return exact and verb.casefold() == "left" and not _WORKED.search(clause.text)


def _status(value: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        text = f"The user is {value}."
        return (Draft(facet="work.status", value=value, text=text, single_valued=True),)

    return make


_TO_THE_END = r"(?: as (?P<role>.+))?\Z"

RULES: tuple[Rule, ...] = (
    rule(
        "work.employer",
        rf"I {ADVERBS}work (?:full[- ]time |part[- ]time |remotely )?(?:at|for|with)"
        rf" (?P<employer>.+?){_TO_THE_END}",
        _works,
    ),
    rule(
        "work.working",
        rf"(?:{I_AM}(?:working|employed)|{I_HAVE}(?:been working|worked)) (?:at|for|with|by)"
        rf" (?P<employer>.+?){_TO_THE_END}",
        _works,
    ),
    rule(
        "work.as",
        rf"(?:I {ADVERBS}work|{I_AM}working|{I_AM}employed) as (?P<role>.+?)"
        r"(?: (?:at|for|with) (?P<employer>.+))?\Z",
        _works,
    ),
    rule(
        "work.role",
        rf"{I_AM}an? (?P<role>.+?)(?: (?:at|for|with) (?P<employer>.+))?\Z",
        lambda match, clause: _works(match, clause) if _role(match["role"], clause) else (),
    ),
    rule(
        "work.job",
        r"my (?:job|occupation|profession) is (?:as |being )?(?P<role>.+)",
        _works,
    ),
    rule(
        "work.began",
        rf"(?:I|I've|I have) {ADVERBS}(?P<began>(?:started|begun|began) (?=(?:work|a new job|my new"
        rf" job|a job|at|for)\b)|joined )"
        rf"(?:(?:working|work|a new job|my new job|a job) )?(?:(?:at|with|for) )?"
        rf"(?P<employer>.+?){_TO_THE_END}",
        _joined,
    ),
    rule(
        "work.shifts",
        rf"(?:I|I've|I have|I'm|I am) {ADVERBS}(?P<began>started|starting|begun|began|doing"
        rf"|working)"
        rf" (?P<between>(?:(?!as\b)[\w-]+ ){{0,4}}?)(?:at|with|for) (?P<employer>.+?){_TO_THE_END}",
        _on_shift,
    ),
    rule(
        "work.since",
        rf"{I_AM}(?:working|employed) (?:since|from|for) .+? (?:like|as) (?:an? )?(?P<role>.+)",
        _works,
    ),
    rule(
        "work.bare_role",
        rf"{I_AM}(?P<role>(?:[a-z]+ ){{0,2}}[a-z]+)(?: of [a-z ]{{2,30}})?(?: (?:at|for|with)"
        rf" (?P<employer>.+))?\Z",
        lambda match, clause: _works(match, clause) if _role(match["role"], clause) else (),
    ),
    rule("work.like", rf"I {ADVERBS}work like (?:an? )?(?P<role>.+)", _works),
    rule(
        "work.does_for",
        rf"I {ADVERBS}(?:drive|clean|cook|fix|code|deliver|teach|sell|design|consult|freelance"
        rf"|guard|fly|repair|build|test|manage|run|do) (?:(?!for\b)[\w' -]){{0,40}}?for"
        rf" (?P<employer>(?:the )?(?-i:[A-Z]).+?){_TO_THE_END}",
        lambda match, clause: _joined(match, clause),
    ),
    rule(
        "work.got_job",
        rf"(?:I|I've|I have) {ADVERBS}(?P<began>got|found|landed|accepted|have) (?:a|the|my)"
        rf" (?:new )?(?:job|position|offer) (?:at|with) (?P<employer>.+?){_TO_THE_END}",
        _works,
    ),
    rule(
        "work.left",
        rf"(?:I|I've|I have) {ADVERBS}(?P<how>left|quit|resigned from|been laid off from"
        r"|been fired from|was laid off from|got fired from|retired from)"
        r" (?:my (?:old )?(?:job|position|role) (?:at|with) )?(?P<value>.+)",
        _left,
    ),
    rule(
        "work.not_at",
        r"(?:I'm|I am) (?:not|no longer) (?:at|with) (?P<value>(?-i:[A-Z])[\w&' -]*?)"
        r"(?: any ?more| any longer| now)?(?:,.*)?\Z",
        lambda match, clause: _gone(match, clause),
    ),
    rule(
        "work.stopped",
        r"I (?:no longer work|don't work|do not work|stopped working|used to work|quit working)"
        r" (?:at|for|with) (?P<value>.+)",
        _left,
    ),
    rule("work.retired", rf"{I_AM}retired\b", _status("retired")),
    rule(
        "work.unemployed",
        rf"{I_AM}(?:unemployed|between jobs|out of work|looking for a (?:new )?job)\b",
        _status("looking for work"),
    ),
    rule(
        "work.business",
        rf"I {ADVERBS}(?:own|run|co-?founded|founded|opened)"
        r" (?P<value>(?:a|an|my own|the) (?:[\w-]+ ){0,3}?(?:company|business|bakery|cafe|café|shop"
        r"|store|restaurant|startup|start-up|studio|farm|bar|agency|school|practice|bookshop"
        r"|brewery|hotel|blog|podcast)\b.*)",
        stated("work.business", "The user runs {value}."),
    ),
)
