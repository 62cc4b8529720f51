"""The categories of tools, and when each is there (Z8): the one table whoever assembles asks.

What a mode then opens, closes or shows as a placeholder is the table of `stratal.prompt.modes`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from stratal.tools.tool import Tool

# Our own: what the built-in tools' schemas may take of a small window at most, at four characters
# a token, before those that can be done without are left out.
SHARE = 0.05
CHARACTERS = 4


class Category(StrEnum):
    """What a tool belongs to."""

    TODO = "todo"
    SUBAGENT = "subagent"
    FILES = "files"
    MCP = "mcp"
    OAUTH = "oauth"
    BROWSER = "browser"  # and the desktop
    SANDBOX = "sandbox"
    KNOWLEDGE = "knowledge"
    MEMORY = "memory"
    MENDING = "mending"  # ours: correcting and forgetting what memory holds
    WEB_SEARCH = "web_search"
    SKILL = "skill"
    RESULT = "result"  # ours: the rest of a result that was shortened
    OWN = "own"  # ours: what the caller of the library gave


class Condition(StrEnum):
    """When a category is there."""

    ALWAYS = "always"
    BY_MODE = "by_mode"  # in Agent mode by default; elsewhere the table of modes says
    CONFIGURED = "configured"  # by the user
    AUTHORIZED = "authorized"
    CONNECTOR = "connector"  # a connector is configured
    ENABLED = "enabled"
    LINKED = "linked"  # there are documents to search


CONDITIONS: Mapping[Category, Condition] = MappingProxyType(
    {
        Category.TODO: Condition.ALWAYS,
        Category.SUBAGENT: Condition.ALWAYS,
        Category.FILES: Condition.ALWAYS,
        Category.MCP: Condition.CONFIGURED,
        Category.OAUTH: Condition.AUTHORIZED,
        Category.BROWSER: Condition.CONNECTOR,
        Category.SANDBOX: Condition.ENABLED,
        Category.KNOWLEDGE: Condition.LINKED,
        Category.MEMORY: Condition.BY_MODE,
        Category.MENDING: Condition.BY_MODE,
        Category.WEB_SEARCH: Condition.CONFIGURED,
        Category.SKILL: Condition.ALWAYS,
        Category.RESULT: Condition.ALWAYS,
        Category.OWN: Condition.ALWAYS,
    }
)
MET = (Condition.ALWAYS, Condition.BY_MODE)  # by themselves
# In the order they are left out where the window is too small for all.
SPARED = (Category.SUBAGENT, Category.FILES, Category.TODO, Category.MENDING)

Grouped = Mapping[Category, Sequence[Tool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What decides which categories are there."""

    met: frozenset[Category] = frozenset()  # whose condition somebody has met
    nested: bool = False  # for a sub-agent, which has none of its own
    only: frozenset[str] | None = None  # the names it was given; None: all
    window: int  # tokens


def enabled(category: Category, setup: Setup) -> bool:
    """Whether the tools of `category` are there.

    >>> enabled(Category.KNOWLEDGE, Setup(window=100_000))
    False
    """
    if category is Category.SUBAGENT and setup.nested:
        return False
    return CONDITIONS[category] in MET or category in setup.met


def chosen(groups: Grouped, setup: Setup) -> tuple[Tool, ...]:
    """The tools of those of `groups` that are there, in their order.

    In a window where they would take over a twentieth, sub-agents, files, the to-do list and the
    mending of memory are left out one after the other, until they don't. What the caller brought
    stays whatever it takes.
    """
    kept = {
        category: [one for one in tools if setup.only is None or one.spec.name in setup.only]
        for category, tools in groups.items()
        if enabled(category, setup)
    }
    room = int(setup.window * SHARE) * CHARACTERS
    for spared in SPARED:
        if _characters(kept) <= room:
            break
        kept.pop(spared, None)
    return tuple(one for tools in kept.values() for one in tools)


def _characters(groups: Grouped) -> int:
    specs = [
        one.spec
        for category, tools in groups.items()
        if CONDITIONS[category] in MET and category is not Category.OWN
        for one in tools
    ]
    return sum(len(spec.name) + len(spec.description) + len(spec.schema) for spec in specs)
