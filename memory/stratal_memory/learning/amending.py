"""What a message puts right of the one before: the value just learned, replaced or taken back."""

import re
from collections.abc import Sequence
from datetime import timedelta
from difflib import SequenceMatcher

from sqlalchemy import and_, select

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.rules.kin import is_state
from stratal_memory.learning.rules.repairs import Repair, repair
from stratal_memory.learning.rules.rule import bare, named
from stratal_memory.records import Form, Memory, Message, Role, Session
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.schema import messages as said_table
from stratal_memory.truth.vectors import LIVE

AT_ONCE = timedelta(minutes=30)  # who comes back later speaks of something else
ALIKE = 0.5  # from this similarity on one word may be the other one mistyped
_NO_FACET = "corrections.value"  # the rule that reads "it's X, not Y" without what is known


def amended(
    store: Store, session: Session, message: Message, said: str, found: Sequence[Found]
) -> list[Found]:
    """The candidates of a message, with what it puts right of the user's message before it.

    Where the rules read a statement in it, that stands: it says itself what it is about.
    """
    wanted = repair(said)
    if wanted is None or any(one.rule != _NO_FACET for one in found):
        return list(found)
    facts = _learned_before(store, session, message)
    if wanted.takes_back:
        return [*found, *(_taken_back(fact, said) for fact in facts)]
    meant = _meant(wanted, facts)
    new = _value(wanted, meant) if meant is not None else ""
    if meant is None or not new:
        return list(found)
    return [_right(meant, new, said)]


def _learned_before(store: Store, session: Session, message: Message) -> list[Memory]:
    """The live facts that rest on the user's last message before this one."""
    assert message.created is not None
    before = (
        select(said_table.c.id)
        .where(
            said_table.c.session == session.id,
            said_table.c.seq < message.seq,
            said_table.c.role == Role.USER,
            said_table.c.created >= message.created - AT_ONCE,
        )
        .order_by(said_table.c.seq.desc())
        .limit(1)
    )
    here = and_(
        table.c.session == session.id,
        table.c.form == Form.FACT,
        table.c.status.in_(LIVE),
        table.c.value != "",
    )
    with store.read() as connection:
        last = connection.execute(before).scalar()
        facts = memories.select_memories(connection, here) if last else []
    return [fact for fact in facts if any(seen.ref == last for seen in fact.evidence)]


def _meant(wanted: Repair, facts: Sequence[Memory]) -> Memory | None:
    """The fact whose value is put right; None where none fits or several do."""
    if wanted.old:
        holding = [fact for fact in facts if wanted.old.casefold() in fact.value.casefold()]
        return holding[0] if len(holding) == 1 else None
    fitting = [fact for fact in facts if _fits(wanted, fact.value)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    close = [fact for fact in fitting if _alike(fact.value, wanted.value) >= ALIKE]
    return close[0] if len(close) == 1 else None


def _fits(wanted: Repair, old: str) -> bool:
    """Whether the new value is of the old one's sort: a number, a name, a word like it."""
    new = wanted.value
    if bool(re.search(r"\d", new)) != bool(re.search(r"\d", old)):
        return False
    if re.search(r"\d", new) or _alike(old, new) >= ALIKE or named(new):
        return True
    plain = new.isalpha() and not is_state(new) and not new.casefold().endswith(("ing", "ed", "ly"))
    return wanted.sure and plain


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def _value(wanted: Repair, fact: Memory) -> str:
    """The whole new value; the one named may be a part of it: "Dr Lundqvist, not Lindqvist"."""
    new = bare(wanted.value)
    place = fact.value.casefold().find(wanted.old.casefold()) if wanted.old else -1
    if place >= 0 and len(wanted.old) < len(fact.value):
        rest = (fact.value[:place] + fact.value[place + len(wanted.old) :]).split()
        if not {one.casefold() for one in rest} & {one.casefold() for one in new.split()}:
            new = fact.value[:place] + new + fact.value[place + len(wanted.old) :]
    if new.islower() and fact.value[:1].isupper():
        new = new.title()
    return "" if new.casefold() == fact.value.casefold() or fact.value not in fact.text else new


def _right(fact: Memory, new: str, said: str) -> Found:
    start, end = _stretch(said)
    return Found(
        text=fact.text.replace(fact.value, new),
        value=new,
        span=(start, end),
        quote=said[start:end],
        rule="repairs.value",
        facet=fact.facet,
        valid_from=fact.valid_from,
        correction=True,
        instead_of=fact.value,
    )


def _taken_back(fact: Memory, said: str) -> Found:
    start, end = _stretch(said)
    return Found(
        text=f"Taken back: {fact.text}"[:480],
        value=fact.value,
        span=(start, end),
        quote=said[start:end],
        rule="repairs.taken_back",
        facet=fact.facet,
        valid_from=fact.valid_from,
        retracts=True,
    )


def _stretch(said: str) -> tuple[int, int]:
    """The message without the blanks around it."""
    return len(said) - len(said.lstrip()), len(said.rstrip())
