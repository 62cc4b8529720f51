"""How the user wants to be answered, and what they say they can or can't do without."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.liking import category, liked
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Make, Rule, bare, rule
from stratal_memory.learning.rules.sentences import Clause

# What an answer may be made of; nothing else is taken for a wish about answers.
_STYLE = (
    r"(?:emojis?|emoticons|bullet points?|bullets|exclamation (?:marks?|points?)|jargon|slang"
    r"|markdown|tables|headings|long (?:answers|replies|paragraphs)|small talk|jokes|flattery"
    r"|semicolons|em[- ]dashes|swear words|disclaimers|apologies|filler|buzzwords|acronyms)"
)
_HOW = (
    r"(?:in (?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?|briefly|concisely|formally|informally"
    r"|in (?:plain|simple) (?:english|words)"
    r"|in (?:metric|imperial|celsius|fahrenheit|kilometres|miles|euros|pounds|dollars)(?: units)?"
    r"|in lower ?case|short(?:ly)?|in one sentence|without \w+)"
)


def _unwanted(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    text = f"The user wants no {value} in answers."
    return (Draft(facet="preference.answers", value=f"no {value}", text=text),)


def _wanted(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"]
    text = f"The user wants to be answered {value}."
    return (Draft(facet="preference.answers", value=value, text=text),)


def _taste(head: str, does: str) -> Make:
    """A liking or a dislike of the thing in the group `value`."""

    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        raw = re.sub(r"\s+(?:for me|in my (?:book|opinion|view))\Z", "", match["value"], flags=re.I)
        value = liked(re.sub(r"\A(?:any|every)thing (?=by|from|with)", "", raw), clause)
        value = re.sub(r"\A(?:by|from) ", "", value)
        if not value:
            return ()
        text = f"The user {does} {value}."
        return (Draft(facet=category(head, value), value=bare(value), text=text),)

    return make


_likes, _dislikes = _taste("preference", "likes"), _taste("dislike", "dislikes")

RULES: tuple[Rule, ...] = (
    rule(
        "manners.unwanted",
        rf"(?:(?:please|pls|and|ok|okay|so),? )*(?:no(?: more)?|don't use|do not use|never use|stop"
        rf" (?:using|with)|avoid|skip|drop|leave out|I don't want|I hate) (?:the |any |all )?"
        rf"(?P<value>{_STYLE})(?: (?:in|from|with|when) .+|,? please|,? thanks?)?\Z",
        _unwanted,
    ),
    rule(
        "manners.wanted",
        rf"(?:(?:please|pls),? )?(?:always|from now on|in future|in the future|going forward),?"
        rf" (?:please )?(?:answer|reply|respond|write|talk)(?: to)?(?: me)? (?P<value>{_HOW})\b.*",
        _wanted,
    ),
    rule(
        "manners.kept",
        r"(?:please |pls |always |just )*(?:keep (?:your |the |all )?(?:answers?|replies"
        r"|responses|it|things|everything)|make (?:your |the )?(?:answers|replies"
        r"|responses)|I (?:want|like|need|prefer) (?:my |your )?(?:answers|replies|responses))"
        r" (?:really |very |super |always |to be )*(?P<value>short|brief"
        r"|concise|simple|direct|blunt|honest|detailed|to the point|sweet|under \d+ words|formal"
        r"|informal|casual|in bullet points|in \w+)\b.*",
        lambda match, clause: (
            _wanted(match, clause)
            if re.search(r"answer|repl|respon|always|\bbe\b", match.group(), re.IGNORECASE)
            else ()
        ),
    ),
    rule(
        "manners.not_suggest",
        r"(?:please |pls |and |so )*(?:don't|do not|never|stop) (?:ever )?(?:suggest(?:ing)?"
        r"|recommend(?:ing)?|push(?:ing)?|bring(?:ing)? up) (?:me )?(?:any |the )?"
        r"(?P<value>(?!it|that|this|you|me|to\b|anything|things|something)[\w' +#.-]{2,40}?)(?:"
        r" (?:to me|again|I|because|please|pls)\b.*)?\Z",
        _dislikes,
    ),
    rule(
        "manners.beats",
        r"nothing (?:beats|tops|better than|is better than) (?P<value>.+)",
        _likes,
    ),
    rule(
        "manners.sucker",
        rf"(?:(?:I'm|I am) {ADVERBS}(?:a )?(?:sucker for|obsessed with|addicted to|hooked on"
        rf"|partial to|mad about|nuts about|(?:big|huge|massive) fan of|fan of)"
        rf"|(?:I|we) {ADVERBS}(?:can't|cannot|can never|could never) (?:get enough of|live without"
        rf"|resist|go without|start (?:the|my) day without)|(?:I|we) {ADVERBS}(?:live on|live off"
        rf"|swear by|have a (?:soft spot|weakness|sweet tooth) for)) (?P<value>.+)",
        _likes,
    ),
    rule(
        "manners.mine",
        r"(?P<value>(?!(?:I|we|you|he|she|they|it|that|this|there|what)\b)[^\W\d][\w' -]{2,40}?)"
        r" (?:is|are) (?:absolutely |totally |definitely )?my"
        r" (?:jam|favou?rites?|comfort food|guilty pleasure|happy place|thing|go-to|passion|life"
        r"|cup of tea|weakness)\Z",
        _likes,
    ),
    rule(
        "manners.not_mine",
        r"(?P<value>[^\W\d][\w' -]{2,40}?) (?:is|are|'s)(?:n't| not)"
        r" (?:really |exactly |quite )?my (?:jam|thing|cup of tea|favou?rite|style|bag|scene)\Z",
        _dislikes,
    ),
    rule(
        "manners.repels",
        r"(?P<value>[^\W\d][\w' -]{2,40}?) (?:gives? me the creeps|makes? me (?:gag|cringe"
        r"|sick to my stomach|want to scream)|drives? me (?:mad|crazy|nuts|up the wall)"
        r"|puts? me off)\Z",
        _dislikes,
    ),
)
