"""Whether a text asks, and what sort of answer it wants, by the shape of its words."""

import re
from functools import lru_cache

from stratal_memory.text import terms

_MARKS = ("?", "？", "؟")
_HELPING = (
    r"(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might"
    r"|must)(?:n['’]?t)?"
)
_SOMEBODY = (
    r"(?:i|you|we|they|he|she|it|this|that|there|these|those|my|your|our|their|his|her|the|any"
    r"|anyone|anybody|anything|someone|somebody|something)"
)
_WANTED = (
    r"(?:much|many|long|old|often|far|big|tall|late|soon|kind|kinds|sort|type|time|day|date|year"
    r"|month|colou?r|size|number|name|else|about|come)"
)
_OPENING = re.compile(
    rf"""(?:(?:and|so|but|ok|okay|well|hey|hi|hello|please|sorry)\b[\s,]*)*(?:
      (?:what|where|when|why|how|who|whom|whose|which)(?:['’](?:s|re|d|ll)\b
          |\s+(?:{_HELPING}|{_WANTED})\b)
    | (?:which|whose)\s+\w+
    | who\s+\w+(?:s|ed)\b
    | {_HELPING}\s+{_SOMEBODY}\b
    | (?:tell|remind)\s+me\s+(?:again\s+)?(?:what|where|when|why|how|who|which|about|of)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟]*")
_PERSON = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|he|him|his|she|hers?|they|them|theirs?)"
    r"\b",
    re.IGNORECASE,
)
_SAYS_SOMETHING = 3  # terms from which a sentence that asks nothing holds something
_WHEN = re.compile(
    r"\b(?:when|(?:what|which) (?:day|date|month|year|time|week)|how long|since when)\b",
    re.IGNORECASE,
)
_OF_ASSISTANT = re.compile(
    r"\b(?:did|were|as) you\b|\b(?:have|had) you (?:said|told|given|shown|\w+ed)\b"
    r"|\byour (?:advice|answer|suggestion|recommendation|explanation|reply|tips?|list)\b"
    r"|\byou(?:['’]ve)? (?:just |also |already |once )?(?:said|told|gave|given|wrote|showed|shown"
    r"|suggested|recommended|explained|mentioned|advised|listed)\b",
    re.IGNORECASE,
)
_FOR_ADVICE = re.compile(
    r"\b(?:should|would|suggest\w*|recommend\w*|explain|help|can i|could i|how to|show me"
    r"|walk me|options?|tips?|what are (?:some|the best)"
    r"|how (?:do|can|could|might) (?:i|we|you|one))\b",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"^\W*(?:what|which|who|whose|whom|why|where|how (?:did|do|does|was|were|is|are)"
    r"|(?:can|could) you tell)\b",
    re.IGNORECASE,
)
_NO_DETAIL = re.compile(
    r"\b(?:how (?:many|much|long|old|often|far)|when|what (?:time|date)|percentage|deadline|number"
    r"|rate|budget|summar\w*|order|list)\b",
    re.IGNORECASE,
)
# How a request for what was told speaks of the telling, not of what it is about.
_FRAME = re.compile(
    r"""
      \b(?:can|could|would)\ you\ (?:please\ )?(?:list|give\ me|walk\ me\ through|explain
        |summari[sz]e|tell\ me(?:\ about)?|show\ me|help\ me)\b
    | \b(?:an?|the)\ (?:(?:clear|complete|comprehensive|quick|brief|short|detailed|full)\ )*
        (?:summary|overview|recap)\ (?:of|about)\b
    | \b(?:in\ )?(?:the\ )?order\ (?:in\ which|how|of\ how)\ (?:i|we)\ (?:brought\ up|mentioned
        |discussed|talked\ about)\b
    | \bhow\ (?:i|we)\ (?:brought\ up|mentioned)\b
    | \bdifferent\ aspects\ of\b
    | ,?\ *\b(?:throughout|across|over|through|during|in|from|based\ on)\ (?:all\ )?(?:of\ )?
        (?:my|our)\ (?:\w+\ )?(?:conversations?|chats?|sessions?|discussions?|messages?|requests?)\b
    | ,?\ \bin\ order\b
    | \bmention\ only\b.*$
    | \b(?:did|have)\ i\ (?:mention(?:ed)?|sa(?:y|id)|told|tell)\b(?:\ you)?
    | \b(?:i|we)(?:['’]ve|\ have)?\ (?:mentioned|discussed|talked\ about)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LEAST = 8  # characters; what is shorter once the frame is gone is searched for as it came


@lru_cache(maxsize=8_192)  # the same lines are looked at for every question
def asks(text: str) -> bool:
    """Whether `text` only asks, with a question mark or by its shape, and tells nothing beside it.

    >>> asks("what is the name of my dentist"), asks("When I was ten we moved to Porto")
    (True, False)
    >>> asks("I baked rye bread on Sunday. Shall I freeze it?")
    False
    """
    sentences = [one.strip() for one in _SENTENCE.findall(text) if one.strip()]
    asking = [_asking(one) for one in sentences]
    return any(asking) and all(
        question or len(terms(one)) < _SAYS_SOMETHING
        for one, question in zip(sentences, asking, strict=True)
    )


def _asking(sentence: str) -> bool:
    """A question; one that tells something first, before a comma, tells it too."""
    if _OPENING.match(sentence):
        return True
    first = sentence.partition(",")[0]
    return sentence.endswith(_MARKS) and (first == sentence or len(terms(first)) < _SAYS_SOMETHING)


def says_something(text: str) -> bool:
    """Whether `text` has a word that is about something: no grammar alone, unless of a person.

    >>> says_something("is it in the"), says_something("???"), says_something("Who am I?")
    (False, False, True)
    """
    return bool(terms(text)) or bool(_PERSON.search(text))


def asks_when(text: str) -> bool:
    """Whether the answer to `text` is a time.

    >>> asks_when("When did she move?"), asks_when("Who moved?")
    (True, False)
    """
    return bool(_WHEN.search(text))


def asks_of_assistant(text: str) -> bool:
    """Whether `text` asks for what the assistant said.

    >>> asks_of_assistant("What did you recommend?"), asks_of_assistant("What did I buy?")
    (True, False)
    """
    return bool(_OF_ASSISTANT.search(text))


def asks_for_advice(text: str) -> bool:
    """Whether `text` wants help or a suggestion: what the user likes counts then.

    >>> asks_for_advice("What should I cook?"), asks_for_advice("What did I cook?")
    (True, False)
    """
    return bool(_FOR_ADVICE.search(text))


def asks_for_detail(text: str) -> bool:
    """Whether the answer to `text` is one thing that was told, and no number, advice or overview.

    >>> asks_for_detail("What was the hall like?"), asks_for_detail("How many came?")
    (True, False)
    """
    if not _DETAIL.search(text):
        return False
    return not (_NO_DETAIL.search(text) or _FOR_ADVICE.search(text))


def subject(text: str) -> str:
    """What `text` is about, without the words that only speak of telling, listing and order.

    >>> subject("Can you give me a summary of my garden plans across our conversations?")
    'my garden plans ?'
    """
    left = " ".join(_FRAME.sub(" ", text).split())
    return left if len(left) >= _LEAST else text
