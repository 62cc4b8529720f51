"""What the user wants, plans and prepares, and appointments named without a verb."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.phrasing import dated, sentence, third_person, without_dates
from stratal_memory.learning.rules.plans import OCCASION
from stratal_memory.learning.rules.rule import ADVERBS, I_AM, Draft, Rule, cleaned, rule
from stratal_memory.learning.rules.sentences import Clause

_VISIT = (
    r"(?:dentist|doctor|gp|vet|physio|physiotherapy|therapist|optician|hairdresser|orthodontist"
    r"|surgery|exam|interview|flight|viewing|rehearsal|driving test|mot|scan|blood test|check-?up"
    r"|wedding|funeral|practical|theory test|parents' evening|graduation|party|concert|gig"
    r"|deadline|presentation|meeting|lesson)"
)
_NOW = re.compile(r"\b(?:today|now|tonight|this (?:morning|afternoon|evening))\b", re.IGNORECASE)
_SEASON = re.compile(
    r"\b(?P<which>next|this) (?P<season>spring|summer|autumn|fall|winter)\b", re.IGNORECASE
)
_AIM = (
    r"(?:learn (?!more|what|how|about|why|if)|visit |move (?:to|back|out|abroad|closer)"
    r"|climb |become "
    r"|run (?:an? |my |the )?(?:\w+ ){0,2}(?:marathon|race|10k|5k|business)|buy an? |retire"
    r"|adopt |hike "
    r"|write (?:an? |my )(?:\w+ )?(?:book|novel|memoir|screenplay)|have (?:kids|children)"
    r"|travel |study "
    r"|start an? (?:\w+ )?(?:business|family|company|blog|band|farm|garden)|read \d"
    r"|lose (?:\d|weight)"
    r"|open an? (?:\w+ )?(?:shop|cafe|bakery|restaurant|bar|studio)|save (?:up|money)"
    r"|quit (?:my|smoking)"
    r"|get (?:a dog|a cat|married|fit)|build an? (?:\w+ )?(?:house|cabin|boat|shed)|sail "
    r"|see the |speak "
    r"|cycle (?:across|from|to)|walk the )"
)


def _seasoned(text: str, clause: Clause) -> str:
    """A season with its year: "next summer" said in November 2026 is that of 2027."""

    def year(match: re.Match[str]) -> str:
        begins = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
        season = match["season"].casefold()
        now = clause.at
        later = begins[season] <= now.month and match["which"].casefold() == "next"
        passed = begins[season] + 2 < now.month
        return f"in {season} {now.year + (1 if later or passed else 0)}"

    return _SEASON.sub(year, text)


def _visit(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """An appointment that is only named with its day: "dentist on monday"."""
    dates = [when for when in clause.dates() if when.end.date() > clause.at.date()]
    if not dates or dates[0].span[0] < 0:
        return ()
    said = dated(clause.text, dates)
    value = " ".join(without_dates(clause.text, dates).split())
    text = sentence(f"The user has an appointment or event: {said.lstrip()}")
    return (Draft(facet="plan", value=value, text=text, when=dates[0]),)


def _coming(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A plan with a date or a season of its own."""
    dates = [when for when in clause.dates() if when.end.date() > clause.at.date()]
    season = _SEASON.search(clause.text)
    if (not dates and season is None) or re.search(r"\b(?:bed|sleep|shower)\b", match["what"]):
        return ()
    return (_draft(clause, match),)


def _aimed(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    if _NOW.search(clause.text) or re.search(r"\b(?:you|this|that|it)\b", match["what"]):
        return ()
    return (_draft(clause, match),)


def _draft(clause: Clause, match: re.Match[str]) -> Draft:
    dates = [when for when in clause.dates() if when.end.date() > clause.at.date()]
    said = re.split(r",\s|\s[-–—]\s|\bbecause\b|\bso\b", clause.text)[0]
    inside = [when for when in dates if when.span[1] <= len(said)]
    plain = re.sub(r"\A(?:we're|we are)\b", "I'm", said, flags=re.IGNORECASE)
    plain = re.sub(r"\Awe\b", "I", plain, flags=re.IGNORECASE)
    told = _seasoned(plain if plain != said else dated(said, inside), clause)
    value = cleaned(re.sub(r"\A\s*(?:to|for|up for) ", "", match["what"]), clause)
    return Draft(
        facet="plan",
        value=value or said,
        text=third_person(told),
        when=dates[0] if dates else None,
    )


def _due(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    dates = clause.dates()
    when = dates[0] if dates else None
    date = f" {when.phrase()}" if when else f" {cleaned(match['what'], clause)}"
    text = f"The user's baby is due{date}."
    return (Draft(facet="plan", value="baby is due", text=text, when=when),)


RULES: tuple[Rule, ...] = (
    rule(
        "intentions.due",
        r"(?:the|our|my) (?:baby|little one|twins?) (?:is|are) due(?P<what> .+)",
        _due,
    ),
    rule(
        "intentions.visit",
        rf"(?:a |my |our )?(?:[\w-]+ )?{_VISIT}(?: (?:at|with|in) [\w ]{{1,30}}?)?"
        rf"(?:'s)? (?:(?:is )?(?:on|in|at|next|tomorrow|this|scheduled)\b.*|tomorrow)",
        _visit,
    ),
    rule(
        "intentions.theirs",
        rf"(?:my|our) [\w'-]+(?: [\w'-]+)?'s (?P<what>{OCCASION}|\d\d?(?:st|nd|rd|th)|birthday)"
        r" (?:is|are|'s) .+",
        _visit,
    ),
    rule(
        "intentions.start",
        rf"(?:I|we) {ADVERBS}(?:start|begin|move|leave|fly|travel|graduate|retire|turn"
        rf"|get married)\b(?P<what>.+)",
        _coming,
    ),
    rule(
        "intentions.season",
        rf"(?:{I_AM}|we're |we are )(?:also )?(?P<what>(?:going|flying|travell?ing|moving"
        rf"|getting|visiting"
        r"|driving|hosting|having|renting|spending|heading|turning|building)\b.*)",
        _coming,
    ),
    rule(
        "intentions.tickets",
        r"(?:I|we|I've|we've) (?:just |finally )?(?:got|have|booked"
        r"|bought)(?: got)? (?P<what>(?:tickets?|a table|flights?"
        r"|a cabin|a room|an airbnb)\b.*)",
        _coming,
    ),
    rule(
        "intentions.expires",
        r"(?:my|our) (?P<what>(?:passport|visa|lease|licen[cs]e|contract|insurance"
        r"|subscription|permit)"
        r" (?:expires?|ends?|finish(?:es)?|runs? out|is up|renews)\b.*)",
        _coming,
    ),
    rule(
        "intentions.training",
        rf"(?:{I_AM}|we're )(?:training|preparing|studying|practising"
        rf"|saving(?: up)?) (?P<what>(?:for|up for) .+)",
        _aimed,
    ),
    rule(
        "intentions.trying",
        rf"(?:{I_AM}|we're |we are )trying (?P<what>(?:to (?:quit|stop|cut|lose|learn|eat"
        rf"|save|adopt|get"
        r" (?:fit|pregnant)|have a baby|conceive|become|run|read|drink less|sleep)"
        r"|for a baby)\b.*)",
        _aimed,
    ),
    rule(
        "intentions.wants",
        rf"(?:I|we) {ADVERBS}(?:want|hope|would love|dream of|am hoping"
        rf"|aim) to (?P<what>{_AIM}.*)",
        _aimed,
    ),
    rule(
        "intentions.goal",
        r"my (?:main |big )?(?:goal|aim|dream|resolution|new year's resolution)(?: (?:this"
        r"|next|for)[\w ]*?)?"
        r" is (?:to )?(?P<what>.+)",
        _aimed,
    ),
)
