"""What the model may call."""

from stratal.cli.shapes.base import Shape


class ToolShape(Shape):
    """A tool; `server` is empty for Stratal's own.

    `state` is `ready`, `changed` (since it was accepted), `unfit` (no provider takes it) or
    `unlisted` (the settings leave it out); `why` says more of all but the first.
    """

    name: str
    server: str
    category: str
    writes: bool
    effect: str
    state: str
    why: str
    description: str


class ToolServerProblem(Shape):
    """A server whose tools can't be used, and why."""

    server: str
    problem: str
    hint: str


class ToolList(Shape):
    """The tools of the agent's mode, and the servers that gave none."""

    tools: tuple[ToolShape, ...]
    problems: tuple[ToolServerProblem, ...]


class ToolServerShown(Shape):
    """The tools of one server; after `accept` those that were accepted."""

    server: str
    tools: tuple[ToolShape, ...]
