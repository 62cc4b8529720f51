"""What happened to the user that counts in a life, with its day or without: a birth, a loss."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.plans import IN_HAND, drafted
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Rule, rule
from stratal_memory.learning.rules.sentences import Clause

_ONE = r"(?:I|we|I've|we've|I have|we have)"
_PAPER = (
    r"(?:(?:driving |pilot'?s |teaching |\w+ )?licen[cs]e|degree|diploma|visa|green card"
    r"|citizenship"
    r"|residence permit|permit|certificat\w+|passport|cdl|phd|masters?|results?|braces|promotion"
    r"|keys|diagnosis|black belt|badge|work permit|papers)"
)
_DID = (
    r"(?:gave birth|became an? (?:\w+ ){0,3}|lost (?:my|our) (?:job|house|home|baby|wallet|passport"
    r"|mother|father|mum|dad|mom|keys|phone|gran\w*)"
    r"|had (?:an? |my |our |another )?(?:\w+ ){0,3}?(?:baby|surgery|operation|heart attack|stroke"
    r"|miscarriage|c-section|transplant|accident|car crash|crash|seizure|root canal|biopsy"
    r"|breakdown"
    r"|first child|daughter|son|twins)\b"
    rf"|(?:got|received|earned|renewed) (?:my|our|the) (?:\w+ ){{0,2}}?{_PAPER}\b"
    r"|(?:closed on|exchanged on|completed on|put (?:in )?an offer on|inherited|remortgaged)\b"
    r"|got into (?-i:[A-Z])|got accepted|enrolled|graduated|dropped out|eloped|emigrated|immigrated"
    r"|came out (?:to|as)|went (?:bankrupt|freelance|self[- ]employed)|passed (?:my|the|an?) "
    r"|failed my|filed for|signed (?:the|a) (?:lease|contract)|finished (?:my|the) (?:\w+ )?"
    r"(?:thesis|degree|phd|masters?|book|novel|treatment|chemo\w*|studies|apprenticeship)"
    r"|crashed (?:my|our|the)|totalled (?:my|our|the)|survived|beat cancer|hit \d|celebrated"
    r"|fell (?:off|down|over)|sprained|broke (?:my|a) \w+|twisted my|fractured|ran my first"
    r"|(?:finished|completed|earned) (?:my|an?|the) (?!(?:\w+ ){0,2}(?:shake|sets?|shift|homework"
    r"|gym|workout|meal|lunch|dinner"
    r"|breakfast|coffee|laundry|dishes|work|assignment|task|reading|show|season|movie|episode|game|report|slides|draft|essay|email"
    r"|call|meeting|shopping|chores|nails|hair|makeup|tea|drink|run|book)\b)"
    r"|did my (?:first|last|masters|phd|degree|training|residency|internship|apprenticeship|gcses"
    r"|a[- ]levels|bachelors))"
)
_SUFFERED = (
    r"(?:made redundant|laid off|fired|sacked|let go|evicted|mugged|robbed|burgled|scammed|hacked"
    r"|furloughed|diagnosed with|hospitali[sz]ed|adopted|deported|promoted|accepted|admitted"
    r"|elected|ordained|drafted|awarded|nominated|rear[- ]ended|knighted|dumped|widowed)"
)
# What of the user's something may happen to; machines fail every day, and nobody remembers it.
_OURS = (
    r"(?:divorce|house|flat|apartment|home|car|bike|van|caravan|shed|garden|basement|kitchen"
    r"|bathroom|roof|shop|office|boat|baby|wedding|engagement|visa|mortgage|offer|application"
    r"|papers?|passport|wallet|bag|purse|surgery|operation|treatment|adoption|lease|contract"
    r"|scan|biopsy|thesis|book|novel|album|house sale|sale|school|village|street)"
)


def _life(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """It, with its day where one was named that is past."""
    today = clause.at.date()
    dates = [when for when in clause.dates(past=True) if when.day <= today]
    if any(when.day > today for when in clause.dates()) and not dates:
        return ()
    return (drafted("event", clause, dates),)


def _dated(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The same, when a day was named."""
    today = clause.at.date()
    past = any(when.day <= today for when in clause.dates(past=True))
    if not past or IN_HAND.search(clause.text):
        return ()
    return _life(match, clause)


RULES: tuple[Rule, ...] = (
    rule("moments.did", rf"{_ONE} {ADVERBS}{_DID}.*", _life),
    rule(
        "moments.suffered",
        rf"(?:(?:I|we) (?:was|were|got) |(?:I've|we've|I have|we have) (?:just )?been )"
        rf"{ADVERBS}{_SUFFERED}\b.*",
        _life,
    ),
    rule(
        "moments.ours",
        rf"(?:my|our|the) (?:\w+ ){{0,2}}?{_OURS} {ADVERBS}(?:was|were|got|has been|have been|came"
        r"|went|burned|burnt|flooded|collapsed|broke down)\b.*",
        _dated,
    ),
    rule(
        "moments.dated",
        rf"{_ONE} {ADVERBS}(?:signed|joined|quit|left|launched|published|released|opened|founded"
        r"|sold|hosted|recovered|returned|came back|got back|got home|arrived|landed|broke|tore"
        r"|hurt"
        r"|sprained|cut|burned|burnt|caught|celebrated|completed|ran|won|climbed|swam|cycled|flew"
        r"|drove|buried|lost|met|started|stopped|gave up|turned|began|gave a)\b.*",
        _dated,
    ),
)
