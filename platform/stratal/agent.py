"""An agent for one user: open it, talk to it, give it documents; the front door of the library."""

from collections.abc import Callable, Generator, Sequence
from copy import copy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Self

from stratal import practice
from stratal.cancel import Cancel
from stratal.compaction import Compacted, compact
from stratal.context.ledger import Ledger
from stratal.conversation import Conversation
from stratal.delegating import delegated
from stratal.desk import Desks
from stratal.engines import counter_of
from stratal.errors import InputError
from stratal.ingesting import Ingesting
from stratal.options import Options, mode_of, tools_of, with_overrides
from stratal.previewing import preview
from stratal.prompt.sections import Mode
from stratal.providers.circuit import Circuits
from stratal.providers.models import ModelInfo, parse_model
from stratal.providers.opening import open_provider
from stratal.providers.provider import Provider
from stratal.remembering import Remembering
from stratal.reply import Finished, Reply, TurnEvent
from stratal.sessions import Sessions, Unfinished
from stratal.settings import Settings, load_settings
from stratal.skill_source import SkillSource, working_directory
from stratal.stores import close_store, open_store
from stratal.toolbox import toolbox
from stratal.tools.approval import Approve, refuse
from stratal.tools.mcp_servers import McpServers
from stratal.tools.memory import Reading
from stratal.tools.registry import Toolbox
from stratal.tools.tool import Tool
from stratal.turn import take_turn
from stratal_ingest.options import Options as IngestOptions
from stratal_ingest.pipeline import OnProgress
from stratal_ingest.report import Report as IngestReport
from stratal_memory.consolidation.pipeline import Moment, consolidate
from stratal_memory.consolidation.report import Report as ConsolidationReport
from stratal_memory.records import Message, ScopeKind, Session, new_id
from stratal_memory.scopes import Principal
from stratal_memory.store import Clock, Store, utc_now
from stratal_procedures.library import Library


class Agent(Remembering):
    """One user's persistent agent. Close it, or use it in a `with`.

    A second agent of the process on the same data directory shares the database. Not to be used
    by two threads at once: open one for each.
    """

    def __init__(
        self,
        options: Options,
        *,
        settings: Settings,
        store: Store,
        provider: Provider,
        circuits: Circuits | None = None,
    ) -> None:
        """Prefer `Agent.open`; this is for those who bring their own store and provider."""
        super().__init__(store, settings)
        self.options = options
        self.provider = provider
        self.circuits = circuits or Circuits(settings.providers.circuit())
        self.model = parse_model(settings.model)
        self._past = Sessions(store)
        self._skills = SkillSource(settings, here=working_directory())
        self._desks = Desks(
            store=store, settings=settings, provider=provider, circuits=self.circuits
        )
        self._session: Session | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        user: str,
        *,
        model: str | None = None,
        data: Path | str | None = None,
        project: str | None = None,
        mode: str = Mode.AGENT,
        tools: Sequence[Tool | Callable[..., object]] = (),
        approve: Approve = refuse,
        settings: Settings | None = None,
    ) -> "Agent":
        """The agent of `user`; see `open_with` for everything that can be chosen.

        `model` and `data` go before what `settings` say; without these the settings are loaded.
        `mode` is `agent`, `ask` or `plan`. `tools` are the caller's own beside the built-in ones:
        functions, or what `stratal.tool` makes of them. `approve` is asked before a tool acts
        once untrusted text was read; without it nobody says yes.
        Raises `ConfigError` for an unknown model or mode, a missing key or a function that can be
        no tool, `ScopeError` for a user that can't be one, `AccessDenied` for somebody else's
        project, `DataDirectoryBusy` during maintenance.
        """
        chosen = (
            load_settings({"model": model, "data": data})
            if settings is None
            else with_overrides(settings, model=model, data=data)
        )
        options = Options(
            user=user,
            project=project,
            mode=mode_of(mode),
            tools=tools_of(tools),
            approve=approve,
        )
        return cls.open_with(options, chosen)

    @classmethod
    def open_with(
        cls,
        options: Options,
        settings: Settings,
        *,
        provider: Provider | None = None,
        clock: Clock = utc_now,
        circuits: Circuits | None = None,
    ) -> "Agent":
        """The agent `options` describe; `provider` replaces the one the model string names.

        Agents given the same `circuits` learn from each other that a provider is out.
        """
        model = parse_model(settings.model)
        shared = circuits or Circuits(settings.providers.circuit())
        chosen = provider or open_provider(model, keys=settings.keys(), circuits=shared)
        principal = Principal(
            user=options.user, agent=options.agent, project=options.project, org=options.org
        )
        store = open_store(principal, settings, clock=clock)
        return cls(options, settings=settings, store=store, provider=chosen, circuits=shared)

    def add_tools(self, *tools: Tool | Callable[..., object]) -> None:
        """From the next message on the model may call these, too; see `stratal.tool`.

        Two tools of one name are a `ConfigError` then.
        """
        self.options = replace(self.options, tools=(*self.options.tools, *tools_of(tools)))

    def send(
        self, text: str, *, request_id: str | None = None, cancel: Cancel | None = None
    ) -> Reply:
        """The whole answer to `text`; see `stream`."""
        for event in self.stream(text, request_id=request_id, cancel=cancel):
            if isinstance(event, Finished):
                return event.reply
        raise AssertionError("a turn ended without its last event")

    def stream(
        self, text: str, *, request_id: str | None = None, cancel: Cancel | None = None
    ) -> Generator[TurnEvent]:
        """Text and tool events as they come, `Finished` with the reply last.

        With the request id of an earlier message the turn of that message is finished or given
        back, never made twice. Raises a `StratalError`, `TurnCancelled` once `cancel` is set; the
        message is kept whatever happens. Closing the iterator ends the turn as well.
        """
        _check_length(text, self.settings.turn.longest_message)
        earlier = self._past.of_request(request_id) if request_id else None
        desk = replace(self.conversation(earlier or self.session()), cancel=cancel)
        return take_turn(desk, text, request_id=request_id or new_id("req"))

    def preview(self, text: str) -> Ledger:
        """The ledger of the request that `text` would make; nothing is sent or stored."""
        _check_length(text, self.settings.turn.longest_message)
        session = self.current_session() or self._past.unstarted()
        return preview(self.conversation(session), text).ledger

    def session(self) -> Session:
        """The conversation messages go to: the chosen one, the latest fresh one, or a new one."""
        self._session = self.current_session() or self._begun()
        return self._session

    def _begun(self) -> Session:
        self._settle_idle()
        return self._past.start()

    def _settle_idle(self) -> None:
        """The turns that silence ended are learned from."""
        learn = self.settings.skills.learn
        practice.settle_idle(self.store, lambda: self.library, learn=learn)

    def current_session(self) -> Session | None:
        """The conversation that goes on, or None when the next message begins a new one."""
        if self._session is not None:
            return self._session
        if self.options.session:
            return self._past.named(self.options.session)
        if self.options.new_session:
            return None
        return self._past.fresh(idle=timedelta(minutes=self.settings.turn.session_idle_minutes))

    def start_session(self) -> None:
        """The next message begins a new conversation."""
        self.options = replace(self.options, session=None, new_session=True)
        self._session = None

    def sessions(self) -> list[Session]:
        """The user's conversations with this agent, latest first."""
        return self._past.all()

    def messages(self, session: Session) -> list[Message]:
        """The messages of a conversation, oldest first; `NotFound` for somebody else's."""
        return self._past.messages(session)

    def unfinished(self, session: Session) -> Unfinished | None:
        """The message of a conversation that was left without an answer; None: there is none.

        `send(found.text, request_id=found.request_id)` goes on with it.
        """
        return self._past.unfinished(session)

    def ledger(self, turn: str) -> Ledger:
        """The stored ledger of a turn; `NotFound` when it is not one of this user's."""
        return self._past.ledger(turn)

    def conversation(self, session: Session) -> Conversation:
        """What a turn of `session` works with."""
        desk = self._desks.open(
            session,
            library=self.library,
            agent=self.options.agent,
            mode=self.options.mode,
            tools=self.options.tools,
            approve=self.options.approve,
        )
        return replace(desk, ask=delegated)

    def toolbox(self) -> Toolbox:
        """The tools the model may call in the agent's mode; MCP servers are started for it."""
        session = self.current_session() or self._past.unstarted()
        return toolbox(self.conversation(session), Reading())

    @property
    def servers(self) -> McpServers:
        """The MCP servers of the settings; they end with the agent."""
        return self._desks.servers

    def compact(self) -> Compacted:
        """What summarising all but the newest part of the current conversation did (C19).

        Raises `InputError` when it is too short for that, or there is no conversation to go on.
        """
        session = self.current_session()
        if session is None:
            raise InputError("there is no conversation to compact", hint="`stratal session list`")
        return compact(self.conversation(session))

    def settle(self, *, seconds: float | None = None) -> bool:
        """Whether what is done in the background is done: summaries, and reading for facts.

        Waits for it, `seconds` at most (None: any time).
        """
        return self._desks.background.wait(seconds=seconds)

    @property
    def library(self) -> Library:
        """The skills there are now: of the folders as they were first read, and what was learned.

        A person's word on one counts at once.
        """
        return self._skills.library(self.store)

    @property
    def info(self) -> ModelInfo:
        """What the model takes."""
        return self._desks.info

    def ingest(
        self,
        *paths: Path | str,
        scope: ScopeKind = ScopeKind.USER,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        options: IngestOptions | None = None,
    ) -> IngestReport:
        """What became of each file under `paths`; a bad file is a row, never an exception."""
        chosen = options or IngestOptions()
        chosen = replace(chosen, dry_run=dry_run or chosen.dry_run)
        return self.ingesting(scope, on_progress).once([str(path) for path in paths], chosen)

    def ingesting(
        self, scope: ScopeKind = ScopeKind.USER, on_progress: OnProgress | None = None
    ) -> Ingesting:
        """Documents into `scope`: once, again, or as long as a folder is followed."""
        return Ingesting(
            into=self.documents(scope),
            counter=counter_of(self.settings, self.info, provider=self.provider),
            settings=self.settings,
            tell=on_progress,
        )

    def consolidate(
        self, *, dry_run: bool = False, on_moment: Callable[[Moment], None] = lambda moment: None
    ) -> ConsolidationReport:
        """What a run changed, or with `dry_run` would change.

        The model that reads messages betters the steps, where one is set, within the spend cap.
        What practice teaches is drafted first; no run's undo takes a draft back.
        """
        if not dry_run:
            self._settle_idle()
        model = self._desks.writers.sleeper(self.store)
        return consolidate(self.store, dry_run=dry_run, on_moment=on_moment, model=model)

    def with_options(self, options: Options) -> "Agent":
        """The same user's agent, opened otherwise; it shares everything with this one.

        Close this one alone.
        """
        other = copy(self)
        other.options, other._session = options, None
        return other

    def with_model(self, settings: Settings, provider: Provider) -> "Agent":
        """The same agent with the model of `settings`, which `provider` asks.

        It takes over the memory and the MCP servers of this one. `retire` the one that is no
        longer used, and at the end the other; close this one alone.
        """
        other = copy(self)
        other.settings, other.provider = settings, provider
        other.model = parse_model(settings.model)
        other._desks = Desks(
            store=self.store,
            settings=settings,
            provider=provider,
            servers=self.servers,
            circuits=self.circuits,
        )
        return other

    def retire(self) -> None:
        """Let go of the model, after what goes on in the background; memory and servers stay."""
        self._desks.retire()
        self.provider.close()

    def close(self) -> None:
        """Let go of the data directory; closing twice is closing once."""
        if self._closed:
            return
        self._closed = True
        self._desks.close()
        self.provider.close()
        close_store(self.store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _check_length(text: str, limit: int) -> None:
    if len(text) > limit:
        raise InputError(
            f"the message has {len(text):,} characters, {limit:,} are allowed",
            hint="Give it as a file: stratal ingest FILE.",
        )
