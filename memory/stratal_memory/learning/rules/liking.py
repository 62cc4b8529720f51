"""What can be liked at all, of which kind it is, and several things told in one breath."""

import re

from stratal_memory.learning.rules.rule import (
    cleaned,
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
    r"(?:towards?|at|in|on|with|for|from|about|like|cause|because|when|so|too|really|mostly|my"
    r" (?:life|job here)|life|that|not"
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
