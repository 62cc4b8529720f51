"""The tools of a turn, put together: each category by the table, then by the mode."""

from functools import partial

from stratal.conversation import Conversation
from stratal.tools.categories import Category, Setup, chosen
from stratal.tools.files import file_tools
from stratal.tools.memory import Reading, knowledge_tools, memory_tools, mending_tools
from stratal.tools.registry import Toolbox
from stratal.tools.results import result_tools
from stratal.tools.skills import skill_tools
from stratal.tools.subagent import Purse, subagent_tools
from stratal.tools.todo import todo_tools
from stratal.tools.tool import Tool
from stratal.tools.workspace import Workspace
from stratal_memory.tiers.documents import Documents


def toolbox(desk: Conversation, reading: Reading, purse: Purse | None = None) -> Toolbox:
    """The tools of a turn, as its mode offers them; `reading` goes with all that they read.

    `purse` is what its sub-agents may take. Raises `ConfigError` for two tools of one name.
    """
    groups = _groups(desk, reading)
    names = [one.spec.name for tools in groups.values() for one in tools]
    if desk.ask is not None:
        groups[Category.SUBAGENT] = subagent_tools(
            partial(desk.ask, desk), purse=purse or purse_of(desk), reading=reading, names=names
        )
    return Toolbox.of(
        chosen(groups, _setup(desk)), mode=desk.mode, matrix=desk.matrix, left_out=desk.left_out
    )


def purse_of(desk: Conversation) -> Purse:
    """What the sub-agents of a turn may take together: as many steps as it, and half its tokens.

    Its dollars are those of the turn, which bills its own calls to it as well. Where its
    tokens have no limit, those of as many full windows as it may make calls.
    """
    limits = desk.limits
    tokens = limits.tokens or limits.steps * desk.budget.effective
    return Purse(
        steps=limits.steps, tokens=tokens // 2, dollars=limits.dollars, prices=desk.info.prices
    )


def _groups(desk: Conversation, reading: Reading) -> dict[Category, tuple[Tool, ...]]:
    store, session, shown = desk.store, desk.session.id, desk.rules.results.limit
    workspace = Workspace.of(store.database.folder, store.user)
    return {
        Category.MEMORY: memory_tools(store, settings=desk.recall, reading=reading),
        Category.MENDING: mending_tools(store, reading=reading),
        Category.KNOWLEDGE: knowledge_tools(store, settings=desk.recall, reading=reading),
        Category.RESULT: result_tools(
            store, session=session, count=desk.counter.count, shown=shown
        ),
        Category.SKILL: skill_tools(desk.library, reading=reading, shown=shown),
        Category.TODO: todo_tools(store, session=session),
        Category.FILES: file_tools(workspace, reading=reading, shown=shown),
        Category.MCP: tuple(reading.during(one) for one in desk.remote),
        Category.OWN: tuple(reading.during(one) for one in desk.tools),
    }


def _setup(desk: Conversation) -> Setup:
    met = {
        Category.MCP: bool(desk.remote),
        Category.KNOWLEDGE: Documents(desk.store).are_there(),
    }
    return Setup(
        met=frozenset(category for category, holds in met.items() if holds),
        nested=bool(desk.session.parent),
        only=desk.only,
        window=desk.budget.window,
    )
