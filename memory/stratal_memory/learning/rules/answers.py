"""What a short answer says when the question before it is known: "Where do you live?" "Porto"."""

import re

MAX_ANSWER = 120  # characters; a longer one stands on its own
_QUESTION = re.compile(r"[^.!?\n]*\?")
_SAYS = tuple(
    (re.compile(pattern, re.IGNORECASE), template)
    for pattern, template in (
        (r"call you\b|\byour (?:first |full )?name\b", "my name is {}"),
        (
            r"\bwhere (?:do you live|are you (?:based|living|located))|\bwhich (?:city|town"
            r"|country)",
            "I live in {}",
        ),
        (r"\bwhere are you (?:from|originally)|\bwhere did you grow up", "I'm from {}"),
        (r"\byour birthday\b|\bwhen were you born\b", "my birthday is {}"),
        (r"\bhow old are you\b|\byour age\b", "I'm {} years old"),
        (r"\bpets?\b|\banimals\b", "I have {}"),
        (r"\b(?:siblings|brothers|sisters|kids|children)\b", "I have {}"),
        (r"\ballerg", "I'm allergic to {}"),
        (
            r"\bwhat do you do\b|\byour (?:job|profession|occupation)\b|\bfor (?:a living|work)\b",
            "I'm {}",
        ),
        (r"\bwhat languages?\b|\bdo you speak\b", "I speak {}"),
        (r"\byour favou?rite (?P<what>[a-z]+)\b", "my favourite <> is {}"),
    )
)
_OPENING = re.compile(
    r"(?:(?:yes|yeah|yep|yup|sure|oh|well|um|uh|hm+|just|it's|it is|that'd be|that would be"
    r"|probably not|i'm"
    r"|in|from|on|a lot of)\b[,.! ]*)+",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[ ,]*\b(?:is fine|is ok(?:ay)?|works|will do|please|thanks|thank you|for short)\b.*\Z", re.I
)
_NOTHING = re.compile(
    r"(?:no|none|nope|nothing|never|not|I|my|we|why|what|who|how|can|could|don't|maybe|skip"
    r"|prefer|rather"
    r"|that|this|it|you|let's)\b",
    re.IGNORECASE,
)


def statement(asked: str, answer: str) -> str:
    """The answer as a statement about the user; empty when the two don't fit.

    >>> statement("Nice! Where do you live?", "in Porto")
    'I live in Porto'
    """
    questions = _QUESTION.findall(asked)
    said = re.split(r"[.!?\n]", answer.strip(), maxsplit=1)[0].strip()
    if not questions or not said or len(answer) > MAX_ANSWER or "?" in answer:
        return ""
    opening = _OPENING.match(said)
    plain = _CLOSING.sub("", said[opening.end() :] if opening else said).strip(" ,")
    if not plain or len(plain.split()) > 9 or _NOTHING.match(plain):
        return ""
    for pattern, template in _SAYS:
        match = pattern.search(questions[-1])
        if match:
            what = match.groupdict().get("what") or ""
            return template.replace("<>", what).format(plain)
    return ""
