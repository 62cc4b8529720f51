"""Where the skills of an agent come from: folders first to last, and what was learned."""

import logging
from importlib.resources import files
from pathlib import Path

from stratal.prompt.overrides import prompt_folder
from stratal.settings import Settings
from stratal_memory.erase.files import SKILLS, home_of
from stratal_memory.records import Trust
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_procedures.approval import decisions_of, revision
from stratal_procedures.library import BUILT_IN, LEARNED, Found, Library, SkillFolder
from stratal_procedures.shelf import learned_skills
from stratal_procedures.skill import Skill

# Where products look for the skills of a project; `.agents/skills` is the one they share.
PROJECT_FOLDERS = ("skills", ".claude/skills", ".agents/skills")

log = logging.getLogger(__name__)


def skill_folders(settings: Settings, who: Principal, *, here: Path | None) -> list[SkillFolder]:
    """The folders of a user's agent in their order; the first skill of a name wins (Cs13).

    What the user put there goes before what came with a project, and that before what came with
    the program: the agent's own, the user's, the configured, those of the working directory
    `here`, the built-in. The first two no other user has: see `home_of`. Whoever wrote a project
    could speak with the user's voice, so there each skill waits for approval.
    """
    home = home_of(settings.data, who.user)
    own = prompt_folder(home, who.agent).parent / SKILLS
    project = PROJECT_FOLDERS if here is not None and settings.skills.project else ()
    return [
        SkillFolder(origin="agent", path=own),
        SkillFolder(origin="user", path=user_folder(settings, who.user)),
        *(SkillFolder(origin="configured", path=folder) for folder in settings.skills.folders),
        *(
            SkillFolder(origin="project", path=(here or Path()) / folder, gated=True)
            for folder in project
        ),
        SkillFolder(origin=BUILT_IN, path=built_in(), trust=Trust.SYSTEM),
    ]


def user_folder(settings: Settings, user: str) -> Path:
    """Where a user's own skills lie, and where `stratal skills add` puts them."""
    return home_of(settings.data, user) / SKILLS


def built_in() -> Path:
    """The folder of the skills that come with the package."""
    return Path(str(files("stratal"))) / "assets" / "built_in"


def working_directory() -> Path | None:
    """The working directory; None when it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


class SkillSource:
    """The library of one user's agents: read once, and again when a person decides on a skill."""

    def __init__(self, settings: Settings, *, here: Path | None) -> None:
        """`here` is the working directory whose skills are looked at; None: no project's are."""
        self._settings = settings
        self._here = here
        self._known: tuple[tuple[str, str, int, tuple[Skill, ...]], Library] | None = None

    def library(self, store: Store) -> Library:
        """What `store`'s user and agent may use now.

        The same object as before, and so the same bytes in a prompt, until a skill is approved,
        rejected, learned or retired. Files that change meanwhile count from then on.
        """
        agent, learned = store.reach.principal.agent, learned_skills(store)
        state = (store.user, agent, revision(store), learned)
        if self._known is None or self._known[0] != state:
            self._known = (state, self.fresh(store, learned))
            for problem in self._known[1].problems:
                log.warning("a skill can't be used: %s", problem)
        return self._known[1]

    def fresh(self, store: Store, learned: tuple[Skill, ...] | None = None) -> Library:
        """The library as everything stands at this moment."""
        known = learned_skills(store) if learned is None else learned
        return Library(
            skill_folders(self._settings, store.reach.principal, here=self._here),
            decisions=decisions_of(store),
            more=[Found(skill=skill, origin=LEARNED) for skill in known],
        )
