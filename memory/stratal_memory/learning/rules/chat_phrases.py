"""The turns of phrase of chat and of other Englishes, and what they stand for."""

import re

from stratal_memory.learning.rules.chat_words import MONTH

_KIN = (
    r"(?:mum|mam|mom|ma|da|dad|nan|gran|granddad|grandad|wife|missus|husband|fella|hubby|sister"
    r"|brother|son|daughter|lad|lass|mate|auntie|uncle|cousin|dog|cat|back|knee|hip|boss)"
)
_OWN = (
    r"(?:mum|mom|mam|dad|sister|brother|sis|bro|wife|husband|hubby|girlfriend|boyfriend|partner"
    r"|son|daughter|grandma|grandpa|nan|gran|boss|roommate|flatmate|housemate|dog|cat|aunt|uncle"
    r"|cousin|best friend|bestie|mate|friend|birthday|name|flight|interview|exam|wedding|surgery"
    r"|job|degree|major|car|bike|phone|laptop|baby|kid|puppy|kitten)"
)
_BEGIN = r"(?:\A|(?<=[.,!?;\n] )|(?<=[.!?;\n])|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\bbecause ))"
_DAYS = {
    "mon": "monday",
    "tues?": "tuesday",
    "wed(?:s|nes)?": "wednesday",
    "thu(?:rs?)?": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}


def _pairs() -> tuple[tuple[str, str], ...]:
    return (
        (r"(?<=\w)(?:\.{2,}|…) ?", ". "),
        (r"\bw/o\b ?", "without "),
        (r"\b[wW](?:/ ?| )(?=[A-Za-z])", "with "),
        (r"(?<=\w) (?:&|\+) (?=\w)", " and "),
        # Laughter and sighs stand where a comma would.
        (
            r"(?<![ ,])[ ,]{1,4}(?:lol|lmao+|lmfao|rofl|(?:ha){2,}h?|(?:he){2,}|smh|ugh+|omg|omfg"
            r"|xd+|bruh|tbh"
            r"|ngl|imo|imho|tbf|fr fr|istg|idk why|sigh)\b(?! is\b)[ ,]{0,4}(?=[^ ,.!?;])",
            ", ",
        ),
        # What adds nothing wherever it stands.
        (
            r"(?<= )(?:kinda|sorta|kind of|sort of|literally|low ?key|high ?key|legit|basically"
            r"|deadass|straight up|bloody|fucking|fuckin|freaking|frigging|damn|goddamn|flippin"
            r"|effing|proper|hopefully|obvs|obviously|deffo|actual|um+|uh+|uhm|erm|ummm|yk"
            r"|you know),? (?=\w)",
            "",
        ),
        (r"\b(?P<i>I'm|I am|I've been|she's|he's) like (?=\d|an? |so |super |really )", r"\g<i> "),
        (r"\bidve\b", "I'd have"),
        (r"\bid (?=love|like|rather|prefer|be|say|have|never|die|go)", "I'd "),
        (
            r"\bill (?=be|have|get|go|try|take|need|do|see|make|probably|start|let|send|never"
            r"|also|finally|turn|visit|move)",
            "I'll ",
        ),
        (
            rf"{_BEGIN}[wW]ere (?=\w+ing\b|from\b|both\b|a family|vegetarians?\b|vegans?\b|based\b"
            r"|expecting|originally|also \w+ing|all \w+ing|not from|getting)",
            "we're ",
        ),
        (r"\b(?P<i>[Ii])ts (?=on|in|an?|not|been|at|called|actually|\d)", r"\g<i>t's "),
        (rf"\b[mM]e (?={_KIN}\b)", "my "),
        (
            rf"\b(?P<own>(?:my|our) (?:\w+ )?{_OWN})s (?=(?:an?|the|in|at|from|called|named|on|of"
            r"|allergic|vegan|vegetarian|pregnant|visiting|coming|due|getting|turning|\d+|name"
            r"|\w+ing)\b)",
            r"\g<own>'s ",
        ),
        (
            r"\b(?P<when>\d+|two|three|four|five|six|ten|a few|couple of) "
            r"(?P<unit>days?|weeks?|months?|years?) back\b",
            r"\g<when> \g<unit> ago",
        ),
        (r"\b(?P<unit>an? (?:week|month|year)) back\b", r"\g<unit> ago"),
        (r"\bof an? (?P<day>\w+day|morning|evening|night)\b", r"on \g<day>s"),
        (r"\b(?P<on>is|are|was) the (?P<day>\d\d?(?:st|nd|rd|th))\b", r"\g<on> on the \g<day>"),
        (
            rf"\b(?:in |on |at )?(?:the )?(?:(?:first|second|third|last) week(?:end)?|start"
            rf"|beginning|end|middle) of (?P<m>{MONTH})\b",
            r"in \g<m>",
        ),
        (rf"\bmid[- ](?P<m>{MONTH})\b", r"in \g<m>"),
        (r"\bcomes? christmas\b", "by christmas"),
        (r"\b(?P<day>\d\d?)(?:st|nd|rd|th)? of this month\b", r"on the \g<day>th"),
        (rf"\b(?P<m>{MONTH}) (?P<d>\d\d?)(?:st|nd|rd|th)?(?: ?[-–] ?\d\d?)\b", r"\g<m> \g<d>"),
        (
            r"\b(?P<have>have|got|adopted|bought) one (?!of\b|more\b|question\b|day\b)(?=[a-z])",
            r"\g<have> a ",
        ),
    )


REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words) for pattern, words in _pairs()
) + tuple(
    (re.compile(rf"\b(on|by|next|last|this|every|and|till|until) {typed}\b", re.I), rf"\1 {meant}")
    for typed, meant in _DAYS.items()
)
