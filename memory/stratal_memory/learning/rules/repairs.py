"""A message that puts right or takes back the one before it: "*Hannah", "I meant Leicester"."""

import re
from dataclasses import dataclass

LONGEST = 90  # characters; a longer message says something of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What a message puts in the place of what was said right before."""

    value: str = ""  # the right value; empty when all of it is taken back
    old: str = ""  # the wrong one, if it was named
    sure: bool = True  # nothing else could have been meant by the words around the value

    @property
    def takes_back(self) -> bool:
        """Whether nothing is put in its place."""
        return not self.value


_SORRY = (
    r"(?:(?:oh|oops|whoops|ups|sorry|no|nope|wait|hang on|hold on|actually|argh|ugh|my bad|typo"
    r"|correction|edit|damn|lol|haha|um+|uh|no no)\b[\s,.!:;-]*)*"
)
_VALUE = r"(?P<value>[^,;:!?\n*]{1,60}?)"
_OLD = r",?\s+(?:and\s+)?not\s+(?P<old>[^,;:!?\n*]{1,60}?)"
_END = r"[\s.!,]*(?:\b(?:sorry|oops|lol|my bad|of course|haha|typo|actually)[\s.!]*)?\Z"
_BACK = re.compile(
    rf"\W*{_SORRY}(?:scratch that|strike that|ignore that|disregard that|forget that"
    r"|(?:ignore|forget|scratch) what I (?:just )?said|never ?mind that|take that back"
    r"|I take (?:that|it) back|that's not true|that was a (?:joke|lie)|(?:just |only )?kidding|jk"
    r"|I(?:'m| am| was)? (?:just |only )?(?:kidding|joking)|not really)"
    rf"{_END}",
    re.IGNORECASE,
)
_WAYS = tuple(
    (re.compile(rf"\W*{pattern}{_END}", re.IGNORECASE), sure)
    for pattern, sure in (
        (rf"{_SORRY}(?:I meant(?: to (?:say|write|type))?|meant|I mean|should (?:be|say|have"
         rf" been)|that should (?:be|say)|make that|read|make it) {_VALUE}{_OLD}", True),
        (rf"{_SORRY}(?:it's|its|it is|that's) {_VALUE}{_OLD}", True),
        (rf"(?:oh|oops|sorry|no|wait|actually|correction|my bad)\b[\s,.!:-]*{_SORRY}{_VALUE}{_OLD}",
         True),
        (rf"{_SORRY}(?:I meant(?: to (?:say|write|type))?|meant(?: to say)?|that should (?:be|say)"
         rf"|make that|should (?:be|say|have been)) {_VALUE}", True),
        (rf"(?:{_SORRY})(?:scratch|strike|ignore|forget) that[\s,.!:-]+(?:it's |its |make it )?"
         rf"{_VALUE}", True),
        (r"(?:correction|typo|edit)\b[\s,.!:-]+(?:it's |its )?" + _VALUE, True),
        (rf"(?:oh|oops|sorry|no|wait|actually|hang on|hold on|argh|ugh|my bad)\b[\s,.!:-]*{_SORRY}"
         rf"(?:it's|its|it is|that's) {_VALUE}", False),
        (rf"{_SORRY}I mean {_VALUE}", False),
        (rf"(?:no wait|wait no|no no|oops|whoops|argh)\b[\s,.!:-]+{_VALUE}", False),
    )
)  # fmt: skip
_STAR = re.compile(r"\s*(?:\*+\s*(?P<value>[^*\n]{1,60}?)|(?P<behind>[^*\n]{1,60}?)\s*\*+)\s*\Z")
_TALK = re.compile(
    r"(?:to|that|how|what|why|when|where|who|if|I|we|you|he|she|they|it|this|the way|like|really"
    r"|not|never|just|so|very|is|are|was|a bit|kind of|fine|ok|okay|true|well|yes|no|thanks"
    r"|please)\b",
    re.IGNORECASE,
)


def repair(text: str) -> Repair | None:
    """What `text` puts right of the message before; None for every other message.

    >>> repair("*Hannah"), repair("I meant to ask you something")
    (Repair(value='Hannah', old='', sure=True), None)
    """
    if len(text) > LONGEST or "?" in text or "\n" in text.strip():
        return None
    if _BACK.match(text):
        return Repair()
    star = _STAR.match(text)
    if star is not None:
        return _made(star["value"] or star["behind"], sure=True)
    for pattern, sure in _WAYS:
        match = pattern.match(text)
        if match is not None:
            return _made(match["value"], match.groupdict().get("old") or "", sure=sure)
    return None


def _made(value: str, old: str = "", *, sure: bool) -> Repair | None:
    value = re.sub(
        r"\A(?:in|at|on|from|called|named) (?=\w)", "", value.strip(" .\"'“”"), flags=re.I
    )
    if not value or len(value.split()) > 5 or _TALK.match(value):
        return None
    return Repair(value=value, old=old.strip(" .\"'“”"), sure=sure)
