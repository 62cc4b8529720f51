"""What the user enjoys, chooses and shuns, in other words than "I like"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.liking import category, liked, several
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


def _likes(text: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        return tuple(
            Draft(
                facet=category("preference", value),
                value=bare(value),
                text=text.format(value=value),
            )
            for value in several(bare(match["value"]), clause)
        )

    return make


def _takes(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """How the user takes their coffee or tea."""
    value = f"{match['drink'].casefold()} {cleaned(match['value'], clause)}"
    if len(value.split()) > 8:
        return ()
    text = f"The user takes their {value}."
    return (Draft(facet="preference.drink", value=value, text=text),)


def _subject(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The thing praised in "mornings are my best time"."""
    value = liked(match["value"], clause)
    what = " ".join(match["what"].split()).removeprefix("my ")
    if not value or len(value.split()) > 5:
        return ()
    text = f"The user's {what}: {value[:1].lower()}{value[1:]}."
    return (Draft(facet=category("favourite", value), value=value, text=text),)


def _over(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value, other = liked(match["value"], clause), cleaned(match["other"], clause)
    if not value or not other or len(value.split()) > 4:
        return ()
    text = f"The user prefers {value} to {other}."
    return (Draft(facet=category("preference", value), value=bare(value), text=text),)


def _disliked(text: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        return tuple(
            Draft(
                facet=category("dislike", value), value=bare(value), text=text.format(value=value)
            )
            for value in several(match["value"], clause)
        )

    return make


RULES: tuple[Rule, ...] = (
    rule(
        "pleasures.obsessed",
        rf"(?:{I_AM}|we're |{I_HAVE}been )(?:totally |completely |kind of |super "
        rf"|so )?(?:obsessed with|addicted to"
        r"|hooked on|mad about|crazy about|passionate about|big on|into) (?P<value>.+)",
        _likes("The user likes {value}."),
    ),
    rule(
        "pleasures.person",
        rf"{I_AM}(?:more of |really |definitely )*(?:an? )(?P<value>cat|dog|morning|night"
        rf"|evening|tea"
        r"|coffee|beach|mountain|city|summer|winter|people|wine|beer|book) person\b.*",
        _likes("The user is a {value} person."),
    ),
    rule(
        "pleasures.nothing_beats",
        r"(?:there's )?nothing (?:beats|better than) (?P<value>.+)",
        _likes("The user likes {value}."),
    ),
    rule(
        "pleasures.always_choose",
        r"(?:I|we) (?:always|usually|mostly|generally) (?:go for|choose|pick|order|take"
        r"|buy) (?P<value>.+)",
        _likes("The user usually chooses {value}."),
    ),
    rule(
        "pleasures.listens",
        rf"I {ADVERBS}(?:listen to|watch|read|eat|drink|cook|play) (?:a lot of|lots of"
        rf"|tons of|loads of|mostly"
        r"|mainly|only) (?P<value>.+)",
        _likes("The user often has or plays {value}."),
    ),
    rule(
        "pleasures.takes",
        rf"I {ADVERBS}(?:take|drink|have|like) my (?P<drink>coffee|tea|espresso|steak"
        rf"|eggs) (?P<value>.+)",
        _takes,
    ),
    rule(
        "pleasures.best",
        r"(?P<value>(?:[\w'-]+ ){1,5}?)(?:is|are) (?P<what>my (?:best time"
        r"|favou?rite(?: \w+)?|comfort food"
        r"|guilty pleasure|happy place|go-to|passion|thing|weakness|jam))\b.*",
        _subject,
    ),
    rule(
        "pleasures.comfort",
        r"(?P<what>my (?:comfort|all-time|go-to|happy) [\w-]+) (?:is|are) (?P<value>.+)",
        _subject,
    ),
    rule(
        "pleasures.over",
        r"(?:give me "
        r"|always )?(?P<value>[\w ]{2,30}?) over (?P<other>[\w ]{2,30}?) (?:any day|every time"
        r"|any time|always)\b.*",
        _over,
    ),
    rule(
        "pleasures.could_eat",
        r"I could (?:eat|drink|listen to|watch) (?P<value>.+?) (?:every day|all day|forever"
        r"|for ever)\b.*",
        _likes("The user likes {value}."),
    ),
    rule(
        "pleasures.refuses",
        rf"(?:I|we) {ADVERBS}(?:avoid|can't do without) (?P<value>.+)",
        _disliked("The user avoids {value}."),
    ),
    rule(
        "pleasures.never_liked",
        r"I (?:have |'ve )?never (?:really )?(?:liked|enjoyed|cared for) (?P<value>.+)",
        _disliked("The user dislikes {value}."),
    ),
    rule(
        "pleasures.wont",
        rf"I {ADVERBS}(?:won't|don't|do not|can't|cannot) (?:really |even )*(?:eat|touch|like"
        rf"|drink|enjoy|do|have|tolerate) "
        r"(?P<value>(?:dairy|gluten|milk|meat|sugar|pork|beef|fish|seafood|shellfish|eggs"
        r"|nuts|alcohol|caffeine"
        r"|coffee|wheat|spicy|[\w]+ food|lactose|onions?|garlic|mushrooms?)\b.*)",
        _disliked("The user does not have {value}."),
    ),
    rule(
        "pleasures.afraid",
        rf"{I_AM}(?:terrified|afraid|scared|frightened) of (?P<value>(?!being|losing|failing"
        rf"|what|the|this|that|my)\w.+)",
        _disliked("The user is afraid of {value}."),
    ),
)
