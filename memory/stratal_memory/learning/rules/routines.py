"""What the user does again and again, and the figures of a life: "I have therapy on Tuesdays"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.learning.rules.attributes import DAYS, about
from stratal_memory.learning.rules.phrasing import sentence, third_person
from stratal_memory.learning.rules.plans import IN_HAND
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Rule, rule
from stratal_memory.learning.rules.sentences import Clause

_TIME = (
    r"(?P<value>(?:(?:a )?(?:quarter|half)(?: past| to)? |\d+ (?:past|to) )?"
    r"(?:\d{1,2}(?:[:.h]\d\d)?|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|four|three"
    r"|one|two)(?:[- ]?(?:am|pm|a\.m\.|p\.m\.|thirty|fifteen|o'?clock|ish))?)"
)
_USUALLY = (
    r"(?:(?:usually|normally|always|generally|typically|now|mostly|tend to|have to|still|try to"
    r"|currently|wanna|just|only|often|these days) )*"
)
_TILL = (
    r"(?:(?= (?:every|on|these|now|most|during|for|because|so|and|but|in|to|at|lately)\b)|,| now"
    r"|\Z).*"
)
_AT = r"(?:at |around |about |by |for )*"
_DAYS = r"(?:(?:mon|tues?|wednes|thurs|fri|satur|sun)days|weekdays|weekends)"  # each of them
_EVERY = (
    rf"(?:on {_DAYS}(?:(?:,| and| &|, and) (?:on )?{_DAYS})*|every (?:other |single |second"
    rf" )?(?:day"
    rf"|morning|evening|night|week|month|weekend|{DAYS})(?: (?:morning|evening|night|afternoon)s?)?"
    r"|(?:once|twice|\d(?:-\d)? times|(?:two|three|four|five) times) (?:a|per) (?:day|week|month"
    r"|year)|\d(?:-\d)? (?:days|nights) (?:a|per) week|(?:most|on) (?:days|weekends|mornings"
    r"|evenings"
    r"|nights)|daily|weekly)"
)
_ACT = (
    r"(?P<act>(?:do|have|take|play|go|train|swim|run|cycle|volunteer|teach|sing|dance|climb|box|row"
    r"|practi[sc]e|meditate|meet|visit|see|call|attend|host|cook|bake|journal|lift|work out|walk"
    r"|ride|coach|paint|work|babysit|fast|stream|drum|skate|surf|ski|garden|hike|jog)\b[^,;:]{0,50}?)"
)
_CHAT = re.compile(
    r"\b(?:you|it|this|that|them|problem|issue|headache|trouble|question|no idea|time|errors?"
    r"|same|wrong|crazy|mad|nuts)\b",
    re.IGNORECASE,
)


def _habit(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """What is done, under what it is, so that other days replace these."""
    act = " ".join(match["act"].split())
    if _CHAT.search(act) or IN_HAND.search(act) or len(act.split()) > 7:
        return ()
    told = f"{act} {match['often']}"
    key = re.sub(r"\A(?:do|have|go to|go|play|take|see|an?|my|the) ", "", act.casefold())
    facet = "habit." + "_".join(re.findall(r"[\w-]+", key)[:4] or ["routine"])
    value = re.sub(r"\A(?:do|have|go to|play|take) ", "", told, flags=re.IGNORECASE)
    text = sentence(third_person(f"I {told}"))
    return (Draft(facet=facet, value=value, text=text, single_valued=True),)


def _takes(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"]
    if re.match(r"(?:some|the|any|my|two|a|no|these|those|your|more)\b", value, re.IGNORECASE):
        return ()
    return (Draft(facet="medication", value=value, text=f"The user takes {value}."),)


@dataclass(frozen=True, slots=True)
class _Told:
    """Makes one statement of a time, a figure or a day."""

    noun: str
    text: str

    def __call__(self, match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        """The statement."""
        value = " ".join(match["value"].split()).strip(" ,.")
        return (about(self.noun, value, self.text.format(value=value)),)


RULES: tuple[Rule, ...] = (
    rule(
        "routines.rises",
        rf"(?:I|we) {_USUALLY}(?:get up|wake up|rise|set my alarm) {_USUALLY}{_AT}{_TIME}{_TILL}",
        _Told("wake-up time", "The user gets up at {value}."),
    ),
    rule(
        "routines.sleeps",
        rf"I {_USUALLY}(?:go to bed|go to sleep|am in bed|turn in) {_USUALLY}{_AT}{_TIME}{_TILL}",
        _Told("bedtime", "The user goes to bed at {value}."),
    ),
    rule(
        "routines.started",
        rf"(?:I|I've|I have) {ADVERBS}(?:started|begun) (?:getting|waking) up {_AT}{_TIME}{_TILL}",
        _Told("wake-up time", "The user gets up at {value}."),
    ),
    rule(
        "routines.starts",
        rf"I {_USUALLY}(?:start|begin) (?:work|my shift|my day) {_AT}{_TIME}{_TILL}",
        _Told("start of work", "The user starts work at {value}."),
    ),
    rule(
        "routines.home_office",
        rf"I {_USUALLY}(?:work from home|wfh|work remotely) (?:on |every )?(?P<value>{DAYS}"
        rf"(?:(?:,| and| &|, and) {DAYS})*)\b.*",
        _Told("work-from-home days", "The user works from home on {value}."),
    ),
    rule(
        "routines.office",
        rf"(?:I'm in|I go (?:in)?to|I work from) the office {_USUALLY}(?:on |every"
        rf" )(?P<value>{DAYS}"
        rf"(?:(?:,| and| &|, and) {DAYS})*)\b.*",
        _Told("office days", "The user is in the office on {value}."),
    ),
    rule(
        "routines.earns",
        rf"I {_USUALLY}(?:make|earn|get paid|am on|take home) (?P<value>(?:about |around )?[$£€]?\d"
        r"[\d.,]*k?(?: ?(?:euros?|pounds?|quid|dollars?|bucks|€|£|\$))?(?: (?:a|per|an) (?:year"
        r"|month"
        r"|week|hour)|k| before tax| after tax| net| gross))\b.*",
        _Told("salary", "The user earns {value}."),
    ),
    rule(
        "routines.weighs",
        r"I (?:weigh|now weigh|currently weigh|weigh about|weigh around) (?P<value>\d[\d.]* ?(?:kg"
        r"|kgs|kilos?|lbs?|pounds|stone)?)\b.*",
        _Told("weight", "The user weighs {value}."),
    ),
    rule(
        "routines.size",
        rf"I {_USUALLY}(?:wear|take|need) (?:an? )?size (?P<value>\d[\d./]*) (?:in )?(?:shoes?"
        r"|trainers|boots|sneakers)\b.*",
        _Told("shoe size", "The user's shoe size is {value}."),
    ),
    rule(
        "routines.commutes",
        rf"I {_USUALLY}(?P<value>(?:cycle|bike|walk|take the [\w:.]+(?: \w+)?|get the [\w:.]+"
        r"(?: \w+)?|commute by \w+)) to (?:work|the office|school|uni|college)\b.*",
        _Told("way to work", "The user's way to work: {value}."),
    ),
    rule(
        "routines.travels",
        rf"I {_USUALLY}(?:go|get|travel|come|ride|commute)(?: in)?(?: to (?:work|the office"
        rf"|school|uni))?"
        r" (?:by|on|with) (?P<value>(?:the |my |a )?(?:\w+ )?(?:bike|bicycle|car|bus|train|tram"
        r"|tube"
        r"|metro|subway|ferry|scooter|foot|boat|moped|motorbike|skateboard|ebike|e-bike)) ?(?:to"
        r" (?:work"
        r"|the office|school|uni))?(?: now)?(?:,.*)?\Z",
        _Told("way to work", "The user goes to work by {value}."),
    ),
    rule(
        "routines.takes",
        rf"(?:I|I'm|I am) {_USUALLY}(?:take|taking|on) (?P<value>(?:\w+ ){{1,3}}?(?:tablets?|pills?"
        r"|supplements?|capsules?|inhaler|injections?|drops|antibiotics|antihistamines|statins"
        r"|beta blockers|blood thinners|painkillers))\b.*",
        _takes,
    ),
    rule(
        "routines.does",
        rf"I {_USUALLY}do (?P<value>(?!something|nothing|anything|everything|thing|washing|shopping"
        r"|cleaning|fine|being|during|morning|evening|king)[a-z]{3,}ing)(?: (?:as a hobby|for"
        r" fun|now"
        r"|too|sometimes))?\W*\Z",
        lambda match, clause: (
            Draft(facet="hobby", value=match["value"], text=f"The user does {match['value']}."),
        ),
    ),
    rule(
        "routines.plays",
        rf"I {_USUALLY}play the (?P<value>(?!game|role|part|victim|long|field|odds|lottery|fool"
        rf"|guitar"
        r"|piano|music|song|market|same|system|hero|villain|lead|blame|waiting|cards)[a-z]+(?:"
        r" [a-z]+)?)"
        r"(?: (?:in|with|for|now|badly|a bit|a little)\b.*)?\Z",
        lambda match, clause: (
            Draft(
                facet="hobby", value=match["value"], text=f"The user plays the {match['value']}."
            ),
        ),
    ),
    rule(
        "routines.habit",
        rf"(?:I|we|I've) {_USUALLY}{_ACT} (?P<often>{_EVERY})(?: (?:now|though|at the moment"
        rf"|after work"
        r"|before work|these days))?\W*\Z",
        _habit,
    ),
)
