"""A clause as the rules read it: no asides, no chatter at its end, its subject said once."""

import re

_ASIDE = re.compile(r"\s*\([^()\n]{1,40}\)")
# A name in brackets behind somebody: my mom (Diane), a son (Leo, 8).
_NAMED_ASIDE = re.compile(
    r"(\b(?:my|our|an?) [a-z-]+(?: [a-z-]+)?) ?\(([A-ZÀ-Þ][\w'-]*)(?:,? \d{1,2})?\)"
)
_CHATTER = re.compile(
    r"[\s,]*(?:\b(?:lol|lmao|haha\w*|tbh|ngl|imo|ofc|smh|ugh|xd|to be honest|if you ask me"
    r"|if that matters|no contest|believe it or not|i'm afraid|as it happens|just saying|for real"
    r"|yes really|sadly|unfortunately|obviously)|[:;]-?[()DPp/]|<3)\Z",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\A(?:the )?name(?:s| is|'s|:)? (?=[A-Za-z]+\Z)")
# Somebody of the user's without "my": "mum's a nurse", "wife does the books".
_KIN = (
    r"(?:mum|mom|mam|dad|nan|gran|grandma|grandpa|granddad|wife|hubby|husband|missus|daughter|son"
    r"|sister|brother|girlfriend|boyfriend|partner|lad|kids|grandson|granddaughter|grandkids"
    r"|other half"
    r"|roommate|flatmate|housemate|parents|in-laws|twins|eldest|youngest)"
)
_PARENT = re.compile(
    rf"\A(?:(?:the|our) )?(?={_KIN}(?:(?:,? [A-ZÀ-Þ][\w-]*,?)?(?:'s)? (?:and dad )?(?:is|are|was"
    rf"|has|had|have"
    r"|just|(?<='s )\d|(?<='s )\w+ (?:birthday|party)|(?<='s )(?:birthday|operation|surgery)"
    r"|works?|lives?|loves?|hates?|likes|turned|died|passed|got|moved|retired|used|vegan|pregnant"
    r"|does|goes|runs|plays|teaches|wants|handles|makes|started|starts|\w+[ia]c\b|(?<='s )(?:off"
    r"|over|in|at|on"
    r"|from|called)|an?\b|\d\d?\b)))(?:the |our )?",
    re.IGNORECASE,
)
# "Me and my sister moved": the others stand behind, where no rule trips over them.
_WITH = re.compile(
    r"\A(?:(?:me|I) and (?P<who>(?:my|our) [\w-]+(?: [\w-]+)??)|(?P<other>(?:my|our) [\w-]+"
    r"(?: [A-ZÀ-Þ][\w-]*)?) and (?:me|I)) (?P<rest>(?:are|have|live|work|went|got|moved|broke"
    r"|bought|love|like"
    r"|run|own|met|just|both|also|were|had|adopted|play|go|split|used|started|\w+ed)\b[^,;]*)",
    re.IGNORECASE,
)


# "My boyfriend he is", "me and my wife we live": the pronoun says the subject again.
_AGAIN = re.compile(
    r"\A((?i:my|our) [\w-]+(?: [A-ZÀ-Þ][\w'-]*)?),? (?:he|she|they)(?: (?=(?:is|are|has|have|was"
    r"|were"
    r"|works?|lives?|likes?|loves?|hates?|had|will|can)\b)|(?='s|'re))"
)
_US = re.compile(r"\A(?:me and )?(?:my|our) [\w-]+(?: and (?:me|I))?,? (?=we(?:'re|'ve| )\b)", re.I)
_EING = re.compile(r"\b(mov|liv|hav|tak|com|driv|writ|mak|chang|leav|arriv|retir)eing\b", re.I)


def mended(clause: str) -> str:
    """The clause without asides and chatter at its end.

    >>> mended("I'm allergic to cats lol")
    "I'm allergic to cats"
    """
    text = _NAMED_ASIDE.sub(r"\1 called \2", clause)
    text = _ASIDE.sub("", text)
    while (tail := _CHATTER.search(text)) is not None:
        text = text[: tail.start()]
    text = _EING.sub(r"\1ing", _US.sub("", _AGAIN.sub(r"\1 ", text)))
    text = _PARENT.sub("my ", _WITH.sub(_together, text))
    return _NAMES.sub("my name is ", text)


def _together(match: re.Match[str]) -> str:
    return f"we {match['rest']} with {match['who'] or match['other']}"
