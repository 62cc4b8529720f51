"""What the user owns, in the words of chat: "built a pc", "driving a golf", "a 1964 Triumph"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.plans import drafted
from stratal_memory.learning.rules.possessions import THING
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    bare,
    cleaned,
    first_date,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause

GOODS = (
    rf"(?:{THING}|pc|gaming pc|rig|macbook|imac|ipad|iphone|pixel|kindle|steam deck|switch|ps[45]"
    rf"|xbox"
    r"|playstation|console|gpu|headset|headphones|airpods|smart\s?watch|garmin|fitbit|go\s?pro|suv"
    r"|pickup"
    r"|sedan|hatchback|convertible|jeep|moped|scooty|vespa|e-?bike|cargo bike|road bike"
    r"|mountain bike"
    r"|dirt bike|tractor|combine|trailer|camper|campervan|caravan|motorhome|rv|kayak|canoe"
    r"|sailboat|dinghy"
    r"|narrowboat|houseboat|yacht|canal boat|quad bike|ute|duplex|bungalow|condo|townhouse"
    r"|cottage|cabin|farm|land|acres|allotment|greenhouse|shed|garage"
    r"|hot tub|pool|sofa|couch|mattress|standing desk|treadmill|peloton|rowing machine|air\s?fryer"
    r"|instant pot|slow cooker|sewing machine|3d printer|espresso machine|coffee machine"
    r"|record player"
    r"|turntable|keyboard|synth|ukulele|banjo|cello|sax(?:ophone)?|trumpet|drum\s?kit|surfboard"
    r"|snowboard"
    r"|skateboard|lathe|chainsaw|lawn\s?mower|generator|solar panels|heat pump|dash\s?cam|projector"
    r"|server"
    r"|raspberry pi|nas|ring doorbell|robot vacuum|roomba|dishwasher|tumble dryer|tattoo"
    r"|piercing)s?"
)
_MAKE = (
    r"(?:opel|vauxhall|saab|lada|dacia|porsche|jaguar|lexus|mitsubishi|holden|toyota|honda|ford|vw|volkswagen|bmw|audi|mercedes|tesla|nissan|hyundai|kia|mazda|subaru|volvo|skoda"
    r"|seat|fiat|renault|peugeot|citroen|mini|golf|polo|civic|corolla|prius|camry|fiesta|focus|corsa|astra"
    r"|yaris|clio|swift|alto|activa|splendor|pulsar|royal enfield|bullet|harley|triumph|ducati"
    r"|yamaha|suzuki"
    r"|kawasaki|vespa|land rover|range rover|defender|jeep|chevy|chevrolet|dodge|ram|f-?150"
    r"|silverado|tacoma"
    r"|outback|mustang|miata|leaf|model [3ysx]|transit|sprinter|new holland|john deere"
    r"|massey(?: ferguson)?"
    r"|kubota|macbook|thinkpad|dell|lenovo|hp|asus|acer|iphone|pixel|samsung|galaxy|oneplus|xiaomi|nikon"
    r"|canon|sony|fuji(?:film)?|leica|gibson|fender|yamaha|telecaster|stratocaster|les paul|trek"
    r"|specialized"
    r"|giant|brompton|rtx|ryzen|\d0[5-9]0(?:\s?ti)?)"
)
_AS = r"(?P<article>an?|my(?: very)? (?:first|own|new)|some|the|another|two|three|\d+)"
_BUYS = (
    r"(?:bought|purchased|got|ordered|built|adopted|inherited|leased|rented|restored|traded in for"
    r"|upgraded to|splashed out on|copped|picked up|invested in|treated myself to|got myself"
    r"|just got)"
)
_NEITHER = re.compile(
    r"\b(?:question|problem|issue|rid|error|bug|idea|feeling|job|call|email|message|message"
    r"|used to|into"
    r"|ticket|charger|case|cover|insurance|subscription|lesson|class|app|game|video|photo|picture|review"
    r"|for (?:him|her|them|work|you|my|the|a friend)|as a gift)\b",
    re.IGNORECASE,
)


def _thing(raw: str, clause: Clause) -> str:
    value = bare(cleaned(raw, clause, past=True))
    value = re.split(
        r" (?:in the|which|that|off|from|on|at|for|to|with|and it|it|back in) ", value
    )[0]
    return value if 0 < len(value.split()) <= 7 and not _NEITHER.search(value) else ""


def _bought(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _thing(match["value"], clause)
    if not value or _NEITHER.search(match["value"]):
        return ()
    when = first_date(clause, past=True)
    if when is not None and when.day > clause.at.date():
        return ()
    date = f" {when.phrase()}" if when else ""
    said = match.group().casefold()
    held = re.match(r"(?:i|we)(?:'ve| have) got\b", said)
    verb = "built" if "built" in said else "has" if held else "got"
    text = f"The user {verb} {value}{date}."
    return (Draft(facet="possession", value=value, text=text, when=when),)


def _has(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _thing(match["value"], clause)
    if not value:
        return ()
    return (Draft(facet="possession", value=value, text=f"The user has {value}."),)


def _finished(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(match["value"])
    return (Draft(facet="possession", value=value, text=f"The user has a {value}."),)


def _stolen(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    past = [when for when in clause.dates(past=True) if when.day <= clause.at.date()]
    return (drafted("event", clause, past),)


RULES: tuple[Rule, ...] = (
    rule(
        "goods.bought",
        rf"(?:I|we|I've|we've|I have|we have) {ADVERBS}{_BUYS} (?!out|up|in|into|off|on|to|back"
        rf"|rid|from)(?:{_AS} )?"
        rf"(?P<value>(?:[\w'/+-]+ ){{0,4}}?(?:{GOODS}|{_MAKE})\b.*)",
        _bought,
    ),
    rule(
        "goods.drives",
        rf"(?:(?:I|we) {ADVERBS}(?:drive|ride|own|use|have)|{I_AM}(?:driving|riding|using|on)"
        rf"|{I_HAVE})"
        rf"\s?{_AS} (?P<value>(?:[\w'/+-]+ ){{0,4}}?(?:{_MAKE})\b.*)",
        _has,
    ),
    rule(
        "goods.has",
        rf"(?:(?:I|we) {ADVERBS}(?:have|own|keep|drive|ride|run)|{I_AM}on|{I_HAVE})\s?{_AS}"
        rf" (?P<value>(?:[\w'/+-]+ ){{0,4}}?{GOODS}\b(?! (?:is|was|keeps|won't|problem|issue)).*)",
        _has,
    ),
    rule(
        "goods.my_built",
        rf"(?:I|we|I've|we've) {ADVERBS}(?:finished building|built|restored|upgraded|paid off"
        rf"|insured) my"
        rf" (?:own |new |first )?(?P<value>(?:[\w-]+ )?{GOODS})\b.*",
        _finished,
    ),
    rule(
        "goods.stolen",
        r"(?:someone|somebody|thieves|some \w+|they|a guy) (?:just )?(?:robbed|stole|nicked|took"
        r"|broke into)"
        rf" (?:my|our) (?P<value>(?:[\w-]+ ){{0,2}}?(?:{GOODS}|wallet|purse|bag|backpack"
        rf"|passport))\b.*",
        _stolen,
    ),
)
