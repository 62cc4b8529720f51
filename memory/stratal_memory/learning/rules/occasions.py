"""What has its day, said without "my": "demo day is on dec 9", "vet is coming on thursday"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.dates import Precision
from stratal_memory.learning.rules.plans import IN_HAND, OCCASION, drafted
from stratal_memory.learning.rules.rule import ADVERBS, I_AM, Draft, Rule, named, rule
from stratal_memory.learning.rules.sentences import Clause

# Of everybody, or of nobody here.
_PUBLIC = re.compile(
    r"\b(?:christmas|xmas|easter|thanksgiving|halloween|election|black friday|super\s?bowl|eid"
    r"|diwali|ramadan|new year'?s?|world cup"
    r"|finale?s?|premiere|movie|film|episode|season|album|update|patch|release|stock|market|sale|weather|rain|snow|sun|storm|moon"
    r"|eclipse|apple|google|microsoft|nvidia|sony|you|your|it|this|that|there|what|when|who|he|she|they|his|her|their|everyone|today)\b",
    re.IGNORECASE,
)


def _planned(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """It with its exact day, when that is to come."""
    today = clause.at.date()
    dates = [
        when for when in clause.dates() if when.precision is Precision.DAY and when.day > today
    ]
    if not dates or dates[0].span[0] < 0 or len(clause.text.split()) > 16:
        return ()
    subject = match.groupdict().get("what") or ""
    if _PUBLIC.search(subject) or IN_HAND.search(subject):
        return ()
    return (drafted("plan", clause, dates),)


def _ahead(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A stay or a step that is told without a day."""
    if re.search(r"\b(?:you|it|this|that|tonight|today|now|late|there)\b", match["what"]):
        return ()
    dates = [when for when in clause.dates() if when.end.date() > clause.at.date()]
    return (drafted("plan", clause, dates),)


def _life(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    past = [when for when in clause.dates(past=True) if when.day <= clause.at.date()]
    return (drafted("event", clause, past),)


def _parted(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    name = match["name"] or ""
    who = f"their {match['who'].casefold()}" if match["who"] else name
    if not who or (name and not match["who"] and not named(name)):
        return ()
    past = [when for when in clause.dates(past=True) if when.day <= clause.at.date()]
    date = f" {past[0].phrase()}" if past else ""
    text = f"The user broke up with {who}{f' {name}' if match['who'] and name else ''}{date}."
    when = past[0] if past else None
    return (
        Draft(facet="event", value=f"broke up with {name or match['who']}", text=text, when=when),
    )


RULES: tuple[Rule, ...] = (
    rule(
        "occasions.day",
        r"(?P<what>(?:(?:the|my|our|a) )?(?!(?:I|we|you|he|she|they|it|this|that|there|who|what"
        r"|all)\b)[\w'&-]+(?: [\w'&-]+){0,4}?)"
        r" (?:is|are|'s|starts?|begins?|comes?|is coming|are coming|is due|kicks off"
        r"|takes place)\b(?! (?:not|the same|my favou?rite|so|like|a|an)\b)"
        r" .*",
        lambda match, clause: (
            _planned(match, clause)
            if re.match(r"(?:my|our)\b", clause.text, re.IGNORECASE)
            or re.search(
                rf"\b(?:{OCCASION}|day|operation|vet|plumber|electrician|midwife|movers|in-laws|inspection|launch|boards|results"
                r"|meet|practical|theory|induction|orientation|trial|mri|ultrasound|biopsy|treatment|audit|recital|show|gig|tournament|hearing|funeral|baptism|christening"
                r"|reunion|open house|landlord|surveyor"
                r"|builders|closing|rehearsal|prom|hackathon|scan|ceremony|term|school|semester|final)\b",
                match["what"],
                re.IGNORECASE,
            )
            else ()
        ),
    ),
    rule(
        "occasions.going",
        rf"(?:{I_AM}|we're |we are |I'll |I will |we'll )(?P<what>(?:going to (?:be in|move|visit"
        rf"|study|marry|stay|live|spend|retire|train|compete"
        r"|adopt|propose|go back to (?:work|school|uni\w*|college)|start (?:my|a|an|at|working"
        r"|school)|apply|become|have (?:a baby|twins|surgery))|be moving|be hiring|be visiting"
        r"|be starting"
        r"|moving (?:in|to|back|out|abroad)|hiring)\b.*)",
        _ahead,
    ),
    rule(
        "occasions.made_it",
        rf"(?:I|we|I've|we've) {ADVERBS}(?:made|made it (?:to|into|onto)|got|got into"
        rf"|got accepted (?:to|into|at)|got offered|got picked for|won|placed|came|closed"
        rf"|launched|raised|hit|qualified for"
        r"|passed|failed|landed|finished|completed|signed|sold|published|shipped|released)"
        r" (?:the |my |our |an? |second |third |first |last )*(?:[\w-]+ ){0,3}?(?:varsity|team"
        r"|squad|finals|nationals|regionals"
        r"|semis|seed round|round|series [abc]|funding|license|licence|driving test|theory test"
        r"|bar exam|boards|exam|scholarship|internship|promotion|deanship|honou?r roll"
        r"|dean's list|residency"
        r"|citizenship|green card|visa|black belt|certification|marathon|half|tournament"
        r"|championship|award|medal|gold|silver|bronze|book|album|thesis|dissertation|phd|masters|degree|ged"
        r"|apprenticeship|job|offer|mortgage|house|flat|first client|soccer|football|basketball"
        r"|hockey|cheer|band|choir|place|uni|university|college)\b.*",
        _life,
    ),
    rule(
        "occasions.parted",
        rf"(?:I|we) {ADVERBS}(?:broke up|split up|split|broke it off|got dumped|ended things"
        rf"|parted ways|got divorced|got engaged)(?: (?:with|by|from|to))?"
        r"(?: my (?P<who>boyfriend|girlfriend|partner|husband|wife|fianc[eé]e?))?(?:"
        r" (?P<name>(?!last|on|in|this|yesterday|today|a|two|three|after|about|with|because|and"
        r"|so|over)[a-zA-Z]+))?\b.*",
        _parted,
    ),
)
