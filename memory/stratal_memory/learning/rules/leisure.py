"""What the user does in free time and studies, in the words of chat: "main jett", "3rd yr cs"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.occupation import role_of
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Make,
    Rule,
    bare,
    cleaned,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import LANGUAGE_NAMES

_ING = (
    r"(?:singing|dancing|painting|drawing|knitting|crocheting|sewing|gardening|fishing|hunting|climbing|bouldering"
    r"|surfing|skiing|skating|cycling|swimming|hiking|baking|brewing|fencing|rowing|sailing|juggling|boxing"
    r"|camping|birdwatching|birding|snowboarding|skateboarding|kayaking|diving|quilting|running|jogging|gaming"
    r"|streaming|lifting|weightlifting|powerlifting|bodybuilding|wrestling|kickboxing|journaling|journalling"
    r"|woodworking|woodturning|metal detecting|thrifting|geocaching|foraging|backpacking"
    r"|trail running|line dancing"
    r"|ballroom dancing|horse\s?riding|riding|scrapbooking|whittling|blacksmithing|beekeeping"
    r"|stargazing)"
)
_SPORT = (
    r"(?:soccer|football|volleyball|basketball|netball|hockey|cricket|rugby|tennis|badminton|squash|padel|golf"
    r"|baseball|softball|lacrosse|handball|ultimate(?: frisbee)?|kabaddi|water polo|table tennis"
    r"|ping pong|darts"
    r"|pool|snooker|bowls|bowling|chess|poker|bridge|rummy|dnd|d&d|dungeons and dragons|warhammer"
    r"|magic|mtg"
    r"|piano|guitar|violin|cello|flute|drums|bass|sax(?:ophone)?|trumpet|clarinet|ukulele|harp|tabla|sitar|banjo"
    r"|keyboard|organ|accordion|bagpipes|oboe|trombone|harmonica|judo|karate|taekwondo|bjj"
    r"|jiu jitsu|muay thai"
    r"|yoga|pilates|zumba|crossfit|gymnastics|ballet|aqua\s?aerobics|aerobics|tai chi|spin|parkour"
    r"|athletics|track"
    r"|cross country|pottery|ceramics|photography|calligraphy|origami|cosplay|karaoke|improv"
    r"|stand-?up|choir"
    r"|amateur dramatics|theatre|minecraft|fortnite|valorant|valo|league|lol|dota|cs\s?go|cs2|apex"
    r"|overwatch|roblox"
    r"|genshin|fifa|elden ring|stardew(?: valley)?|zelda|pokemon|wow|ff14|runescape|rocket league"
    r"|cod|warzone|pubg)"
)
_YEAR = (
    r"(?:(?:first|second|third|fourth|fifth|final|last|1st|2nd|3rd|4th|5th|freshman|sophomore"
    r"|junior"
    r"|senior)(?:\s?-?year)?)"
)


def _hobby(text: str) -> Make:
    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        value = bare(cleaned(match["value"], clause))
        if not 0 < len(value.split()) <= 7:
            return ()
        return (Draft(facet="hobby", value=value, text=text.format(value=value)),)

    return make


def _does() -> Make:
    """What the user plays or does, with the verb they said."""

    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        value = bare(cleaned(match["value"], clause))
        if not 0 < len(value.split()) <= 7:
            return ()
        verb = "plays" if re.search(r"\bplay(?:ing|ed)?\b", match.group(), re.I) else "does"
        return (Draft(facet="hobby", value=value, text=f"The user {verb} {value}."),)

    return make


def _year(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The year and, where they were said, the school and the subject."""
    groups = match.groupdict()
    drafts = [
        _study("year", groups.get("year") or "", "The user is in their {value} year of studies.")
    ]
    subject = cleaned(groups.get("subject") or "", clause)
    school = cleaned(groups.get("school") or "", clause)
    if subject and len(subject.split()) <= 4:
        drafts.append(_study("subject", subject, "The user studies {value}."))
    if school and len(school.split()) <= 5 and not re.match(r"(?:the|a|an|my|this)\b", school):
        drafts.append(_study("school", school, "The user studies at {value}."))
    return drafts


def _study(part: str, value: str, text: str) -> Draft:
    return Draft(
        facet=f"study.{part}", value=value, text=text.format(value=value), single_valued=True
    )


def _course(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    raw = cleaned(match["value"], clause)
    value, *school = re.split(r" (?:at|from|in) (?=\w)", raw, maxsplit=1)
    if not 0 < len(value.split()) <= 5:
        return ()
    first = _study("subject", f"{value} {match['kind']}", "The user is doing a {value}.")
    if school and len(school[0].split()) <= 3:
        return (first, _study("school", school[0], "The user studies at {value}."))
    return (first,)


def _learns(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].capitalize()
    if value.casefold() not in LANGUAGE_NAMES:
        return ()
    return (Draft(facet="learning", value=value, text=f"The user is learning {value}."),)


def _training(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    known = role_of(value, clause) or re.search(r"\b(?:be|become) an?\b", match.group())
    if not 0 < len(value.split()) <= 4 or not known:
        return ()
    text = f"The user is studying to be a {value}."
    return (Draft(facet="learning", value=value, text=text),)


_DEGREE = (
    r"(?:ph\.?d|masters?|master's|msc|mba|bachelors?|bachelor's|bsc|ba|ma|b\.?tech|m\.?tech|b\.?com|degree|diploma"
    r"|course|apprenticeship|internship|placement|residency|certificate|certification|bootcamp"
    r"|a[- ]levels|gcses"
    r"|nvq|btec|ged)"
)

RULES: tuple[Rule, ...] = (
    rule(
        "leisure.student",
        rf"{I_AM}(?:an? )?(?:[\w-]+ ){{0,3}}?student (?:of|in|studying|doing)"
        rf" (?P<subject>[\w &]{{2,40}}?)"
        r"(?: (?:at|in) (?P<school>[\w'& ]{2,40}))?(?:,.*)?\Z",
        lambda match, clause: _year(match, clause)[1:],
    ),
    rule(
        "leisure.group",
        r"(?:my|our) (?P<value>(?:[\w-]+ ){0,2}?(?:club|group|band|choir|team|league|orchestra"
        r"|guild))"
        r" (?:meets?|plays?|practi[sc]es?|trains?|rehearses?|has practi[sc]e|performs?)\b.*",
        _hobby("The user is in a {value}."),
    ),
    rule(
        "leisure.plays",
        rf"(?:I|we|{I_AM}|{I_HAVE}been|{I_HAVE})\s?{ADVERBS}(?:play|playing|main|mainly play"
        rf"|stream|streaming|do|doing|make|practi[sc]e"
        rf"|practi[sc]ing|coach|teach|train|training in|started|took up|compete in|dabble in"
        rf"|go to|played) (?:a lot of |some |the |lots of |competitive "
        rf"|varsity |club |a bit of |my )*(?P<value>(?:(?:film|street|wildlife|portrait|landscape"
        rf"|wheel|hot|ice|road|open water|indoor|wild|classical|jazz|electric|acoustic|lead|beach"
        rf"|5 a side|five[- ]a[- ]side|sunday league|table|field|roller) )?(?:{_SPORT}"
        rf"|{_ING}))\b(?! (?:with (?:you|me))"
        rf"|\w* (?:question|homework|assignment|project|app))"
        r".*",
        _does(),
    ),
    rule(
        "leisure.goes",
        rf"(?:(?:I|we) {ADVERBS}(?:go|went back to|get to go|like to go|love to go)"
        rf"|{I_AM}(?:big on|always)|{I_HAVE}been)\s?"
        rf"(?:\w+ )?(?P<value>{_ING})\b(?! into\b)(?= (?:every|most|on|since|for|with|in|at|a lot"
        rf"|twice|once|whenever|as)\b|[,.]|\Z).*",
        _hobby("The user goes {value}."),
    ),
    rule(
        "leisure.main",
        rf"I {ADVERBS}(?:main|stream) (?P<value>[\w' ]{{2,30}})(?:,.*)?\Z",
        _hobby("The user plays {value}."),
    ),
    rule(
        "leisure.stream",
        rf"I {ADVERBS}(?:stream|post|vlog|blog|podcast|upload|make videos) (?:\w+ )?(?:on|about"
        rf"|for) (?P<value>(?:twitch|youtube|tiktok|kick|instagram"
        r"|substack|\w+)\b.*)",
        _hobby("The user streams or posts on {value}."),
    ),
    rule(
        "leisure.in_a",
        rf"(?:{I_AM}|I {ADVERBS}(?:sing|play|drum|dance|act|row|run|swim)"
        rf"|I {ADVERBS}(?:joined))\s?(?:in|on|for|with)?\s?(?P<value>(?:an?|the|my|our)"
        rf" (?:[\w'-]+ ){{0,3}}?"
        r"(?:band|choir|orchestra|team|club|squad|league|troupe|running club|book club|d&d group"
        r"|quartet))\b.*",
        _hobby("The user is in {value}."),
    ),
    rule(
        "leisure.restores",
        rf"(?:{I_AM}|{I_HAVE}been |I {ADVERBS})(?:restor(?:ing|e)|collect(?:ing)?|build(?:ing)?"
        rf"|breed(?:ing)?|rais(?:ing|e)|grow(?:ing)?) (?P<value>(?:old |vintage |my own |classic "
        rf"|model "
        r"|antique |rare )(?:[\w-]+\s?){1,4})(?:,.*)?\Z",
        _hobby("The user works on {value}."),
    ),
    rule(
        "leisure.year",
        rf"(?:{I_AM}|I'm in |I am in )(?:in )?(?:an? |my |the |currently )*(?P<year>{_YEAR})(?:"
        rf" (?:student|undergrad))?(?: (?:of |in |doing |studying )(?:my )?"
        r"(?P<subject>(?!my|the|high|college|uni|school|year)[\w &]{2,40}?))?(?:,? (?:at|in)"
        r" (?P<school>[\w'& ]{2,40}))?(?:,.*)?\Z",
        lambda match, clause: (
            _year(match, clause)
            if match["subject"]
            or match["school"]
            or re.search(r"year|freshman|sophomore|junior\Z|senior\Z", match.group())
            else ()
        ),
    ),
    rule(
        "leisure.course",
        rf"(?:{I_AM}|I {ADVERBS})(?:doing|do|taking|take|on|finishing|starting|started"
        rf"|halfway through|enrolled in|studying for) (?:my|an?|the) (?P<value>[\w -]{{2,40}}?) "
        rf"(?P<kind>{_DEGREE})\b(?: (?:at|with|in) .+|,.*| .*)?\Z",
        lambda match, clause: _coursed(match, clause),
    ),
    rule(
        "leisure.learns",
        rf"(?:I {ADVERBS}(?:learn|study|want to learn|would like to learn|'d like to learn)"
        rf"|{I_AM}(?:learning|studying|practi[sc]ing|picking up)|I'd (?:like|love) to learn"
        rf"|{I_HAVE}been (?:learning|studying))"
        r" (?:the |some |a bit of )?(?P<value>[a-z]+)\b.*",
        _learns,
    ),
    rule(
        "leisure.training",
        rf"(?:{I_AM}|I )(?:studying|training|study|train|learning|going to school|in school"
        rf"|retraining) (?:for be|to be|to become|for|as) (?:an? )(?P<value>[\w -]{{3,40}})",
        _training,
    ),
)


def _coursed(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    drafts = list(_course(match, clause))
    place = re.search(
        r" (?:at|with) (?P<school>[\w'& ]{2,40}?)(?: (?:one|two|a|every|on|as|in|for|and)\b.*"
        r"|,.*)?\Z",
        clause.text,
    )
    if place:
        school = cleaned(place["school"], clause)
        if school and not re.match(r"(?:the|a|an|my|home|night|work)\b", school, re.I):
            drafts.append(_study("school", school, "The user studies at {value}."))
    return drafts
