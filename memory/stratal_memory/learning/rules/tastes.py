"""Likes and dislikes in the words of chat: "cannot abide", "swear by", "not my thing"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.liking import category, liked, several
from stratal_memory.learning.rules.rule import ADVERBS, I_AM, Draft, Make, Rule, bare, rule
from stratal_memory.learning.rules.sentences import Clause

_FEELING = re.compile(
    r" (?:with (?:a|all my) (?:passion|heart)|with every fib(?:er|re).*|to (?:death|bits|pieces)"
    r"|like crazy|so bad"
    r"|to be honest|more than anything|too much|in general|as a (?:kid|child)|for some reason"
    r"|with my life"
    r"|the most|or anything|or whatever|and stuff|and all that|and things like that|in my .*"
    r"|for me|if I'm honest)\Z",
    re.IGNORECASE,
)
_DO_VERB = re.compile(r"(?:suggest|recommend|give|use|put|include|mention|send)\b", re.IGNORECASE)


def _bared(raw: str) -> str:
    """`raw` without the article that others put before what is liked: "the coriander"."""
    raw = re.sub(
        r"\A(?:that|this|these|those) (?=\w+ (?:food|music|stuff|weather|movies|films)\b)", "", raw
    )
    thing = re.sub(r"\Athe (?=[a-z]+\Z)", "", raw)
    return thing if category("", thing) else raw


def _taste(head: str, says: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        raw = match["value"]
        while (tail := _FEELING.search(raw)) is not None:
            raw = raw[: tail.start()]
        raw = re.split(r",? (?:so|which|that|it|they|cos|as|they're|it's) ", raw)[0]
        return tuple(
            Draft(facet=category(head, one), value=bare(one), text=says.format(value=one))
            for one in several(_bared(raw), clause)
            if not _DO_VERB.match(one)
        )

    return make


_likes = _taste("preference", "The user likes {value}.")
_dislikes = _taste("dislike", "The user dislikes {value}.")
_avoids = _taste("dislike", "The user does not have {value}.")


def _both(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value, other = liked(match["value"], clause), liked(match["other"], clause)
    if not value or not other or len(value.split()) > 4:
        return ()
    text = f"The user prefers {value} to {other}."
    return (Draft(facet=category("preference", value), value=bare(value), text=text),)


_CANT = (
    r"(?:can't|cannot|can not|could never|couldn't|never could|can barely|don't|do not"
    r"|can no longer"
    r"|am unable to)"
)

RULES: tuple[Rule, ...] = (
    rule(
        "tastes.any_day",
        r"(?:gimme|give me) (?P<value>[\w' -]{3,40}?)(?: over [\w ]+)? (?:any day|every time"
        r"|any time)\b.*",
        _likes,
    ),
    rule(
        "tastes.cannot",
        rf"(?:I|we) {ADVERBS}{_CANT} (?:really |even |ever )*(?:stand|abide|bear|stomach|tolerate"
        rf"|support|handle|suffer"
        r"|deal with|get behind|get on board with|understand the hype (?:around|about))"
        r" (?P<value>.+)",
        _dislikes,
    ),
    rule(
        "tastes.hate",
        rf"(?:I|we) {ADVERBS}(?:hate|loathe|detest|despise|dislike|dread|can't stand"
        rf"|have always hated|always hated) (?P<value>.+)",
        _dislikes,
    ),
    rule(
        "tastes.not_into",
        rf"(?:{I_AM}not {ADVERBS}|I've never been {ADVERBS}|I was never {ADVERBS}|I never was "
        rf"|I'm no longer |not )(?:so |too |that "
        rf"|really |much |very |a |an |such |big |huge |massive )*(?:a fan of|fan of|into|fond of"
        rf"|keen on|big on|crazy about"
        r"|mad on|sold on|one for|much of an?) (?P<value>.+)",
        _dislikes,
    ),
    rule(
        "tastes.dont_like",
        rf"(?:I|we) {ADVERBS}(?:don't|do not|dont|never) {ADVERBS}(?:like|enjoy|love|dig|care for"
        rf"|rate|fancy|get on with|get along with)"
        r" (?P<value>.+)",
        _dislikes,
    ),
    rule(
        "tastes.dont_do",
        rf"(?:I|we) {ADVERBS}(?:don't|do not|can't|never) {ADVERBS}(?:do|drink|eat|touch|have)"
        rf" (?P<value>(?:decaf|coffee|tea|meat|dairy"
        r"|alcohol|beer|wine|sugar|gluten|carbs|fish|seafood|pork|beef|mushrooms?|cheese|eggs?"
        r"|spicy(?: food)?|caffeine|soda|milk"
        r"|fast food|social media|drugs|crowds|mornings|horror(?: movies| films)?|onions?|garlic"
        r"|sushi|raw \w+|[a-z]+ food)\b.*)",
        _avoids,
    ),
    rule(
        "tastes.into",
        rf"{I_AM}(?:so |super |very |really |pretty |big |massively |totally |way too |more |all "
        rf"|a |an |such |huge |massive )*(?:into|fond of"
        r"|keen on|big on|crazy about|mad about|mad on|nuts about|obsessed with|addicted to"
        r"|hooked on|a sucker for|a fan of|fan of"
        r"|all about|team|partial to|passionate about|in love with) (?P<value>(?!my|him|her|you"
        r"|a (?:guy|girl|boy)).+)",
        _likes,
    ),
    rule(
        "tastes.love",
        rf"(?:I|we|I've|we've) {ADVERBS}(?:always |have always )?(?:love|adore|enjoy|dig|swear by"
        rf"|stan|fancy"
        r"|am obsessed with|am addicted to|can't live without|can't get enough of"
        r"|have a soft spot for|have a thing for) (?P<value>.+)",
        _likes,
    ),
    rule(
        "tastes.prefer_over",
        rf"(?:I|we|I'd|I would) {ADVERBS}(?:prefer|rather have|pick|take|choose|go for)"
        rf" (?P<value>[\w '-]{{2,40}}?) (?:over|to|than|rather than"
        r"|instead of) (?P<other>[\w '-]{2,40}?)(?: (?:any day|every time|any time|anytime|always"
        r"|tbh)\b.*)?\Z",
        _both,
    ),
    rule(
        "tastes.or_nothing",
        r"(?P<value>[^\W\d][\w' -]{2,40}?) or nothing(?: for me)?\b.*",
        _likes,
    ),
    rule(
        "tastes.all_for_me",
        r"(?:it's|it is|now it's|these days it's) all (?P<value>[\w' -]{3,40}?) (?:for me"
        r"|these days|now|all day)\b.*",
        _likes,
    ),
    rule(
        "tastes.is_life",
        r"(?P<value>[^\W\d][\w' -]{2,30}?) (?:is|are) (?:life|bae|elite|goated|everything to me"
        r"|my (?:love language|religion|jam|weakness"
        r"|thing|happy place|comfort (?:food|show|game|movie)|guilty pleasure|obsession"
        r"|whole personality))\Z",
        _likes,
    ),
    rule(
        "tastes.gross",
        r"(?P<value>(?!that|this|it|he|she|you|they|everything)[^\W\d][\w' -]{2,30}?) (?:is|are)"
        r" (?:just |so |really |absolutely )*(?:not for me"
        r"|not my (?:thing|cup of tea|vibe|jam|bag)|the devil|my (?:nemesis|pet peeve"
        r"|worst enemy))\Z",
        _dislikes,
    ),
    rule(
        "tastes.leave_out",
        r"(?:please |pls |just )*(?:no|leave out|hold|skip) (?:the |any )?(?P<value>cilantro"
        r"|coriander|onions?|garlic|mushrooms?|olives"
        r"|nuts|pork|tofu|mayo|pineapple|anchovies|spicy food) (?:for me|please|pls)\b.*",
        _avoids,
    ),
)
