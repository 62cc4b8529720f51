"""Facts that begin alike, and the one line that tells them all: pure."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.records import Memory

FEWEST = 3  # facts worth one line
MOST = 6  # facts of one line: more, and a question finds it by none of them
LEAD = 3  # words that facts of one bundle begin with
LONGEST = 60  # characters of what follows them: a longer one is a statement of its own
# What would change its meaning in a row with others: a condition, an exception, a time, a number.
_ALONE = re.compile(
    r"\d|,|;|\b(?:except|but|or|nor|not|never|no|without|only|if|unless|when|while|until|since"
    r"|because|than|also|too|once|instead|with|before|after|during|every|and|\w+n't"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)
_OPEN = {"a", "an", "the", "to", "of", "in", "on", "at", "for", "from", "as", "by", "his", "her"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Facts told in one line, in place of `old` where they join one; `name` stays what it was."""

    name: str
    facts: tuple[Memory, ...]
    text: str
    old: Memory | None = None


def bundles(facts: Sequence[Memory], told: Sequence[Memory] = ()) -> list[Bundle]:
    """The lines to be made of `facts`, oldest first in each; `told` are the ones that stand.

    What stands together stays together: a fact that no line tells joins one that has room, or
    a new one, and no other line changes.
    """
    by_lead: dict[str, list[Memory]] = defaultdict(list)
    for fact in sorted(facts, key=lambda one: (one.valid_from, one.recorded_at, one.id)):
        words = _bare(fact.text).split()
        rest = " ".join(words[LEAD:])
        listable = 0 < len(rest) <= LONGEST and not _ALONE.search(rest)
        if listable and not fact.pinned and fact.valid_to is None:
            by_lead[" ".join(words[:LEAD]).casefold()].append(fact)
    standing: dict[str, list[Memory]] = defaultdict(list)
    for one in told:
        standing[one.facet.rpartition(" ")[0]].append(one)
    return [
        bundle for lead, alike in by_lead.items() for bundle in _of(lead, alike, standing[lead])
    ]


def _of(lead: str, alike: Sequence[Memory], told: Sequence[Memory]) -> list[Bundle]:
    by_id = {fact.id: fact for fact in alike}
    cited = {seen.ref for one in told for seen in one.evidence}
    free = [fact for fact in alike if fact.id not in cited]
    made: list[Bundle] = []
    for old in told:
        mine = [by_id[seen.ref] for seen in old.evidence if seen.ref in by_id]
        room = MOST - len(mine)
        if free and room > 0:
            made.append(_bundle(old.facet, [*mine, *free[:room]], old))
            free = free[room:]
    last = max((int(one.facet.rpartition(" ")[2]) for one in told), default=0)
    for number, start in enumerate(range(0, len(free), MOST), last + 1):
        if len(free) - start >= FEWEST:
            made.append(_bundle(f"{lead} {number}", free[start : start + MOST], None))
    return made


def _bundle(name: str, facts: Sequence[Memory], old: Memory | None) -> Bundle:
    text = listed([fact.text for fact in facts])
    return Bundle(name=name, facts=tuple(facts), text=text, old=old)


def listed(texts: Sequence[str]) -> str:
    """One sentence for texts that begin alike: what they share, then what differs.

    >>> listed(["The user likes jazz.", "The user likes green tea.", "The user likes hiking."])
    'The user likes jazz, green tea and hiking.'
    """
    split = [_bare(text).split() for text in texts]
    shared = 0
    while all(len(words) > shared + 1 for words in split) and _same(split, shared):
        shared += 1
    while shared > 1 and split[0][shared - 1].casefold() in _OPEN:
        shared -= 1  # the word belongs to what follows
    rests = [" ".join(words[shared:]) for words in split]
    joiner = "; " if any("," in rest or " and " in rest for rest in rests) else ", "
    told = f"{joiner.join(rests[:-1])}{' and ' if joiner == ', ' else joiner}{rests[-1]}"
    return f"{' '.join(split[0][:shared])} {told}.".strip()


def _same(split: Sequence[Sequence[str]], place: int) -> bool:
    return len({words[place].casefold() for words in split}) == 1


def _bare(text: str) -> str:
    return text.strip().rstrip(".!")
