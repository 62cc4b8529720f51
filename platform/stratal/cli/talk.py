"""A conversation in a terminal: the agent, what it said last, and how that is shown."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace

from stratal.agent import Agent
from stratal.cli.calls_view import ToolLines
from stratal.cli.terminal import Terminal
from stratal.cli.unfinished_view import unfinished_lines
from stratal.errors import InputError
from stratal.options import Options
from stratal.prompt.sections import Mode
from stratal.providers.models import parse_model
from stratal.providers.opening import open_provider
from stratal.reply import Finished, Reply, Told, ToolRan, ToolStarted, TurnEvent
from stratal.sessions import Unfinished
from stratal.tools.approval import Approve
from stratal_memory.learning.gate import Fate

FATES = {
    Fate.LEARNED: "remembered",
    Fate.HELD: "noted until it is said again",
    Fate.ENDED: "no longer true",
    Fate.CONTESTED: "noted beside what is known",
    Fate.PAST: "remembered as past",
}
GRACE = 1.0  # seconds of waiting that need no explanation


@dataclass(slots=True)
class Talk:
    """One person talking; `last` is the latest answer, `leaving` ends the loop."""

    agent: Agent
    terminal: Terminal
    last: Reply | None = None
    leaving: bool = False
    _tools: ToolLines = field(init=False)
    _changed: bool = field(default=False, init=False)  # whether the model is another one by now

    def __post_init__(self) -> None:
        """The lines of the tools stand where those of the answer do."""
        self._tools = ToolLines(self.terminal)

    def say(self, text: str) -> None:
        """Send one message and show the answer while it is written.

        An interrupt ends the turn at once; what was said and done by then is kept.
        """
        self._follow(self.agent.stream(text))

    def go_on(self) -> None:
        """Let the message that was left without an answer have one; `InputError`: there is none."""
        left = self.unfinished()
        if left is None:
            raise InputError(
                "no message was left without an answer", hint="/resume shows other conversations."
            )
        self._follow(self.agent.stream(left.text, request_id=left.request_id))

    def unfinished(self) -> Unfinished | None:
        """The message of this conversation that was left without an answer."""
        session = self.agent.current_session()
        return self.agent.unfinished(session) if session else None

    def begin(self) -> None:
        """Say where messages go to, and what was left without an answer there."""
        self.terminal.note(where(self.agent))
        left = self.unfinished()
        for line in unfinished_lines(left) if left else ():
            self.terminal.note(line)

    def _follow(self, answer: Generator[TurnEvent]) -> None:
        with closing(answer) as events:
            for event in events:
                self._show(event)

    def _show(self, event: TurnEvent) -> None:
        match event:
            case Told():
                self.terminal.say(event.text)
            case ToolStarted():
                self._tools.started(event)
            case ToolRan():
                self._tools.ran(event)
            case Finished():
                self.last = event.reply
                self._finish(event.reply)

    def _finish(self, reply: Reply) -> None:
        if reply.repeated:
            self.terminal.say(reply.text)
        self.terminal.said()
        for line in remarks(reply):
            self.terminal.aside(line)

    def use_model(self, name: str) -> None:
        """Go on with another model in the same conversation; raises when it can't be opened."""
        model = parse_model(name)
        keys, circuits = self.agent.settings.keys(), self.agent.circuits
        provider = open_provider(model, keys=keys, circuits=circuits)
        settings = self.agent.settings.model_copy(update={"model": str(model)})
        options, old = self._here(), self.agent
        self.agent = old.with_model(settings, provider).with_options(options)
        self._changed = True
        self._settle(old)
        old.retire()

    def close(self) -> None:
        """Let go of a model that was chosen on the way; the agent that was given stays open.

        Whoever closes that one waits for its background, too, so it is said here.
        """
        self._settle(self.agent)
        if self._changed:
            self.agent.retire()

    def _settle(self, agent: Agent) -> None:
        """Nobody waits long without knowing for what."""
        if not agent.settle(seconds=GRACE):
            most = agent.settings.summary.seconds
            self.terminal.note(
                "waiting for what is done in the background (a summary, or reading for facts), "
                f"{most:g} s at most"
            )

    def use_mode(self, mode: Mode) -> None:
        """Go on in another mode."""
        self.agent = self.agent.with_options(replace(self._here(), mode=mode))

    def use_approval(self, approve: Approve) -> None:
        """Ask `approve` from here on before a tool acts once untrusted text was read."""
        self.agent = self.agent.with_options(replace(self._here(), approve=approve))

    def resume(self, session: str) -> None:
        """Go on with an earlier conversation; `NotFound` when it is not one of the user's."""
        options = replace(self.agent.options, session=session, new_session=False)
        other = self.agent.with_options(options)
        other.current_session()
        self.agent, self.last = other, None

    def _here(self) -> Options:
        """The options that stay in this conversation."""
        session = self.agent.current_session()
        return replace(self.agent.options, session=session.id if session else None)


def remarks(reply: Reply) -> Iterator[str]:
    """What there is to say beside an answer: its sources, its skill, what was learned of it."""
    if reply.citations:
        sources = dict.fromkeys(citation.source for citation in reply.citations)
        yield f"sources: {'; '.join(sources)}"
    if reply.procedure:
        yield f"skill: {reply.procedure}"
    for decision in reply.learned:
        if decision.fate in FATES:
            yield f"{FATES[decision.fate]}: {decision.text}"
        elif decision.fate is Fate.REFUSED:
            yield f"not kept: {decision.text} ({decision.reason})"
    if reply.redacted:
        yield f"taken out before storing: {', '.join(reply.redacted)}"
    if reply.cost:
        yield f"cost: {reply.cost}"
    yield from reply.warnings


def notices(agent: Agent, terminal: Terminal) -> None:
    """A line for each thing that is missing, and how to get it."""
    if agent.store.embedder is None:
        terminal.note(
            "No embedding model: search is by words alone. `stratal models pull` gets one."
        )
    if agent.model.provider == "offline":
        terminal.note(
            "No model is connected: answers quote what is remembered. "
            "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use --model."
        )
    if agent.model.hint:
        terminal.note(agent.model.hint)


def where(agent: Agent) -> str:
    """The conversation messages go to, in a line."""
    session = agent.current_session()
    said = f"{len(agent.messages(session))} messages so far" if session else "a new conversation"
    return f"{agent.store.user} with {agent.model} ({said}). /help: what there is; Ctrl-D: leave."
