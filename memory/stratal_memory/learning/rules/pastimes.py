"""What the user does for pleasure and likes, in other words than "I like"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Make,
    Rule,
    bare,
    cleaned,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause

_ACT = (
    r"(?:pottery|ceramics|yoga|pilates|karate|judo|aikido|boxing|kickboxing|ballet|ballroom|salsa"
    r"|crossfit|parkour|calligraphy|photography|archery|gymnastics|embroidery|origami|woodworking"
    r"|stand-?up|improv|triathlons?|marathons?|crosswords?|sudoku|puzzles|cosplay|astronomy)"
)
_ALONE = (
    r"(?:sing|dance|paint|draw|knit|crochet|sew|garden|fish|hunt|climb|surf|ski|skate|cycle"
    r"|swim|hike"
    r"|bake|brew|fence|row|sail|juggle|meditate|box|lift|camp|birdwatch|sculpt|skateboard|snowboard"
    r"|forage|kayak|scuba dive|dive|quilt|run|jog)"
)
_ING = (
    r"(?:sing|danc|paint|draw|knitt|crochet|sew|garden|fish|hunt|climb|surf|ski|skat|cycl"
    r"|swimm|hik|bak"
    r"|brew|fenc|row|sail|juggl|meditat|box|camp|birdwatch|skateboard|snowboard|forag|kayak"
    r"|div|quilt"
    r"|runn|jogg|boulder|trekk|backpack|geocach|bird watch)ing"
)
_ROLE = (
    r"(?:goalkeeper|striker|defender|midfield\w*|point guard|lead|rhythm|first violin"
    r"|second violin)"
)


def _hobby(value: str, text: str) -> Draft:
    return Draft(facet="hobby", value=value, text=text)


def _simple(text: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        value = bare(cleaned(match["value"], clause))
        if not 0 < len(value.split()) <= 7:
            return ()
        return (_hobby(value, text.format(value=value)),)

    return make


def _alone(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    said = cleaned(match["value"], clause)
    verb, _, rest = said.partition(" ")
    verb = verb.casefold() + ("es" if verb.casefold().endswith(("sh", "x")) else "s")
    if len(said.split()) > 7:
        return ()
    return (_hobby(said, f"The user {verb} {rest}"),)


def _coaches(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    verb = match["verb"].casefold()
    said = {"coach": "coaches", "collect": "collects", "keep": "keeps", "breed": "breeds"}[verb]
    if not 0 < len(value.split()) <= 8 or value.casefold().split()[0] in {"it", "my", "them"}:
        return ()
    return (_hobby(value, f"The user {said} {value}."),)


def _gave_up(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(cleaned(match["value"], clause))
    if not 0 < len(value.split()) <= 4:
        return ()
    text = f"The user does not play {value} any more."
    return (Draft(facet="hobby", value=value, text=text, retracts=True),)


RULES: tuple[Rule, ...] = (
    rule("pastimes.collects", rf"I {ADVERBS}(?P<verb>collect|coach|breed) (?P<value>.+)", _coaches),
    rule(
        "pastimes.bees",
        rf"(?:I|we) {ADVERBS}(?P<verb>keep) (?P<value>(?:bees|chickens|hens|ducks|goats"
        r"|sheep|pigeons|reptiles|koi|quail|alpacas|llamas|horses)\b.*)",
        _coaches,
    ),
    rule(
        "pastimes.volunteers",
        rf"I {ADVERBS}volunteer (?P<value>(?:at|for|with|as|in) .+)",
        _simple("The user volunteers {value}."),
    ),
    rule(
        "pastimes.does",
        rf"I {ADVERBS}(?:do|practi[sc]e|teach myself) (?:a lot of |some )?(?P<value>{_ACT}\b.*)",
        _simple("The user does {value}."),
    ),
    rule(
        "pastimes.goes",
        rf"(?:I|we) {ADVERBS}go (?P<value>(?:[\w-]+ )?(?:{_ING})\b(?! out).*)",
        _simple("The user goes {value}."),
    ),
    rule(
        "pastimes.since",
        rf"{I_HAVE}been (?:doing |practi[sc]ing |into )?(?P<value>{_ING}|{_ACT})\b(?! (?:that"
        rf"|this|it)\b)"
        r"(?: [\w ]+)? (?:since|for)\b.*",
        _simple("The user does {value}."),
    ),
    rule(
        "pastimes.playing",
        rf"(?:{I_HAVE}been playing|I {ADVERBS}play|{I_AM}playing) (?:the |some )?"
        r"(?P<value>(?-i:[a-z]+)(?: (?:bass|guitar|drums|flute|hockey|football|tennis|guitar))?)"
        r"(?= (?:since|for|in an?|with an?|on (?:weekends|\w+days))\b)",
        _simple("The user plays {value}."),
    ),
    rule(
        "pastimes.position",
        rf"I {ADVERBS}play (?P<value>{_ROLE})\b",
        _simple("The user plays {value}."),
    ),
    rule(
        "pastimes.acts",
        rf"I {ADVERBS}(?P<value>{_ALONE}(?: (?:in an?|with an?|with my|alto|soprano|tenor"
        rf"|bass|at|on"
        r" (?:weekends|\w+days)|every|most|a lot|miniatures|watercolou?rs?|portraits"
        r"|landscapes|bread"
        r"|cakes|beer|sourdough|twice|three times|regularly|marathons|competitively|outdoors"
        r"|for fun)\b.*)?)\Z",
        _alone,
    ),
    rule(
        "pastimes.no_longer",
        r"I (?:no longer|don't|do not|stopped|quit|gave up|used to) (?:play|playing)(?: the)?"
        r" (?P<value>(?!any|with|a\b|it\b|that\b|this\b|them\b|to\b|on\b|in\b)[a-z]+)\b.*",
        _gave_up,
    ),
    rule(
        "pastimes.getting_into",
        rf"(?:{I_HAVE}|{I_AM}|I ){ADVERBS}(?:been )?{ADVERBS}(?:got|getting|gotten"
        rf"|get) {ADVERBS}into"
        r" (?P<value>(?!trouble|it\b|the\b|my\b|an?\b|bed\b|debt|(?-i:[A-Z]))[\w -]+)",
        _simple("The user has got into {value}."),
    ),
    rule(
        "pastimes.hobby_is",
        r"my (?:main |favou?rite |only )?(?:hobby|hobbies|pastime|passion|thing)(?:'s| is| are)"
        r" (?P<value>.+)",
        _simple("The user's hobby is {value}."),
    ),
)
