"""From a message to the statements about the user in it, by rules alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.dates import resolve
from stratal_memory.learning.rules import (
    abstaining,
    answers,
    arrivals,
    attributes,
    belongings,
    callings,
    changes,
    creatures,
    dealings,
    dwelling,
    explicit,
    goods,
    happenings,
    health,
    household,
    identity,
    intentions,
    leisure,
    manners,
    medicine,
    moments,
    names,
    occasions,
    occupation,
    pastimes,
    people,
    plans,
    pleasures,
    possessions,
    preferences,
    relations,
    relatives,
    routines,
    schooling,
    studies,
    tastes,
    toolbox,
    trades,
    work,
)
from stratal_memory.learning.rules.corrections import corrected, instead
from stratal_memory.learning.rules.mentions import mentioned
from stratal_memory.learning.rules.phrasing import sentence
from stratal_memory.learning.rules.rule import Draft, Rule
from stratal_memory.learning.rules.sentences import Clause, clauses
from stratal_memory.learning.wordlist import words
from stratal_memory.text import storable

LANGUAGES = ("en",)  # the languages the rules know; in others they find nothing
# Nobody tells of themselves in the middle of a pasted book; both ends of it are read.
EXAMINED = 20_000  # characters at each end

# In this order a clause is asked; the first rule that makes something of it wins, except that
# plans and events may stand beside a fact ("I'm moving to Rome in May").
_RULES: tuple[Rule, ...] = (
    *dwelling.BIRTH,
    *names.RULES,
    *identity.AGES,
    *names.GREETED,
    *identity.RULES,
    *dwelling.RULES,
    *people.RULES,
    *relations.RULES,
    *relatives.RULES,
    *household.RULES,
    *creatures.RULES,
    *arrivals.NATIONS,
    *work.RULES,
    *studies.RULES,
    *occupation.RULES,
    *trades.RULES,
    *callings.RULES,
    *arrivals.RULES,
    *schooling.RULES,
    *health.RULES,
    *abstaining.RULES,
    *medicine.RULES,
    *manners.RULES,
    *changes.RULES,
    *preferences.RULES,
    *tastes.RULES,
    *pastimes.RULES,
    *pleasures.RULES,
    *leisure.RULES,
    *possessions.RULES,
    *belongings.RULES,
    *toolbox.RULES,
    *goods.RULES,
    *dealings.RULES,
    *attributes.RULES,
    *routines.RULES,
    *plans.RULES,
    *intentions.RULES,
    *moments.RULES,
    *occasions.RULES,
    *happenings.RULES,
)


def extract(text: str, at: datetime, *, asked: str = "") -> list[Found]:
    """The statements about the user in `text`, in order of their place; `at` is when it was said.

    `asked` is what the assistant said before it: a short answer is read with its question. Of a
    long text only both ends are read, see `unexamined`. Text we injected must be stripped
    before (`injected.strip_injected`). Raises `InputError` when `at` has no zone.

    >>> at = datetime.fromisoformat("2026-11-20T09:00+01:00")
    >>> [(found.facet, found.value, found.text) for found in extract("I moved to Lisbon.", at)]
    [('home', 'Lisbon', 'The user moved to Lisbon.')]
    """
    resolve("", at)  # a time without a zone is refused even when no rule matches
    start, end = unexamined(text)
    found = list(_in(text[:start], at, 0)) + list(_in(text[end:], at, end))
    answered = answers.statement(asked, text) if asked and not found else ""
    if answered:
        found = [replace(one, span=(0, len(text))) for one in _in(answered, at, 0)]
    return [_checked(one, text) for one in _once(found)]


def unexamined(text: str) -> tuple[int, int]:
    """The stretch of `text` that `extract` leaves out, in characters; empty for most messages.

    >>> unexamined("short"), unexamined("x" * 50_000)
    ((5, 5), (20000, 30000))
    """
    if len(text) <= 2 * EXAMINED:
        return len(text), len(text)
    return EXAMINED, len(text) - EXAMINED


def _checked(found: Found, text: str) -> Found:
    start, end = found.span
    return replace(found, quote=text[start:end]).checked_against(text)


def _in(text: str, at: datetime, offset: int) -> Iterator[Found]:
    for clause in clauses(text, at, offset=offset):
        asked = explicit.asked(clause)
        if asked is None:
            yield from (_found(draft, name, clause) for name, draft in _drafts(clause))
            continue
        how, place = asked
        inner = replace(
            clause,
            text=clause.text[place:],
            start=clause.start + place,
            lead="",
            explicit=True,
        )
        drafts = list(_drafts(inner)) if not how else []
        if not drafts:
            drafts = [("explicit.note", explicit.note(inner, how))]
        yield from (_found(draft, name, inner) for name, draft in drafts)


def _drafts(clause: Clause) -> Iterator[tuple[str, Draft]]:
    if hedged(clause.text):
        return
    name, drafts = _first(clause)
    taken_back = instead(clause) if not drafts else None
    if taken_back is not None:
        name, drafts = _first(taken_back[0])
        old = taken_back[1]
        drafts = [replace(draft, correction=True, instead_of=old) for draft in drafts]
    if not drafts:
        name, drafts = "corrections.value", list(corrected(clause))
    yield from ((name, draft) for draft in drafts)
    yield from mentioned(clause)


def _first(clause: Clause) -> tuple[str, Sequence[Draft]]:
    """What the first rule that makes something of a clause made of it, and its name."""
    for rule in _RULES:
        match = rule.pattern.match(clause.text)
        drafts: Sequence[Draft] = rule.make(match, clause) if match else ()
        if drafts:
            return rule.name, drafts
    return "", ()


_HEDGES = words(
    """
    might maybe perhaps probably possibly wonder wish guess supposedly hypothetically
    """
)


def hedged(text: str) -> bool:
    """Whether the speaker leaves it open: "I might", "maybe"."""
    words = text.casefold().replace(",", " ").split()
    return not _HEDGES.isdisjoint(words) or "not sure" in text.casefold()


def _found(draft: Draft, name: str, clause: Clause) -> Found:
    start = clause.start
    value = _proper(draft)
    return Found(
        text=storable(sentence(_their(draft.text.replace(draft.value, value)))),
        value=storable(value),
        span=(start, clause.end),
        quote="",
        rule=name,
        facet=draft.facet,
        single_valued=draft.single_valued,
        valid_from=draft.when.start.astimezone(UTC) if draft.when else None,
        valid_to=plans.over(draft, clause),
        correction=clause.correction or draft.correction,
        retracts=draft.retracts,
        explicit=clause.explicit,
        instead_of=storable(draft.instead_of),
    )


def _proper(draft: Draft) -> str:
    """The value, a name or a place in capitals where the user typed none."""
    plain = draft.value.islower() and not re.match(r"(?:an?|the|my)\b", draft.value)
    return draft.value.title() if plain and draft.facet in _PROPER else draft.value


_PROPER = words("name name.preferred home origin")


def _their(text: str) -> str:
    """`text` with "their" for "my" out of a value; quoted words stay as they are."""
    return text if '"' in text else re.sub(r"\b(?:my|our)\b", "their", text, flags=re.IGNORECASE)


def _once(found: Sequence[Found]) -> Iterator[Found]:
    """The first of those that say the same."""
    seen: set[tuple[str, str, bool]] = set()
    for one in found:
        same = (one.facet, one.value.casefold() or one.text, one.retracts)
        if same not in seen:
            seen.add(same)
            yield one
