"""The user's body in plain talk: what they take, what they have, what was done to them."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.liking import VAGUE, several
from stratal_memory.learning.rules.plans import drafted
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    bare,
    cleaned,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause

_MEDICINE = (
    r"(?:warfarin|insulin|metformin|statins?|lithium|prednison?e?|steroids|methotrexate|levothyroxine"
    r"|thyroxine|ritalin|adderall|concerta|vyvanse|prozac|zoloft|lexapro|sertraline|fluoxetine"
    r"|citalopram|escitalopram|antidepressants|blood (?:thinners?|pressure (?:meds|tablets|pills"
    r"|medication))|beta\s?blockers|chemo(?:therapy)?|dialysis|hrt|testosterone|the pill"
    r"|antibiotics"
    r"|omeprazole|ozempic|wegovy|humira|accutane|an inhaler|inhalers?|oxygen|painkillers|opioids"
    r"|[a-z]{3,}(?:pril|olol|statin|zepam|zolam|oxetine|tidine|prazole|sartan|mycin|gliptin|xaban"
    r"|mab|cillin|dipine|triptan|profen))"
)
_ILL = (
    r"(?:thyroid(?: (?:issues?|problems?|disease))?|hypothyroid\w*|hyperthyroid\w*|hashimoto'?s?"
    r"|diabet\w+|asthma|arthritis|ra|gout|sciatica|fibromyalgia|lupus|ms|als|copd|ibs|ibd|gerd"
    r"|acid reflux"
    r"|crohn'?s|colitis|coeliac|celiac|endo|endometriosis|pcos|pcod|adhd|add|ocd|ptsd|bpd|bipolar|autism"
    r"|asd|anxiety|depression|insomnia|narcolepsy|sleep apn(?:o)?ea|migraines?|epilepsy|seizures"
    r"|vertigo"
    r"|tinnitus|hearing loss|eczema|psoriasis|rosacea|acne|vitiligo|alopecia|anemia|anaemia"
    r"|hemophilia"
    r"|high (?:bp|blood pressure|cholesterol)|low (?:bp|blood pressure|iron)|hypertension|afib|pots"
    r"|a heart (?:condition|murmur)|heart disease|cancer|leukemia|lymphoma|glaucoma|cataracts"
    r"|astigmatism"
    r"|scoliosis|a slipped disc|a herniated disc|a bad (?:back|knee|hip|shoulder|ankle|neck|heart)"
    r"|bad (?:knees|eyesight|hips)|flat feet|hay\s?fever|(?:a )?(?:nut|peanut|gluten|dairy|seafood"
    r"|shellfish"
    r"|egg|soy|penicillin|latex|pollen|dust|cat|dog|wheat|lactose) (?:allergy|intolerance)"
    r"|dyslexia|dyscalculia|dyspraxia|tourette'?s|raynaud'?s|long covid|lyme(?: disease)?|a stutter"
    r"|a pacemaker|braces|dentures|a (?:new|false|fake|replacement) (?:hip|knee|tooth|leg|eye)"
    r"|sugar)"
)
_PART = (
    r"(?:(?:left |right |lower |upper )?(?:ankle|leg|arm|wrist|foot|toe|finger|thumb|knee|hip"
    r"|hand|elbow"
    r"|collarbone|shoulder|nose|ribs?|back|neck|acl|mcl|meniscus|achilles|hamstring|jaw|skull|eye|tooth"
    r"|appendix|tonsils|gall\s?bladder|wisdom teeth|cataracts?|braces|cast|stitches|kidney|thyroid"
    r"|womb"
    r"|prostate|heart|pacemaker|teeth))"
)
_DONE = (
    r"(?:replaced|removed|done|operated on|scanned|checked|fixed|pinned|taken out|pulled|out|off|on"
    r"|reconstructed|transplanted|tested|x-rayed)"
)


def _note(facet: str, value: str, text: str) -> Sequence[Draft]:
    return (Draft(facet=facet, value=value, text=text),)


def _takes(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"]
    return _note("health", bare(value), f"The user takes {value}.")


def _has(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"]
    return _note("health", bare(value), f"The user has {value}.")


def _done(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Something done to the body: an event, or a plan when its day is to come."""
    today = clause.at.date()
    ahead = [when for when in clause.dates() if when.day > today]
    if match.groupdict().get("ahead"):
        return (drafted("plan", clause, ahead),) if ahead else ()
    past = [when for when in clause.dates(past=True) if when.day <= today]
    return (drafted("event", clause, past),)


def _intolerant(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    return _note("allergy", value, f"The user is {value} intolerant.")


def _cannot(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    values = several(re.sub(r" (?:anymore|any more|cos|or I)\b.*\Z", "", match["value"]), clause)
    return tuple(
        Draft(facet="diet", value=bare(value), text=f"The user can't have {value}.")
        for value in values
        if not VAGUE.match(value) and len(value.split()) <= 4
    )


def _signed(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    past = [when for when in clause.dates(past=True) if when.day <= clause.at.date()]
    return (drafted("event", clause, past),)


def _blind(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause).casefold()
    return _note("health", value, f"The user is {value}.")


def _pregnant(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    return _note("health", value, f"The user is {value}.")


RULES: tuple[Rule, ...] = (
    rule(
        "medicine.takes",
        rf"(?:{I_AM}(?:on|taking|prescribed)|I {ADVERBS}(?:take|use|inject|got prescribed"
        rf"|was prescribed)|{I_HAVE}(?:been (?:on|taking|prescribed)|started)|I (?:just )?started)"
        rf" (?:my |daily |some |\d+\s?mg (?:of )?)?(?P<value>{_MEDICINE})\b.*",
        _takes,
    ),
    rule(
        "medicine.has",
        rf"(?:{I_HAVE}(?:got |had |been having |been diagnosed with )?|{I_AM}(?:having|suffering"
        rf" (?:from"
        rf"|with)|diagnosed with|living with|dealing with|recovering from)"
        rf"|I {ADVERBS}(?:suffer from|got"
        r"|live with|deal with|was diagnosed with|got diagnosed with|struggle with))"
        rf"\s?(?:really |super |very |pretty |quite |chronic |severe |mild |bad |terrible "
        rf"|type [12] )*"
        rf"(?P<value>{_ILL})(?! (?:test|exam|class|medication|meds|research|patient|clinic"
        rf"|ward))\b.*",
        _has,
    ),
    rule(
        "medicine.done",
        rf"(?:I|we|{I_HAVE})\s?{ADVERBS}(?:had|got|having|getting) (?:my|the|an?|both)"
        rf" (?:\w+ )?{_PART}s?"
        rf" {_DONE}\b.*",
        _done,
    ),
    rule(
        "medicine.ahead",
        rf"(?P<ahead>(?:{I_AM}|I'll be |I will be |I {ADVERBS})(?:having|getting|get|have) (?:my"
        rf"|the|an?"
        rf"|both) (?:\w+ )?{_PART}s? {_DONE})\b.*",
        _done,
    ),
    rule(
        "medicine.injured",
        rf"(?:I|I've) {ADVERBS}(?:broke|broken|sprained|tore|torn|fractured|dislocated|injured"
        rf"|twisted"
        rf"|pulled|hurt|ruptured|busted|bust|did|messed up|threw out|put out|cracked|chipped)"
        rf" (?:my|the)"
        rf" {_PART}\b.*",
        _done,
    ),
    rule(
        "medicine.signed_off",
        rf"(?:I got|I was|{I_AM}|{I_HAVE}been)\s?{ADVERBS}signed off (?:work )?(?:with|for|sick).*",
        _signed,
    ),
    rule(
        "medicine.intolerant",
        rf"{I_AM}(?:\w+ )?(?P<value>lactose|gluten|dairy|fructose|histamine"
        rf"|wheat)\s?-?intolerant\b.*",
        _intolerant,
    ),
    rule(
        "medicine.cannot",
        rf"(?:I|we) {ADVERBS}(?:can't|cannot|can not|couldn't|am not (?:allowed|able) to"
        rf"|'m not allowed"
        rf" to) (?:\w+ly )?(?:eat|have|do|drink|digest|tolerate|touch)"
        r" (?P<value>(?:dairy|gluten|milk|lactose|wheat|nuts|peanuts|shellfish|eggs?|soy|sugar"
        r"|caffeine"
        r"|alcohol|seafood|pork|beef|meat|red meat|spicy food|fish|cheese|bread|coffee)\b.*)",
        _cannot,
    ),
    rule(
        "medicine.senses",
        rf"{I_AM}(?:\w+ )?(?P<value>(?:(?:red[- ]green )?colou?r\s?-?blind|(?:half |partially "
        rf"|legally )?"
        r"(?:deaf|blind)|left\s?-?handed|near\s?-?sighted|short\s?-?sighted|an? amputee"
        r"|an? wheelchair user"
        r"|dyslexic|autistic|epileptic|asthmatic|diabetic|bipolar|an? insomniac|neurodivergent"
        r"|hard of hearing|coeliac|celiac|immuno-?compromised|an? (?:type [12] )?diabetic))\b.*",
        _blind,
    ),
    rule(
        "medicine.pregnant",
        rf"{I_AM}(?P<value>(?:\d+ (?:weeks|months) )?pregnant(?: with \w+)?)\b.*",
        _pregnant,
    ),
)
