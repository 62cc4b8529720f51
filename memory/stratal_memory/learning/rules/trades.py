"""What the user does all day, told by its verb: "clean offices", "been driving for 22 years"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.occupation import role_of
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Rule, bare, cleaned, rule
from stratal_memory.learning.rules.sentences import Clause

_WARES = (
    r"(?:offices|houses|hotel rooms|rooms|schools|cars|bikes|phones|computers|roofs|floors|tiles"
    r"|bricks|parcels|packages|mail|pizzas|trucks?|otr|lorries|buses|a bus|cabs?|taxis?|trains"
    r"|trams|forklifts?|hair|lawns|websites|apps|weddings|cakes|furniture|windows|kitchens"
    r"|bathrooms|pipes|boilers|solar panels|fences|decks|gardens|pools|teeth|nails|clothes)"
)


def _trade(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = " ".join(match["value"].split())
    text = f"What the user does for a living: {value}."
    return (Draft(facet="work.role", value=value, text=text, single_valued=True),)


def _past_trade(match: re.Match[str]) -> Sequence[Draft]:
    value = " ".join(match["value"].split())
    return (Draft(facet="work.past", value=value, text=f"The user {value} for years."),)


def _anniversary(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    text = f"The user has worked {value} in the same company."
    return (Draft(facet="work.tenure", value=value, text=text),)


def _handles(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(cleaned(match["value"], clause))
    if not 0 < len(value.split()) <= 5 or role_of(value, clause):
        return ()
    text = f"The user does {value} for a living."
    return (Draft(facet="work.role", value=value, text=text, single_valued=True),)


RULES: tuple[Rule, ...] = (
    rule(
        "trades.trade_since",
        r"(?:I've|I have) been (?P<value>(?:driving|cleaning|fixing|building|installing"
        r"|delivering|cutting)"
        rf" {_WARES}|teaching(?: \w+)?|nursing|farming|welding|plumbing|bartending|roofing|trucking"
        r"|hairdressing|fishing commercially|driving) (?=(?:\w+ )?(?:for|since)\b).*",
        _trade,
    ),
    rule(
        "trades.trade_past",
        r"I (?P<value>(?:taught|nursed|farmed|practi[sc]ed|drove|flew|coached"
        r"|cooked)(?: \w+){0,2}?) for"
        r" (?:[\w-]+ ){1,2}years\b.*",
        lambda match, clause: _past_trade(match),
    ),
    rule(
        "trades.trade",
        rf"I {ADVERBS}(?P<value>(?:clean|fix|repair|install|deliver|lay|drive|cut|build|paint"
        rf"|design|make"
        rf"|sew|service|wash|mow|do) {_WARES})\b.*",
        _trade,
    ),
    rule(
        "trades.makes",
        rf"I {ADVERBS}(?:make|do) (?P<value>(?:food |pizza |parcel |amazon |uber )?(?:deliveries"
        rf"|delivery)\b.*"
        r"|(?:freelance|contract|shift) work\b.*)",
        _handles,
    ),
    rule(
        "trades.anniversary",
        rf"(?:today is my work anniversary.*?"
        rf"|I {ADVERBS}(?:have )?completed )(?P<value>\d+ years)\b.*",
        _anniversary,
    ),
)
