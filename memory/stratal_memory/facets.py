"""What facts are about, in the words people ask with.

A question ("Where do I live?") shares neither words nor much meaning with its answer ("The user
moved to Porto"). Measured on all-MiniLM-L6-v2 with 19 such questions: the handle before the
user's own words lifts the cosine from 0.13-0.56 to 0.27-0.59, while unrelated questions stay
under 0.20.
"""

from enum import StrEnum


class ItemType(StrEnum):
    """What kind of thing a statement says (Zs3)."""

    PREFERENCE = "preference"
    FACT = "fact"
    SKILL = "skill"
    HABIT = "habit"
    EVENT = "event"
    CONTEXT = "context"
    CONSTRAINT = "constraint"
    DECISION = "decision"


# By the part of a facet before its first dot; what is not named here is a fact.
ITEM_TYPES: dict[str, ItemType] = {
    **{item.value: item for item in ItemType},
    "favourite": ItemType.PREFERENCE,
    "dislike": ItemType.PREFERENCE,
    "plan": ItemType.EVENT,
    "appointment": ItemType.EVENT,
    "allergy": ItemType.CONSTRAINT,
    "diet": ItemType.CONSTRAINT,
    "language": ItemType.SKILL,
    "stack": ItemType.CONTEXT,
}


def item_type(facet: str) -> ItemType:
    """The type of what is said about `facet`.

    >>> item_type("favourite.tea").value, item_type("home").value
    ('preference', 'fact')
    """
    return ITEM_TYPES.get(facet.partition(".")[0], ItemType.FACT)


# Facets that hold one value at a time, whoever found the statement: a new one replaces the old.
SINGLE_VALUED = frozenset(
    {
        "name", "name.preferred", "surname", "home", "origin", "nationality", "age", "birthday",
        "pronouns", "height", "religion", "work.employer", "work.role", "work.status",
        "work.field", "study.school", "study.subject", "family.status", "family.wife",
        "family.husband", "family.partner", "family.mother", "family.father", "people.boss",
    }
)  # fmt: skip
# One favourite tea, one favourite film; of what "my bank is ..." tells one at a time too.
SINGLE_BELOW = ("favourite.", "about.")
# Of these a sentence may name several that hold together: two jobs, two passports.
AT_TIMES_SEVERAL = frozenset(
    {
        "nationality", "pronouns", "work.employer", "work.role", "work.field", "study.school",
        "study.subject", "family.mother", "family.father", "people.boss",
    }
)  # fmt: skip


def one_at_a_time(facet: str) -> bool:
    """Whether a new value of `facet` replaces the old one instead of joining it.

    >>> one_at_a_time("home"), one_at_a_time("favourite.tea"), one_at_a_time("pet.cat")
    (True, True, False)
    """
    return facet in SINGLE_VALUED or facet.startswith(SINGLE_BELOW)


# Facets that stand for one role, whatever it is called: a new value of one ends that of another.
_ONE_ROLE: tuple[tuple[str, ...], ...] = (
    (
        "family.partner", "family.girlfriend", "family.boyfriend", "family.wife",
        "family.husband", "family.spouse", "family.fiance",
    ),
    ("people.boss", "people.manager", "people.supervisor", "people.line_manager"),
    ("people.doctor", "people.gp"),
    ("people.therapist", "people.counsellor", "people.shrink", "people.psychologist"),
    ("people.landlord", "people.landlady"),
    ("people.flatmate", "people.roommate", "people.housemate"),
    ("people.trainer", "people.personal_trainer", "people.coach"),
)  # fmt: skip
# Of what one has and uses, whatever the facet's head is.
_THING_HEADS = ("about", "possession", "tool")
_ONE_THING: tuple[tuple[str, ...], ...] = (
    ("phone", "mobile", "cell", "cellphone", "smartphone", "mobile_phone"),
    ("laptop", "notebook", "work_laptop"),
    ("bike", "bicycle"),
    ("motorbike", "motorcycle"),
    ("house", "flat", "apartment"),
    ("tv", "television"),
    ("editor", "ide", "code_editor", "text_editor"),
    ("phone_provider", "mobile_provider", "carrier", "network", "phone_network"),
    ("internet_provider", "isp", "broadband", "broadband_provider", "internet"),
    ("energy_provider", "electricity_provider", "energy_supplier", "electricity_supplier"),
    ("salary", "pay", "wage"),
    ("wake-up_time", "alarm"),
    ("insurance", "insurer", "insurance_company", "insurance_provider"),
    ("project", "current_project", "work_project"),
)
_AKIN: dict[str, frozenset[str]] = {
    one: frozenset(group)
    for group in (
        *_ONE_ROLE,
        *([f"{head}.{noun}" for head in _THING_HEADS for noun in nouns] for nouns in _ONE_THING),
    )
    for one in group
}


def akin(facet: str) -> frozenset[str]:
    """The facets that stand for the same role or thing as `facet`, itself among them.

    >>> sorted(akin("people.gp")), sorted(akin("about.bank"))
    (['people.doctor', 'people.gp'], ['about.bank', 'possession.bank', 'tool.bank'])
    """
    known = _AKIN.get(facet)
    if known is not None:
        return known
    head, dot, noun = facet.partition(".")
    if head in _THING_HEADS and dot and "." not in noun:
        return frozenset(f"{one}.{noun}" for one in _THING_HEADS)
    return frozenset({facet})


HANDLES: dict[str, str] = {
    "about": "about me, my",
    "name": "my name, who I am",
    "nickname": "my name, what to call me",
    "home": "where I live, my home",
    "origin": "where I am from",
    "nationality": "where I am from, my nationality",
    "work": "my work, my job",
    "birthday": "my birthday, when I was born",
    "age": "my age, how old I am",
    "language": "the languages I speak",
    "family": "my family",
    "pet": "my pets",
    "allergy": "my allergies",
    "diet": "what I eat, my diet",
    "preference": "what I like, my preference",
    "favourite": "what I like best, my favourite",
    "dislike": "what I don't like",
    "plan": "my plans",
    "possession": "what I own, my things",
    "skill": "what I can do, my skills",
    "habit": "what I usually do, my habits",
    "event": "what happened",
    "context": "the background",
    "constraint": "the rules, what must hold",
    "decision": "what was decided",
    "stack": "the technology we use",
}


# A quote this much longer than the statement says other things too, and would be found by them.
LONGEST_QUOTE = 1.25


def found_by(facet: str, text: str, quote: str) -> str:
    """The text a fact is embedded by: what it is about, then how the user said it.

    >>> found_by("family.sister", "The user's sister Eva is a vet.", "my sister Eva is a vet")
    'my family, sister: my sister Eva is a vet'
    """
    words = quote if quote and len(quote) <= LONGEST_QUOTE * len(text) else text
    head, _, detail = facet.partition(".")
    handle = HANDLES.get(head)
    if handle is None:
        return words
    about = f"{handle}, {detail.replace('.', ' ')}" if detail else handle
    return f"{about}: {words}"
