"""The words for the user's people and animals, and what facet each stands for."""

from stratal_memory.learning.wordlist import words
from stratal_memory.text import STOP_WORDS

_KIN = {
    "mom": "mother",
    "mum": "mother",
    "mama": "mother",
    "dad": "father",
    "papa": "father",
    "grandma": "grandmother",
    "granny": "grandmother",
    "grandpa": "grandfather",
    "nan": "grandmother",
    "grandad": "grandfather",
    "granddad": "grandfather",
    "kid": "child",
    "hubby": "husband",
    "fiancé": "fiance",
    "fiancée": "fiance",
    "fiancee": "fiance",
    "mam": "mother",
    "gran": "grandmother",
    "sis": "sister",
    "bro": "brother",
    "missus": "wife",
    "girl": "girlfriend",
    "other half": "partner",
    "better half": "partner",
    "mate": "friend",
    "buddy": "friend",
    "pal": "friend",
    "bestie": "friend",
    "gp": "doctor",
    "cousin sister": "cousin",
    "cousin brother": "cousin",
}
ONE = words(
    """
    wife husband partner girlfriend boyfriend spouse fiance mother father boss manager supervisor
    doctor dentist therapist landlord landlady
    """
)
_OUTSIDE = words(
    """
    boss manager roommate flatmate neighbour neighbor colleague coworker friend doctor
    dentist therapist landlord landlady teacher housemate mentor supervisor tutor coach client
    cofounder co-founder nanny childminder trainer
    """
)
RELATION = (
    r"(?:(?:great|new|own|dear|late|lovely|older|younger|elder|little|big|twin|eldest|youngest"
    r"|oldest|baby|best|half|step)[ -])*"
    r"(?P<who>missus|other half|better half|mate|buddy|pal|bestie|cousin (?:sister|brother)|sis|bro"
    r"|mam|gran|stepmum|stepmom|stepdad|stepson|stepdaughter|stepsister|stepbrother|godmother"
    r"|godfather|godson|goddaughter|grandson|granddaughter|landlady|girl(?! scouts?)|housemates?"
    r"|mentor|wife|husband|hubby|partner|girlfriend|boyfriend|spouse|fianc[eé]e?|mother|mom"
    r"|mum|mama"
    r"|father|dad|papa|sister|brother|son|daughter|aunt|uncle|cousin|grandmother|grandma|granny|nan"
    r"|grandfather|grandpa|grandad|granddad|grandparents|parents|kids|children|sons|daughters"
    r"|sisters"
    r"|brothers|twins|niece|nephew|child|kid|baby|roommates?|flatmates?|neighbou?rs?|colleagues?"
    r"|coworker|co-worker|friend|boss|manager|doctor|gp|dentist|therapist|landlord|teacher"
    r"|co-?founder|business partner|coach|tutor|supervisor|nanny|childminder|trainer|ex)"
    r"(?P<law>-in-law)?\b"
)
PET = (
    r"(?P<who>dog|puppy|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|budgie|horse|pony|turtle"
    r"|tortoise|goldfish|fish|snake|lizard|ferret|rat|mouse|chicken|goat|pig|donkey|gecko|canary"
    r"|greyhound|hedgehog|cockatiel|chinchilla|pet|(?:golden |labrador )?retriever|labrador"
    r"|poodle|beagle|corgi|dachshund|husky|terrier|cockapoo|labradoodle|goldendoodle|cavapoo|pug|bulldog"
    r"|spaniel|collie|whippet|lurcher|chihuahua|schnauzer|rottweiler|dalmatian|german shepherd|mutt"
    r"|tabby|ragdoll|maine coon|budgerigar|axolotl|alpaca|duck|hen|cockerel|goose|gerbil)"
)
_YOUNG = {"puppy": "dog", "kitten": "cat", "bunny": "rabbit"} | dict.fromkeys(
    [
        "retriever",
        "labrador",
        "poodle",
        "beagle",
        "corgi",
        "dachshund",
        "husky",
        "terrier",
        "greyhound",
        "cockapoo",
        "labradoodle",
        "goldendoodle",
        "cavapoo",
        "pug",
        "bulldog",
        "spaniel",
        "collie",
        "whippet",
        "lurcher",
        "chihuahua",
        "schnauzer",
        "rottweiler",
        "dalmatian",
        "shepherd",
        "mutt",
    ],
    "dog",
)


def facet_of(word: str) -> tuple[str, str]:
    """The facet of somebody of the user's, and the word a sentence uses for them.

    >>> facet_of("mum"), facet_of("boss")
    (('family.mother', 'mother'), ('people.boss', 'boss'))
    """
    said = " ".join(word.casefold().split())
    said = _KIN.get(said, said)
    outside = bool({said, said.removesuffix("s")} & _OUTSIDE)
    return f"{'people' if outside else 'family'}.{said.replace(' ', '_')}", said


def pet_facet_of(word: str) -> tuple[str, str]:
    """The facet of an animal of the user's, and the word a sentence uses for it.

    >>> pet_facet_of("kitten")
    ('pet.cat', 'kitten')
    """
    said = " ".join(word.casefold().split())
    return f"pet.{_YOUNG.get(said.split()[-1], said).replace(' ', '_')}", said


_STATE = words(
    """
    sick ill fine ok okay well tired asleep hungry angry annoying old young nice great good
    bad sad happy here there home back away dead alive cute funny mad busy late early gone
    lost upset scared lovely sweet pretty big small huge tiny fat thin loud quiet crazy lazy
    silly weird mean rude kind wonderful awesome amazing terrible horrible adorable pregnant
    married single divorced confused stuck bored worried excited curious new glad sorry sure
    ready done free interested trying looking wondering working having getting thinking
    fluent bilingual trilingual multilingual native beginner learning
    down up in out game set game good off on over broke tiny single
    engaged retired vegan vegetarian deaf blind autistic diabetic allergic stubborn obsessed
    afraid
    """
)


def is_state(value: str) -> bool:
    """Whether `value` says how somebody is, and so is no name: "Confused"."""
    return bool(value) and value.split()[0].casefold() in _STATE


def is_small_name(value: str) -> bool:
    """Whether a word in small letters can be a name: none that says how somebody is."""
    low = value.casefold()
    return (
        value.isalpha()
        and 3 <= len(value) <= 12
        and low not in _STATE
        and low not in STOP_WORDS
        and not low.endswith(("ing", "ed", "ly"))
    )
