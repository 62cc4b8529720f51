"""Skills as the shapes that are printed."""

from collections.abc import Sequence

from stratal.cli.shapes.skills import (
    FileShape,
    LearnedShape,
    SkillList,
    SkillShape,
    SkillShown,
)
from stratal.skill_review import Reviewed
from stratal_memory.store import Store
from stratal_memory.truth.procedures import IN_USE, StoredProcedure
from stratal_procedures import shelf
from stratal_procedures.library import LEARNED, Found, Library, State
from stratal_procedures.record import practised_by, standing
from stratal_procedures.skill import Skill


def skill_list(library: Library, store: Store) -> SkillList:
    """A library as its shape, with the learned procedures that are not in use."""
    every = shelf.list_stored(store)
    learned = tuple(
        _skill_shape(
            shelf.parsed(one.text),
            origin=LEARNED,
            state=standing(one, every),
            learned=_learned(store, one),
        )
        for one in every
        if one.state not in IN_USE
    )
    return SkillList(
        skills=(*(_shape(found, store, every) for found in library.found), *learned),
        problems=tuple(f"{problem}. {problem.hint}" for problem in library.problems),
    )


def shown_shape(one: Reviewed, store: Store) -> SkillShown:
    """A skill before a person as its shape: what has the digest is what is in it."""
    learned = _learned(store, one.stored) if one.stored else None
    return SkillShown(
        skill=_skill_shape(one.skill, origin=one.origin, state=one.state, learned=learned),
        digest=one.digest,
        instructions=one.skill.instructions(),
        license=one.skill.license,
        compatibility=one.skill.compatibility,
        allowed_tools=one.skill.allowed_tools,
        metadata=dict(one.skill.metadata),
        extra=dict(one.skill.extra),
        files=tuple(FileShape.of(file) for file in one.files()),
        problem=one.problem,
    )


def _shape(found: Found, store: Store, every: Sequence[StoredProcedure]) -> SkillShape:
    """A skill of the library; of a learned one in use, in the state that is stored."""
    used = [one for one in every if one.state in IN_USE and one.digest == found.skill.content_hash]
    if found.origin != LEARNED or not used:
        shape = _skill_shape(found.skill, origin=found.origin, state=found.state)
    else:
        state = used[0].state if found.state is State.ACTIVE else found.state
        learned = _learned(store, used[0])
        shape = _skill_shape(found.skill, origin=LEARNED, state=state, learned=learned)
    return shape.model_copy(update={"hidden_by": found.hidden_by})


def _learned(store: Store, one: StoredProcedure) -> LearnedShape:
    did = practised_by(store, one)
    return LearnedShape(
        key=one.key,
        version=one.version,
        uses=did.uses,
        good=did.score.successes,
        bad=did.score.failures,
        needed=did.needed,
        bound=round(did.score.bound, 4),
        why=one.why,
    )


def _skill_shape(
    skill: Skill, *, origin: str, state: str, learned: LearnedShape | None = None
) -> SkillShape:
    return SkillShape(
        name=skill.name,
        description=skill.description,
        origin=origin,
        state=state,
        folder=skill.folder,
        triggers=tuple(trigger.pattern for trigger in skill.triggers),
        tags=skill.tags,
        version=skill.version,
        priority=skill.priority,
        enabled=skill.enabled,
        hidden_by=None,
        learned=learned,
        warnings=skill.warnings,
    )
