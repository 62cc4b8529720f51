"""After a turn: what was done with tools is noted, and a procedure that was put in is judged."""

import json
import logging
from collections.abc import Callable, Sequence

from stratal import strangers
from stratal.conversation import Conversation
from stratal.spending import STEP_LIMIT
from stratal_memory.learning.gate import UNLEARNABLE
from stratal_memory.records import Message
from stratal_memory.store import Store
from stratal_memory.truth import messages
from stratal_memory.truth.practised import Outcome
from stratal_memory.truth.procedures import StoredProcedure
from stratal_procedures import counting
from stratal_procedures.episode import Episode, episode
from stratal_procedures.learning import Learning
from stratal_procedures.library import Library
from stratal_procedures.scoring import THRESHOLDS
from stratal_procedures.settling import end_of

LOADER = "load_skill"
# They look something up for the model, or keep its own notes: no step of anybody's work.
ASIDE = frozenset(
    {
        LOADER,
        *("read_skill_file", "expand_result", "todo_write"),
        *("memory_search", "memory_save", "memory_correct", "memory_forget"),
    }
)
STOPPED = STEP_LIMIT.partition(" limit ")[0]  # what the answer of every stopped turn begins with

log = logging.getLogger(__name__)


def after_turn(
    desk: Conversation, turn_id: str, *, procedure: str = ""
) -> tuple[StoredProcedure, ...]:
    """Learn from a finished turn; the drafts that came of it, most often none.

    `procedure` names the skill that was put into it (`Reply.procedure`). The user's message says
    how the turn before it ended; the turn itself stays open until the next one, or until nothing
    was said for an hour. With `SkillRules.learn` off (Os19) outcomes count all the same. Nothing
    is raised: what fails is logged, and the turn is as good as it was.
    """
    try:
        return _learned(desk, turn_id, procedure)
    except UNLEARNABLE as error:
        log.warning("turn %s was not learned from: %s", turn_id, error)
        return ()


def settle_idle(
    store: Store, library: Callable[[], Library], *, learn: bool = True
) -> tuple[StoredProcedure, ...]:
    """End the turns that nothing was said after for an hour; the drafts that came of it.

    Before skills are listed, before memory is consolidated, and as a conversation begins. It costs
    one read when nothing waits: `library` is asked for only where a draft may need a name that no
    skill has. `learn` and errors are as for `after_turn`.
    """
    try:
        ended = counting.settle_idle(store)
        if not learn or not ended:
            return ()
        learning = Learning(store=store, aside=ASIDE, taken=_names(library()))
        return _drafted(learning, ended)
    except UNLEARNABLE as error:
        log.warning("what silence ended was not learned from: %s", error)
        return ()


def _learned(desk: Conversation, turn_id: str, procedure: str) -> tuple[StoredProcedure, ...]:
    if desk.session.parent:  # a sub-agent's: its requests are a model's words, no person's
        return ()
    store = desk.store
    with store.read() as connection:
        said = messages.of_turn(connection, turn_id)
    ended = counting.settle(store, session=desk.session.id, turn=turn_id, said=said)
    outcome, why = end_of(said, stopped=STOPPED)
    named = [procedure] if procedure else _loaded(said)
    used = _put_in(desk, named)
    if used is not None:
        counting.put_in(store, turn_id, used, outcome=outcome, why=why)
    if not desk.skills.learn:
        return ()
    learning = Learning(store=store, aside=ASIDE, taken=_names(desk.library))
    if not named:  # Os19: no procedure was there for it
        done = _episode(said, turn=turn_id, session=desk.session.id)
        if not done.flaw:
            doubt = strangers.doubt(desk, done)
            ok = None if outcome is Outcome.PENDING and not doubt else False
            learning.note(done, ok=ok, why=doubt or why)
    return _drafted(learning, ended)


def _names(library: Library) -> frozenset[str]:
    """The names that skills have, in small letters."""
    return frozenset(one.skill.name.casefold() for one in library.found)


def _put_in(desk: Conversation, names: Sequence[str]) -> StoredProcedure | None:
    """The stored procedure that was put into a turn; a skill file of its name is none."""
    for name in names:
        stored = counting.in_use(desk.store, name)
        known = [
            one.skill.content_hash
            for one in desk.library.usable
            if one.skill.name.casefold() == name.casefold()
        ]
        if stored is not None and stored.digest in (known or [stored.digest]):
            return stored
    return None


def _loaded(said: Sequence[Message]) -> list[str]:
    calls = [call for one in said for call in one.tool_calls if call.name == LOADER]
    names: list[str] = []
    for call in calls:
        try:
            given: object = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError):
            continue
        name = given.get("name") if isinstance(given, dict) else None
        names += [name] if isinstance(name, str) else []
    return names


def _episode(said: Sequence[Message], *, turn: str, session: str) -> Episode:
    return episode(said, turn=turn, session=session, least=THRESHOLDS.calls, aside=ASIDE)


def _drafted(learning: Learning, signatures: Sequence[str]) -> tuple[StoredProcedure, ...]:
    found = [learning.draft(signature) for signature in signatures]
    return tuple(one for one in found if one is not None)
