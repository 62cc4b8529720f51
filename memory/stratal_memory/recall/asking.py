"""Whether a text asks, and what sort of answer it wants, by the shape of its words."""

import re

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
_SAYS_SOMETHING = 3  # terms from which a sentence that asks nothing holds something
_WHEN = re.compile(
    r"\b(?:when|(?:what|which) (?:day|date|month|year|time|week)|how long|since when)\b",
    re.IGNORECASE,
)
_OF_ASSISTANT = re.compile(
    r"\b(?:did|do|have|had|would|were|as) you\b|\byour? (?:advice|answer|suggestion|recommendation"
    r"|explanation|reply|tips?|list)\b|\byou(?:['’]ve)? (?:just |also |already )?(?:said|told|gave"
    r"|suggest|recommend|explain|mention|advis|list|wrote|show)",
    re.IGNORECASE,
)


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
