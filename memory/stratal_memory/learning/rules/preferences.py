"""What the user likes and dislikes."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.liking import VAGUE, category, liked, several
from stratal_memory.learning.rules.rule import ADVERBS, I_AM, Draft, Make, Rule, bare, cleaned, rule
from stratal_memory.learning.rules.sentences import Clause


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
