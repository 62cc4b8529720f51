"""Where one clause of a sentence ends and the next begins: commas, "and", and run-on talk."""

import re
from collections.abc import Iterator

from stratal_memory.learning.rules.beginnings import GOES_ON
from stratal_memory.learning.rules.kin import RELATION
from stratal_memory.learning.rules.leads import SUBJECT
from stratal_memory.learning.rules.vocabulary import ROLE_HEADS
from stratal_memory.learning.wordlist import words

_TRADES = "|".join(sorted(ROLE_HEADS))
_CLAUSE = re.compile(
    rf"(?:[,)]|(?<!remember)(?<!note)(?<!mind)(?<!this):|\s[-–—])\s*(?:(?:and|but|so|because"
    rf"|also|then|yet|or|plus|anyway|besides|now|well|honestly|though)\s+)*(?={SUBJECT}\b)"
    rf"|\s(?:and|but|so|because|since|plus|or|as|although|though|while)\s+(?:(?:also|really|honestly|even|still|actually|sometimes|abeg)\s+)?"
    rf"(?={SUBJECT}\b)"
    r"|,?\s(?:and|but)\s+(?=(?:don't forget|(?:please )?(?:remember|note|call me))\b)"
    r"|,?\s(?:and|but)\s+(?=(?:everyone|everybody|people|friends|most people) calls? me\b)"
    r"|,?\s(?:and|but)\s+(?=home is\b)"
    r"|,?\s(?:and|but|so)\s+(?=(?:am )?now (?:work|working|live|living|teach|run|study|use)\b)"
    r"|,\s*(?:and\s+)?(?=(?:the )?(?:funeral|wedding|exam|interview|surgery|practical|dentist)"
    r"(?:'s| is| on| at)\b)"
    r"|(?:,|\s[-–—]|,?\s(?:and|but|so|because))\s*(?=(?:she|he|they)(?:'s|'re)?\s)"
    rf"|,\s*(?=an?\s(?:[\w-]+\s){{0,3}}(?:{_TRADES})\b)"
    rf"|,\s*(?:(?:and|but|so|then)\s+)*(?={GOES_ON})|\s(?:and|but|then|so)\s+(?={GOES_ON})"
    r"|,\s*(?:and\s+)?(?=(?:and\s+)?(?:named|called|calling)\s(?:him|her|it|them)\b)"
    r"|\sand\s+(?=(?:named|called|calling)\s(?:him|her|it|them)\b)"
    r"|,\s*(?=\d\d(?: ?(?:yo|y/o|[mf]))?\s*(?:,|\Z|and\s))"
    r"|,\s*(?=(?:originally |currently |now )?(?:from|based in|living in|staying in)\s\w)"
    r"|,\s*(?:and |but )?(?=(?:it's|now it's|these days it's|its) (?:all|always been)\b)"
    r"|,?\s(?=(?:please |pls )(?:don't|do not|no|keep|never)\b)"
    r"|,\s*(?=(?:don't|do not) (?:suggest|recommend)\b)"
    # A question hung on to a statement without a stop.
    r"|,?\s+(?:(?:so|and|but)\s+)?(?=(?:how|what|where|why)\s(?:do|does|can|should|would|will"
    r"|is the|are the|much|many)\b|(?:can|could|would)\s(?:you|I)\b|any (?:ideas|tips|advice)\b)"
    # No stop at all: "got a cat I'm so happy".
    rf"|(?P<run>\s)(?=(?:I'm|I've|we've|she's|he's|they're|(?:I|we|they) (?:am|are) \w+ing"
    rf"|my {RELATION} (?:is|has|works|lives|was))"
    r"\s)",
    re.IGNORECASE,
)
# Behind one of these a subject belongs to what stands before it.
_HOLDS = words(
    """
    that if when where what which who whose how as than while after before until till since think
    know say said feel guess mean hope wish sure like told thing things place time way one all
    everything now and or but so though although unless whenever wherever whether why bet believe
    because bit much where's moment day today person of with for to from by at in on about is are
    was were not just also then with/without plus yes no well oh hi hey i we you it since first
    only ok okay
    """
)


def parts(sentence: str) -> Iterator[tuple[int, int]]:
    """The stretches of the clauses of `sentence`, in order."""
    start = 0
    for match in _CLAUSE.finditer(sentence):
        if match["run"] and _held(sentence, match.start()):
            continue
        if _SUBJECT_ALONE.match(sentence, start, match.start()):
            continue
        # "My sister Ana, my ..." splits too; a part without a rule is simply not read.
        yield from _items(sentence, start, match.start())
        start = match.end()
    yield from _items(sentence, start, len(sentence))


# "My eldest, Pia": what comes next is said of her.
_SUBJECT_ALONE = re.compile(
    r"\W*(?:my|our|the) [\w-]+(?: (?!is\b|are\b|has\b|was\b|got\b)[\w-]+)?(?:,?"
    r" (?-i:[A-ZÀ-Þ])[\w'-]*)?\Z",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"(?:\b(?:I'm|I am|myself|name is|name's|this is) [\w'-]+(?: [\w'-]+)?(?: btw| here"
    r"| by the way)?|\b[\w'-]+ here)\Z",
    re.IGNORECASE,
)


_NOT = re.compile(r", ?not ")


def _items(sentence: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretch, apart at each comma where its first piece introduces the speaker."""
    comma = sentence.find(",", start, end)
    if (
        comma >= 0
        and not _NOT.match(sentence, comma)
        and _INTRODUCES.search(sentence, max(start, comma - 60), comma)
    ):
        yield start, comma
        start = comma + 1
        comma = sentence.find(",", start, end)
        if comma >= 0 and comma - start < 40:
            yield start, comma
            start = comma + 1
    yield start, end


def _held(sentence: str, place: int) -> bool:
    """Whether the word before `place` goes on in what stands behind it."""
    words_before = sentence[max(0, place - 20) : place].split()
    return not words_before or words_before[-1].casefold().strip("(,") in _HOLDS
