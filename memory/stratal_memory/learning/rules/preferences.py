"""What the user likes and dislikes."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    Draft,
    Make,
    Rule,
    bare,
    cleaned,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words

_CATEGORIES = {
    "drink": """
    tea coffee espresso cappuccino latte beer wine water juice milk cocoa whisky whiskey gin vodka
    rum cola lemonade kombucha matcha cider soda smoothies mate drink drinks
    """,
    "food": """
    pizza pasta sushi cheese chocolate bread fish meat beef pork chicken rice soup salad cilantro
    coriander mushrooms mushroom olives onions onion garlic tofu curry ramen tacos burgers eggs
    seafood shrimp broccoli spinach tomatoes tomato cake ice-cream food cuisine dish fruit
    vegetables anchovies liver licorice raisins pineapple nuts peanuts noodles dumplings steak
    """,
    "music": """
    jazz rock pop metal techno opera blues rap hip-hop classical folk reggae music band song album
    singer
    """,
    "colour": """
    red blue green yellow purple orange pink black white grey gray turquoise teal colour color
    """,
    "sport": """
    football soccer tennis basketball hiking running swimming cycling climbing yoga skiing surfing
    golf chess boxing volleyball rugby cricket badminton sport team
    """,
    "book": "book books novel novels author poetry",
    "film": "film films movie movies series",
}
_CATEGORY = {word: name for name, words in _CATEGORIES.items() for word in words.split()}

# What begins so points at something said before, at the assistant, or at nothing durable.
VAGUE = re.compile(
    r"(?:it|its|it's|yours|mine|hers|theirs|ours|that|that's|this|these|those|them|you|your"
    r"|him|her|his|he|she|they|their|how"
    r"|what|when|where|why|who|both|all|neither|none|one|some|everything|nothing|anything|something"
    r"|option|number|version"
    r"|to (?:know|see|say|think|bother|ask|admit|interrupt|break|hear|be|have)"
    r"|being|having|the (?:way|idea|sound|look|fact|answer|first|second|third|last|other|others|new"
    r"|previous|result|suggestion|suggestions|option|tone|draft|version|code|text|list|plan|design"
    r"|one|ones|same|concept|direction|style|structure|example|examples|response|explanation"
    r"|thought|latter|former)|my (?:new|old)|so far|much|people like|a good|an?)\b",
    re.IGNORECASE,
)
_NO_BEGINNING = re.compile(
    r"(?:towards?|at|in|on|with|for|from|about|like|cause|because|when|so|too|really|mostly|my (?:life|job here)|life|that|not"
    r"|as|of|by|into|than|over)\b",
    re.IGNORECASE,
)
_YOU = re.compile(r"\byou(?:r|rs)?\b", re.IGNORECASE)
# "I just LOVE waiting": who shouts the verb means the contrary as often as not.
_SHOUTED = words("love like adore enjoy so such")
# Nobody likes these but in irony.
_UNWELCOME = re.compile(
    r"(?:losing|waiting|failing|paying|queu\w+|being (?:ignored|late|told|sick|stuck)|getting"
    r" (?:stuck"
    r"|ignored|lost|sick|up at)|debugging|sitting in traffic|mondays?|traffic|taxes|spam|bugs"
    r"|delays"
    r"|wasting|spending (?:hours|my)|redoing|repeating|rebooting|restarting|another)\b",
    re.IGNORECASE,
)
# "the ending", "the colours": of what lies before both; these alone are liked wherever they are.
_THE = re.compile(r"the [a-z]+\Z")
_OUTSIDE = words(
    """
    sea seaside ocean mountains beach outdoors countryside city rain sun snow cold heat winter
    summer autumn spring theatre theater cinema opera gym forest woods desert stars night dark
    alps sky wind water wild quiet silence nineties eighties seventies simpsons beatles
    """
)
_NO_OBJECT = words(
    """
    well fine better best again more less most first sure likely not
    """
)


def liked(raw: str, clause: Clause) -> str:
    """The thing liked in `raw`; empty when it is too vague, or said of the assistant."""
    value = cleaned(raw, clause)
    parts = value.split()
    if (
        not 0 < len(parts) <= 8
        or VAGUE.match(value)
        or _NO_BEGINNING.match(value)
        or parts[0].casefold() in _NO_OBJECT
        or _YOU.search(value)
        or parts[-1].casefold() in {"one", "ones", "any"}
        or _UNWELCOME.match(value)
        or (_THE.match(value) and parts[1].casefold() not in _OUTSIDE)
        or any(part.isupper() and part.casefold() in _SHOUTED for part in clause.text.split())
    ):
        return ""
    return value


def category(head: str, value: str) -> str:
    """The facet of a liking: "preference.drink" for tea, "preference" for what has no kind."""
    parts = re.findall(r"[\w-]+", value.casefold())
    known = [_CATEGORY[word] for word in parts if word in _CATEGORY]
    things = [name for name in known if name != "colour"] or known  # black tea is a tea
    return f"{head}.{things[-1]}" if things else head


def _taste(head: str, verb: str, *, retracts: bool = False) -> Make:
    """A like or a dislike. "I like tea and jazz" gives two."""

    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        said = match.groupdict().get("verb")
        does = verb.format(verb=said.casefold() if said else "")
        return tuple(
            Draft(
                facet=category(head, value),
                value=bare(value),
                text=f"The user {does} {value}.",
                retracts=retracts,
            )
            for value in several(match["value"], clause)
        )

    return make


_LIST = re.compile(
    r"[\w-]+(?: [\w-]+)?(?:, [\w-]+(?: [\w-]+)?){1,6},? (?:and|or) [\w-]+(?: [\w-]+)?\Z"
)


def several(raw: str, clause: Clause) -> list[str]:
    """The things liked in `raw`, apart where short ones are joined by commas, "and" or "or"."""
    if _LIST.match(raw):
        parts = re.split(r",? (?:and|or) |, ", raw)
    else:
        value = liked(raw, clause)
        parts = re.split(r" (?:and|or) ", value)
        if any(len(part.split()) > 2 for part in parts) or "between" in value:
            parts = [value]
    return [part for part in (liked(part, clause) for part in parts) if part]


def _preferred(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The tea of "I prefer tea to coffee", and what it is preferred to."""
    both = re.split(r" (?:to|over|rather than|instead of) (?=\w)", match["value"], maxsplit=1)
    value = liked(both[0] if both[0] else match["value"], clause)
    other = cleaned(both[1], clause) if len(both) == 2 else ""
    if not value or value.casefold() == "not":
        return ()
    facet = category("preference", value)
    return (
        Draft(
            facet=facet,
            value=bare(value),
            text=f"The user prefers {value}{f' to {other}' if other else ''}.",
            single_valued=bool(other) and facet != "preference",
        ),
    )


def _favourite(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    thing = " ".join(match["thing"].casefold().split())
    if re.search(r"\b(?:it|here|this|that|these|them|yours)\b", thing):
        return ()
    if not 0 < len(value.split()) <= 10 or (VAGUE.match(value) and not re.match(r"an?\b", value)):
        return ()
    verb = "are" if match["verb"].casefold() == "are" else "is"
    return (
        Draft(
            facet=f"favourite.{thing.replace(' ', '_')}",
            value=value,
            text=f"The user's favourite {thing} {verb} {value}.",
            single_valued=True,
            correction=bool(re.search(r", not \S+\Z", clause.text)),
        ),
    )


RULES: tuple[Rule, ...] = (
    rule(
        "preferences.prefer",
        rf"(?:I|we|I'd|I would) {ADVERBS}(?:much )?prefer (?P<value>.+)",
        _preferred,
    ),
    rule(
        "preferences.favourite",
        r"my (?:all-time )?(?:favou?rite|preferred|go-to) (?P<thing>[\w-]+(?: [\w-]+){0,2}?)"
        r"(?P<verb>'s| is| are| has always been) (?P<value>.+)",
        _favourite,
    ),
    rule(
        "preferences.like",
        rf"(?:I|I've) {ADVERBS}(?:always )?(?P<verb>like|love|enjoy|adore|loved|liked|enjoyed)"
        r" (?P<value>.+)",
        lambda match, clause: (
            _taste("preference", "likes")(match, clause)
            if match["verb"].casefold() in {"like", "love", "enjoy", "adore"}
            or clause.text.casefold().startswith("i've always")
            else ()
        ),
    ),
    rule(
        "preferences.fan",
        rf"{I_AM}(?:into|fond of|keen on|crazy about|a (?:big |huge |great )?fan of"
        r"|a (?P<value_>\w+) (?:lover|addict|enthusiast)\b)(?: (?P<value>.+))?",
        lambda match, clause: (
            _taste("preference", "likes")(match, clause) if match["value"] else ()
        ),
    ),
    rule(
        "preferences.drink",
        rf"(?:I|we) {ADVERBS}(?P<verb>drink|eat|listen to|watch|read) (?P<value>.+)",
        lambda match, clause: (
            _taste("preference", "likes to {verb}")(match, clause)
            if re.match(r"\w+ (?:usually|always|mostly|only)\b", clause.text)
            else ()
        ),
    ),
    rule(
        "preferences.no_longer",
        r"I (?:no longer|stopped|quit|gave up|don't|do not|used to)"
        r" (?:like|love|enjoy|drink|drinking|eat|eating|play|playing|smoke|smoking|watching)"
        r"(?: (?P<value>.+))",
        lambda match, clause: _gone(match, clause),
    ),
    rule(
        "preferences.dislike",
        rf"I {ADVERBS}(?:hate|dislike|loathe|detest|despise|can't stand|cannot stand|can not stand"
        r"|can't bear|can't tolerate|avoid|am not a fan of|never liked|have never liked)"
        r" (?P<value>.+)",
        _taste("dislike", "dislikes"),
    ),
    rule(
        "preferences.not_fan",
        rf"(?:(?:I'm|I am) not {ADVERBS}(?:a (?:big |huge )?fan of|into|fond of|keen on|big on"
        rf"|mad on)"
        rf"|I {ADVERBS}(?:don't|do not|never|can't) {ADVERBS}(?:get on with|get along with|care for"
        rf"|get into|do well with)) (?P<value>.+)",
        _taste("dislike", "dislikes"),
    ),
    rule(
        "preferences.refuse",
        r"I (?:never|can't|cannot) (?P<verb>eat|drink|have) (?P<value>.+)",
        lambda match, clause: (
            _taste("dislike", "does not {verb}")(match, clause)
            if match["verb"].casefold() != "have"
            else ()
        ),
    ),
)


def _gone(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A liking that ended, or with a bare "don't" one that never was: a dislike."""
    value = liked(match["value"], clause)
    if not value:
        return ()
    text = clause.text.casefold()
    plain = re.match(r"i (?:don't|do not) (?P<verb>\w+)", text)
    over = re.search(r"\bany ?more\b|\bthese days\b|\bany longer\b", text)
    if plain is not None and not over:
        verb = plain["verb"]
        if verb in {"play", "playing", "watching"}:
            return ()
        does = "dislikes" if verb in {"like", "love", "enjoy"} else f"does not {verb}"
        return (
            Draft(
                facet=category("dislike", value),
                value=bare(value),
                text=f"The user {does} {value}.",
            ),
        )
    verb = re.sub(r"(?:no longer|stopped|quit|gave up|don't|do not|used to)\s+", "", text[2:])
    act = {"drinking": "drink", "eating": "eat", "playing": "play", "smoking": "smoke"}
    word = verb.split()[0]
    return (
        Draft(
            facet=category("preference", value),
            value=bare(value),
            text=f"The user does not {act.get(word, word)} {value} any more.",
            retracts=True,
        ),
    )
