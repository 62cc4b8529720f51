"""What the user does, said in other ways than "I work at": teaching, leading, selling."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Make,
    Rule,
    cleaned,
    first_date,
    named,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import NO_EMPLOYER, ROLE_HEADS
from stratal_memory.learning.wordlist import words

_TIME = r"(?:full[- ]time|part[- ]time|remotely|nights|days|weekends|shifts|evenings|mostly)"
_NO_FIELD = words(
    """
    the my a an progress pairs teams silence groups bed there here person parallel mornings
    """
)
_AT = re.compile(r"\s+(?:at|for|with|in|called|by)\s+", re.IGNORECASE)
_CALLED = re.compile(r"\bcalled (?P<name>(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*){0,2})")
_FOR = re.compile(r"\s+(?:for|since|until|because|with|of)\b.*\Z", re.IGNORECASE)


def _job(role: str, text: str) -> Draft:
    return Draft(facet="work.role", value=role, text=text, single_valued=True)


def _at(employer: str) -> Draft:
    text = f"The user works at {employer}."
    return Draft(facet="work.employer", value=employer, text=text, single_valued=True)


def role_of(raw: str, clause: Clause) -> str:
    """The occupation `raw` begins with, when its last word is one we know."""
    value = re.sub(
        r"\A(?:an?|the only|the|only|one of the) ", "", _AT.split(cleaned(raw, clause))[0]
    )
    parts = value.split()
    known = 0 < len(parts) <= 5 and parts[-1].casefold().removesuffix("s") in ROLE_HEADS
    return value if known else ""


def _roles(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The one or two occupations of "a beekeeper and a part-time librarian", and for whom."""
    raw = match["value"]
    head = re.split(r"\b(?:at|for|with|in)\b", raw, maxsplit=1)[0]
    found = [role_of(part, clause) for part in re.split(r" and (?:an? )?", head)]
    drafts = [_job(role, f"The user works as {_article(role)}.") for role in found if role]
    several = len(drafts) > 1
    drafts = [
        Draft(facet=d.facet, value=d.value, text=d.text, single_valued=not several) for d in drafts
    ]
    place = re.search(r"\b(?:at|for|with)\s+(?:an?|the|my)?\s*(?P<place>.+)", raw)
    if drafts and place:
        called = _CALLED.search(place["place"])
        employer = called["name"] if called else _FOR.sub("", cleaned(place["place"], clause))
        employer = re.split(r" in (?=[A-Z])", employer)[0]
        if named(employer) or called:
            drafts.append(_at(employer))
    return drafts


def _article(role: str) -> str:
    return f"an {role}" if role[:1].casefold() in "aeiou" else f"a {role}"


def _promoted(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    role, _, employer = cleaned(match["value"], clause, past=True).partition(" at ")
    if not 0 < len(role.split()) <= 6:
        return ()
    drafts = [_job(role, f"The user works as {role}.")]
    return [*drafts, _at(employer)] if employer else drafts


def _field(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value, _, employer = cleaned(match["value"], clause).partition(" at ")
    parts = value.split()
    indoors = re.match(
        r"an? (?:\w+ )?(?:bakery|office|shop|store|hospital|school|factory|bank|cafe"
        r"|café|kitchen|restaurant|lab|laboratory|library|museum|warehouse|hotel|bar"
        r"|nursery|pharmacy|garage|salon|clinic|studio|supermarket|bookshop)\b",
        value,
    )
    if not 0 < len(parts) <= 5 or (parts[0].casefold() in _NO_FIELD and not indoors):
        return ()
    text = f"The user works in {value}."
    drafts = [Draft(facet="work.field", value=value, text=text, single_valued=True)]
    return [*drafts, _at(employer)] if employer and named(employer) else drafts


def _teaches(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    what = cleaned(match["value"], clause)
    subject = re.split(r"\s+(?:at|in|to)\s+", what)[0]
    if not 0 < len(subject.split()) <= 4 or subject.casefold() in {"you", "it", "myself", "them"}:
        return ()
    return (_job(f"teacher of {subject}", f"The user teaches {what}."),)


def _does(verb: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        value = cleaned(match["value"], clause)
        if not 0 < len(value.split()) <= 6 or value.casefold().split()[0] in {"it", "my", "them"}:
            return ()
        return (_job(f"{verb} {value}", f"The user {verb} {value}."),)

    return make


def _before(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    role = role_of(match["value"], clause)
    return (_job(role, f"The user works as {_article(role)}."),) if role else ()


def _leave(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = f"on {match['value'].casefold()}"
    when = first_date(clause)
    until = f" until {when.phrase().partition(' ')[2]}" if when else ""
    text = f"The user is {value}{until}."
    return (Draft(facet="work.status", value=value, text=text, single_valued=True),)


def _retired(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    text = f"The user retired{date}."
    return (Draft(facet="work.status", value="retired", text=text, single_valued=True, when=when),)


def _back(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    employer = cleaned(match["value"], clause)
    first = employer.casefold().split()[:1]
    fits = 0 < len(employer.split()) <= 5 and first[0] not in NO_EMPLOYER
    return (_at(employer),) if fits else ()


def _team(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return (_at(match["value"]),)


_CAP = r"(?-i:[A-ZÀ-Þ][\w&'-]*(?: [A-ZÀ-Þ][\w&'-]*){0,3})"

RULES: tuple[Rule, ...] = (
    rule(
        "occupation.roles",
        rf"(?:{I_AM}(?:an?|the|one of the|also an?) |I work (?:{_TIME} )?as (?:an? )?"
        rf"|{I_AM}(?:freelancing|working|training) as (?:an? )?|{I_HAVE}been (?:an? "
        rf"|working as (?:an? )?))"
        r"(?P<value>.+)",
        _roles,
    ),
    rule(
        "occupation.employer",
        rf"(?:I|we) {ADVERBS}work(?: {_TIME})* (?:at|for) (?P<value>(?:the |a |an )?[^\W\d_].+)",
        lambda match, clause: _back(match, clause),
    ),
    rule(
        "occupation.promoted",
        rf"(?:I|I've|I was|I've been|I got) {ADVERBS}(?:got |been )?promoted to (?P<value>.+)",
        _promoted,
    ),
    rule("occupation.field", rf"I {ADVERBS}work (?:{_TIME} )?in (?P<value>.+)", _field),
    rule("occupation.teaches", rf"I {ADVERBS}teach (?!myself|you|it\b)(?P<value>.+)", _teaches),
    rule("occupation.sells", rf"I {ADVERBS}sell (?P<value>.+)", _does("sells")),
    rule(
        "occupation.living",
        rf"I {ADVERBS}(?P<verb>make|build|design|fix|repair|restore|write|paint|translate"
        rf"|bake|grow)"
        r" (?P<value>.+?) for a living",
        lambda match, clause: _does(match["verb"].casefold() + "s")(match, clause),
    ),
    rule(
        "occupation.drives",
        rf"I {ADVERBS}drive (?P<value>an? (?:bus|taxi|cab|truck|lorry|tram|train|van)\b.*)",
        _does("drives"),
    ),
    rule(
        "occupation.was",
        r"I was an? .+? before (?:I became|becoming|I turned|turning) (?:an? )?(?P<value>.+)",
        _before,
    ),
    rule(
        "occupation.leave",
        rf"(?:{I_AM}(?:currently )?)on (?P<value>(?:parental|maternity|paternity|sick"
        rf"|medical) leave"
        r"|(?:a )?sabbatical)\b.*",
        _leave,
    ),
    rule("occupation.retired", rf"I {ADVERBS}retired\b(?! from (?-i:[A-Z])).*", _retired),
    rule(
        "occupation.job_is",
        rf"my (?:day )?(?:job|work) is {ADVERBS}(?P<value>\w+ing .+)",
        stated("work.role", "The user's job is {value}.", single=True),
    ),
    rule(
        "occupation.back",
        r"I (?:go|went|am going) back to (?:my )?(?:job|work) at (?P<value>.+)",
        _back,
    ),
    rule(
        "occupation.team",
        rf"(?:my|our) (?:team|office|colleagues|job|desk|manager|department|internship|company"
        rf"|squad)(?: here| \w+s (?:the|our|an?) [\w -]{{1,40}}?)? at (?P<value>{_CAP})\b.*",
        _team,
    ),
    rule(
        "occupation.at_now",
        rf"{I_AM}(?:now )?at (?P<value>(?:the )?(?:[\w-]+ ){{0,3}}?(?:archive|library|university"
        r"|hospital|museum|ministry|council|bank|agency|clinic|school|institute|post office))"
        r"(?: now)?\Z",
        _back,
    ),
)
