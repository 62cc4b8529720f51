"""What is no statement of what is so: questions, wishes, tales, parts that are played."""

import re

from stratal_memory.learning.wordlist import words

IGNORE = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |my )*(?:previous|prior|above"
    r"|earlier|system|other)\b",
    re.IGNORECASE,
)
_ASKS = (
    r"(?:do|does|did|can|could|what|what's|where|how|is|are|am|was|were|which|who|when|why|would"
    r"|will|should|have|has|any|shall|may|isn't|aren't|don't you)"
)
QUESTION_TAIL = re.compile(
    rf"(?:[,:]|\s[-–—]|\s(?:and|but|so))\s*(?:(?:and|but|so)\s+)?{_ASKS}\b"
    r"|\s(?=(?:what|how|where|why) (?:do|does|can|should|would|will|is the|to|much|many)\b"
    r"|(?:can|could|would|will) (?:you|I)\b|any (?:ideas|tips|advice|suggestions|recs?|recipes?)\b"
    r"|do you\b|should I\b)",
    re.I,
)
QUESTION = re.compile(rf"(?:(?:so|and|but|well|hey|hi|ok|okay)[, ]+)*{_ASKS}\b\s+\w", re.I)
REQUEST = re.compile(r"(?:can|could|would|will) you (?:please )?(?=remember|note)", re.I)
UNREAL = re.compile(
    r"\W*(?:(?:and|but|so|well|ok|okay)[, ]+)?(?:if|what if|suppose|supposing|imagine|pretend"
    r"|let's (?:say|pretend|assume|imagine)|assume|assuming|unless|say|in case|for example|e\.g"
    r"|hypothetically|in (?:a|an|my|the|this|our) (?:\w+ )?(?:dream|story|novel|game|book|film"
    r"|movie|play|test|tests|fixture|example|mock|code|function|script|scenario|exercise|dialogue|poem"
    r"|song|sketch|campaign|dlc|level|season|episode|server|playthrough|save|show|lyrics)|(?:oh"
    r"|yeah|ah|sure)[, ]+(?:sure|great|right|joy|lovely|brilliant)"
    r"(?=[,. !])|(?:great|fantastic|brilliant|wonderful|lovely|amazing|perfect|awesome"
    r"|nice)[, ]+(?:another|yet another|just what|now)|just (?:great|what I needed)"
    r"|love that for me|as if|role-?play|act as|you are"
    r"|translate|write|rewrite|proofread|repeat|complete|pretending|once upon|paraphrase|rate"
    r"|fix|review|had I|(?:I )?wish|would you rather|say I|picture this|hypothetical\w*)\b",
    re.I,
)
# From here on somebody else speaks, or a part is played: nothing more is read.
PLAYED = re.compile(
    r"\b(?:let's|lets) (?:role-?play|play|pretend)\b|\brole-?play"
    r"|\A\W*(?:from now on,? )?you(?:'re| are| play) (?!call)"
    r"|\bpretend(?:ing)? (?:you|to be|that|I'm|I am|to)|\bas if I\b|\bact (?:as|like)\b"
    r"|\b(?:answer|talk|speak|write|explain it)"
    r"(?: to me)? (?:as|like) (?:if )?I'm|\bfor the next (?:messages?|minutes)"
    r"|\bin my (?:novel|story)"
    r"|\b(?:he|she|they|song|lyrics?|movie|film|mail|email|letter|post|article|bio|profile)"
    r" (?:goes|reads|says|said|wrote|writes)\b|\bas \w+ (?:wrote|said|put it)\b",
    re.IGNORECASE,
)
# What was said up to here was a joke; with "actually" behind it, what comes next is none.
_JOKE = re.compile(
    r"(?<!no )(?<!not )(?<!be )(?<!you're )(?<!you )\b(?:jk|j/k|(?:just |only )?(?:kidding|joking)"
    r"(?! (?:aside|around with|apart)))\b|(?<=\s)/s(?=\s|\Z)",
    re.IGNORECASE,
)
_EARNEST = re.compile(
    r"\W*(?:but )?(?:actually|really|seriously|in reality|honestly|for real)\b", re.I
)
JOKE_REACH = 250  # characters in front of "just kidding" that may be the joke


def joke(text: str) -> tuple[int, int]:
    """The stretch of `text` that is said to be a joke; empty where none is.

    >>> joke("I'm a unicorn lol jk"), joke("no kidding")
    ((0, 20), (0, 0))
    """
    jokes = list(_JOKE.finditer(text))
    if not jokes:
        return 0, 0
    found = jokes[-1]
    stop = re.search(r"[.!?\n]", text[found.end() :])
    end = found.end() + stop.start() if stop else len(text)
    if _EARNEST.match(text, found.end()):
        end = found.end()
    return max(0, found.start() - JOKE_REACH), end


# Said of oneself and never meant: nobody is married to a job.
IDIOM = re.compile(
    r"(?:I'm|I am|I feel|we're) (?:\w+ly |so |basically |like )*(?:married to (?:my|the|this) \w+\b"
    r"|allergic to (?:monday|morning|work|exercise|people|effort|fun|drama|bullshit|commitment"
    r"|money|math|meeting|sport|adult|responsib|stupid)\w*|drowning|dying\b|dead\b|(?:the|a)"
    r" (?:king"
    r"|queen|god|master|ghost|zombie|potato|mess|wreck|vegetable|robot|machine|shell|walking \w+)\b"
    r"|a (?:billionaire|unicorn|genius|wizard|superhero|superstar|rock ?star|prisoner|slave"
    r"|hermit)\b"
    r"|in (?:hell|heaven|love with this)|on (?:fire|cloud nine|a roll|the moon))|my name is mud\b",
    re.IGNORECASE,
)
_ENGLISH = words(
    "the i i'm my and is a an to in of it was have has been with for on but so you me we at not"
)
_FOREIGN = words(
    """
    ich bin wohne habe heiße heisse und der die das nicht ist ein eine mein meine wir auf mit für
    je suis j'ai j'habite est et les des une mon ma nous avec pour dans pas que qui le la du
    yo soy vivo tengo me llamo mi el los las es una con por para muy pero en de y
    eu sou moro tenho chamo meu minha um uma não com mas os io sono ho abito il che di non per
    ik ben woon heb mijn een het niet van jeg er bor har og ikke jag är och har inte mieszkam jestem
    mam nie się to w
    """
)


def foreign(text: str) -> bool:
    """Whether most of the small words of `text` are those of another language.

    >>> foreign("ich bin Tom und wohne in Graz"), foreign("I moved from la to de kalb")
    (True, False)
    """
    said = text.casefold().split()[:60]
    other = sum(word in _FOREIGN - _ENGLISH for word in said)
    return other >= 2 and other > sum(word in _ENGLISH for word in said)


# A game is being played, or a record of somebody else is kept: no line speaks of the user.
IN_PLAY = re.compile(
    r"\broll (?:for|a d|initiative)|\bin[- ]character\b|\bdungeon master\b|\byou(?:'re"
    r"| are) the dm\b"
    r"|\bmy (?:oc|rp character|dnd character|d&d character)\b|\b(?:pt|patient) (?:in|is|was|on|w)\b"
    r"|\btidy this\b|\bpov: ",
    re.IGNORECASE,
)
