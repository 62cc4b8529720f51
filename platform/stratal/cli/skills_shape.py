"""Skills as the shapes that are printed."""

from stratal.cli.shapes.skills import FileShape, SkillList, SkillShape, SkillShown
from stratal.skill_review import Reviewed
from stratal_memory.store import Store
from stratal_memory.truth.procedures import IN_USE
from stratal_procedures import shelf
from stratal_procedures.library import Found, Library
from stratal_procedures.skill import Skill


def skill_list(library: Library, store: Store) -> SkillList:
    """A library as its shape, with the learned procedures that are not in use."""
    learned = tuple(
        _skill_shape(shelf.parsed(one.text), origin="learned", state=one.state)
        for one in shelf.list_stored(store)
        if one.state not in IN_USE
    )
    return SkillList(
        skills=(*(_shape(found) for found in library.found), *learned),
        problems=tuple(f"{problem}. {problem.hint}" for problem in library.problems),
    )


def shown_shape(one: Reviewed) -> SkillShown:
    """A skill before a person as its shape: what has the digest is what is in it."""
    return SkillShown(
        skill=_skill_shape(one.skill, origin=one.origin, state=one.state),
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


def _shape(found: Found) -> SkillShape:
    shape = _skill_shape(found.skill, origin=found.origin, state=found.state)
    return shape.model_copy(update={"hidden_by": found.hidden_by})


def _skill_shape(skill: Skill, *, origin: str, state: str) -> SkillShape:
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
        warnings=skill.warnings,
    )
