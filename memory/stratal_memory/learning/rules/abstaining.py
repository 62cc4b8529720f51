"""What the user gave up or never has."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.health import short
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Rule, cleaned, first_date, rule
from stratal_memory.learning.rules.sentences import Clause


def _stopped(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    text = f"The user stopped {value}{date}."
    return (Draft(facet="health", value=f"stopped {value}", text=text, when=when),)


def _smoked(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    text = f"The user does not {value} any more."
    return (Draft(facet="health", value=value, text=text, retracts=True),)


def _without(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause, past=True)
    value = re.sub(r"\s+in my (?:tea|coffee)\Z", "", value)
    if not short(value):
        return ()
    verb = {"eaten": "eat", "drunk": "drink", "had": "have", "touched": "touch"}.get(
        match["verb"].casefold(), match["verb"].casefold()
    )
    over = re.search(r"\b(?:any ?more|any longer|since)\b", clause.text, re.IGNORECASE)
    when = first_date(clause, past=True)
    date = f" {when.phrase().replace('in', 'since', 1)}" if when else " any more" if over else ""
    text = f"The user does not {verb} {value}{date}."
    if when:
        text = f"The user has not {match['verb'].casefold()} {value}{date}."
    return (Draft(facet="diet", value=f"no {value}", text=text),)


RULES: tuple[Rule, ...] = (
    rule(
        "abstaining.without",
        r"I (?:haven't|have not|don't|do not) (?P<verb>eaten|drunk|touched|take|eat|drink)"
        r" (?P<value>[a-z]+(?: in my (?:tea|coffee))?)(?: (?:since|for|any more|any longer)\b.*)",
        _without,
    ),
    rule(
        "abstaining.meat",
        r"I (?:don't|do not) (?P<verb>eat) (?P<value>meat|dairy|gluten|animal products)\b.*",
        _without,
    ),
    rule(
        "abstaining.stopped",
        rf"(?:I|I've) {ADVERBS}(?:stopped|quit|gave up|given up) (?P<value>drinking|smoking"
        r"|vaping)(?! (?:coffee|tea|milk|beer|wine))\b.*",
        _stopped,
    ),
    rule(
        "abstaining.smoked",
        r"I (?:used to|no longer) (?P<value>smoke|drink|vape)(?=\Z|,| but| until)",
        _smoked,
    ),
)
