"""What is said about the user's nearest in plain talk, and names in small letters."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.kin import (
    ONE,
    RELATION,
    facet_of,
    is_small_name,
)
from stratal_memory.learning.rules.rule import Draft, Rule, cleaned, first_date, rule
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words

# Friends and colleagues do things every day that are nobody's memory; these are the nearest.
_NEAREST = words(
    """
    wife husband partner girlfriend boyfriend spouse fiance mother father sister brother son
    daughter grandmother grandfather grandson granddaughter child kid kids children sons daughters
    parents grandparents twins sisters brothers stepmum stepmom stepdad stepson stepdaughter
    stepsister stepbrother cousin uncle aunt niece nephew roommate flatmate roommates flatmates
    housemate housemates baby ex
    """
)
_FLEETING = words(
    """
    says thinks wants keeps asks looks seems feels knows reckons tells needs hopes sounds gets
    comes is was has means makes gives sends lets takes said this his as its us always
    sometimes never just says yes things guys kids parents lots loads thinks wishes decides
    calls texts bugs annoys kills bothers drives pisses asks insists refuses expects finds
    misses understands agrees disagrees believes worries wonders starts stops leaves shows
    """
)
_ADV = (
    r"(?:(?:always|never|usually|also|actually|really|just|only|still|now|both|all|mostly|sometimes"
    r"|currently|often|literally|absolutely|obviously) )*"
)
_NAME = (
    r"(?P<name>(?-i:[A-ZÀ-Þ])[\w'-]*|(?!(?:is|has|was|are|and|or|who|that|which|in|at|on|of"
    r"|the|my|doesn't|does|can't|won't|can|will|would|had|have|got|just"
    r"|also"
    r"|really"
    r"|always"
    r"|never"
    r"|usually|both|all|still|now|only|used|said|says|told|did|died|went)\b)[a-z]{3,10})"
)
_VERB = (
    r"(?P<verb>[a-z]{2,}s|has|does|doesn't|can't|won't|never|is|was|are|were|lives?|works?|love|hate|like|have"
    r"|live|study|studies|play|speak|run|own|goes|go)"
)
_STATE = re.compile(
    r"(?:(?:really|super|so|very|totally|completely|also|both|still|actually|over|back|up|down|out|all|quite|pretty"
    r"|mostly|only|almost|nearly|about|like|turning|just|now|currently) )*"
    r"(?:(?:mad|crazy|nuts|passionate|obsessed|serious) (?:about|with|on) .+|into .+|allergic .+"
    r"|obsessed .+|terrified of .+|afraid of .+"
    r"|scared of .+|good at .+|in (?:the (?:army|navy|raf|air force|police|marines|military"
    r"|hospital)|jail|prison|rehab|a (?:wheelchair|care home"
    r"|nursing home|band)|(?:her|his|their) (?:first|second|third|final|last|teens|early|mid|late"
    r"|\w+ties)\b.*|(?:kindergarten|preschool|nursery|primary"
    r"|middle school|high school|year \d+|college|uni\w*|med school|law school|grade \d+"
    r"|class \d+)|\d+(?:st|nd|rd|th) (?:grade|std|standard|class|year).*"
    r"|(?!(?:a|an|the|my|his|her|love|trouble|bed|town|charge|pain|tears|labou?r|shock|denial"
    r"|surgery|there|here|class)\b)\w+(?: \w+)?)|from .+|based in .+|living in .+"
    r"|away at .+|off (?:to|at) (?:uni\w*|college|ag college|school|war|the navy)\b.*"
    r"|(?:a |an |the )?(?:very )?(?:vegan|vegetarian|diabetic|autistic|deaf|blind|pregnant"
    r"|expecting|retired|dyslexic|coeliac|celiac|divorced|married|engaged"
    r"|disabled|widowed|epileptic|asthmatic|lactose intolerant|teetotal|adopted|gay|lesbian|trans"
    r"|nonbinary|bipolar|bilingual|catholic|muslim|hindu|jewish"
    r"|christian|buddhist|sikh|left[- ]handed|colou?r\s?blind|unemployed|homeschooled)\b.*"
    r"|\d{1,2}(?: (?:years? old|months? old|weeks? old|now|and|in|next|this)\b.*|\Z)|studying .+"
    r"|training .+|learning .+|working (?:at|in|for|as) .+|doing (?:a|an|his|her|their) .+"
    r"|pregnant.*|due .+|teaching .+|named .+)",
    re.IGNORECASE,
)
_HAVING = re.compile(
    r"(?:got |just got |had )?(?:an?|two|three|four|five|six|\d+|his own|her own|their own|got"
    r"|severe|bad|really bad|type \d) (?!(?:question|problem|issue|meeting|cold|headache|call"
    r"|date|point|"
    r"lot|bit|few|thing|exam|test|day|week|time|good|bad|great|hard|rough|tough|big day|busy"
    r"|weird|crush|fever|idea|plan|party|match|game|appointment|interview|flight|"
    r"habit|way|tendency|right)\b)[\w' -]+"
    r"|(?:diabetes|asthma|adhd|autism|cancer|dementia|alzheimer'?s|parkinson'?s|arthritis"
    r"|depression|anxiety|allergies|epilepsy|down(?:'s)? syndrome|ms|copd|ptsd|ocd|"
    r"dyslexia|eczema|high blood pressure|a dog|a cat|kids|twins)\b.*",
    re.IGNORECASE,
)
_THE = words("the a an my his her their our this that one two three for to it and in at on so not")


def _relative(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The name, and what lasts of what is said."""
    facet, said = facet_of(match["who"] + (match["law"] or ""))
    near = said in _NEAREST or bool(match["law"])
    rest = re.split(
        r",? (?:so|because|but|though|although|which|while) |, ", match["rest"], maxsplit=1
    )[0]
    rest = re.sub(r"\A'(?:s|re)\b", "is", rest.strip())
    name = _name(match["name"] or "", said)
    lasting = _lasting(rest, clause)
    if not near and match["name"] is None:
        return ()
    drafts: list[Draft] = []
    if name and (lasting or match["name"][0].isupper()):
        text = f"The user's {said} is called {name}."
        drafts.append(Draft(facet=facet, value=name, text=text, single_valued=said in ONE))
    if lasting and near:
        drafts.append(_told(facet, said, lasting))
    return drafts


def _name(raw: str, said: str) -> str:
    if not raw or raw.casefold() in _THE or (raw[0].islower() and not is_small_name(raw)):
        return ""
    return "" if raw.casefold() == said else raw[:1].upper() + raw[1:]


def _told(facet: str, said: str, rest: str) -> Draft:
    value = re.sub(r"\A(?:is|are|has|have)\b ?(?:got )?", "", rest)
    topic = {"live": "home", "work": "work", "stud": "study"}.get(rest[:4].casefold(), "about")
    return Draft(facet=f"{facet}.{topic}", value=value, text=f"The user's {said} {rest}.")


def _lasting(rest: str, clause: Clause) -> str:
    """`rest` without its dates where it tells of what is so for long; else empty."""
    plain = cleaned(rest, clause, past=True)
    words_said = plain.split()
    if not 2 <= len(words_said) <= 9:
        return ""
    head = re.match(_ADV, plain, re.IGNORECASE)
    behind = plain[head.end() if head else 0 :]
    verb, _, more = behind.partition(" ")
    low = verb.casefold()
    if low in {"is", "are"}:
        return plain if _STATE.fullmatch(more) else ""
    if low in {"has", "have"}:
        return plain if _HAVING.fullmatch(more) else ""
    if low in {"doesn't", "can't", "won't", "never"}:
        return (
            plain
            if re.match(
                r"(?:eat|drink|drive|like|speak|eats|drinks|drives|likes|work|works)\b", more
            )
            else ""
        )
    if low in {"live", "love", "hate", "like", "work", "play", "study", "speak", "run", "own"}:
        return plain if more else ""
    if low == "comes" and more.startswith("from "):
        return plain
    habit = re.fullmatch(r"[a-z]{2,}s", low) and low not in _FLEETING and not low.endswith("ss")
    return (
        plain
        if habit and more and not re.search(r"\b(?:me|you|it|this|that|them|us|him)\b", more)
        else ""
    )


RULES: tuple[Rule, ...] = (
    rule(
        "relatives.told",
        rf"(?:both |all )?(?:my|our) {RELATION}(?:,? (?:who is )?(?:called |named )?{_NAME},?)?"
        rf"(?P<rest>(?:'s|'re)?\s?(?<!\w){_ADV}{_VERB}?\b.+)",
        _relative,
    ),
    rule(
        "relatives.died",
        rf"(?:my|our) {RELATION}(?:,? (?P<name>(?-i:[A-Z])\w+),?)? {_ADV}(?:died|passed away"
        rf"|passed on|passed"
        r"(?! (?:the|my|her|his|their|an?|it|out)\b))\b.*",
        lambda match, clause: _lost(match, clause),
    ),
    rule(
        "relatives.lost",
        rf"(?:I|we) {_ADV}lost (?:my|our) {RELATION}(?: (?P<name>(?-i:[A-Z])\w+))?\b(?! (?:phone"
        rf"|keys|job|wallet|number|trust))(?P<rest>.*)",
        lambda match, clause: _lost(match, clause),
    ),
    rule(
        "relatives.baby",
        rf"(?:my|our|the) {RELATION} (?:was born|arrived|had (?:her|his|their) (?:first )?(?:baby"
        rf"|little one))\b.*(?P<rest>)",
        lambda match, clause: _born(match, clause),
    ),
)


def _lost(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    facet, _ = facet_of(match["who"] + (match["law"] or ""))
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    name = match["name"] or ""
    text = f"The user's {match['who']}{f' {name}' if name else ''} died{date}."
    return (Draft(facet=f"{facet}.about", value=name or match["who"], text=text, when=when),)


def _born(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    facet, said = facet_of(match["who"] + (match["law"] or ""))
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    happened = "was born" if "born" in match.group() or "arrived" in match.group() else "had a baby"
    text = f"The user's {said} {happened}{date}."
    return (Draft(facet=f"{facet}.about", value=happened, text=text, when=when),)
