"""A conversation with everything its turns need, made of the settings."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from stratal.background import Background
from stratal.calibrating import Calibrator
from stratal.context.budget import Budget
from stratal.context_parts import history_rules
from stratal.conversation import CacheRules, Conversation, SkillRules, SummaryRules
from stratal.engines import counter_of
from stratal.presets import known_window
from stratal.prompt.overrides import prompt_folder, read_overrides
from stratal.prompt.sections import Mode
from stratal.providers.circuit import Circuits
from stratal.providers.models import ModelInfo, ModelString, model_info, parse_model
from stratal.providers.provider import Provider
from stratal.settings import Settings
from stratal.spending import Limits
from stratal.tools.approval import Approve, refuse
from stratal.tools.mcp_known import KnownTools
from stratal.tools.mcp_servers import McpServers
from stratal.tools.tool import Tool
from stratal.writers import Writers
from stratal.writers import summary_model as summary_model
from stratal_memory.records import Session
from stratal_memory.scopes import DEFAULT_AGENT
from stratal_memory.store import Store
from stratal_procedures.library import Library

NAMES = {DEFAULT_AGENT: "Stratal"}  # how the default agent calls itself
SUMMARISER = "You summarise conversations for the assistant that goes on with them."


class Desks:
    """Makes the conversations of one agent; what they learn of the model stays between turns."""

    def __init__(
        self,
        *,
        store: Store,
        settings: Settings,
        provider: Provider,
        servers: McpServers | None = None,
        circuits: Circuits | None = None,
    ) -> None:
        """`servers` are those that run already; without them they are the settings' own.

        `circuits` are those the provider was opened with.
        """
        self.store = store
        self.settings = settings
        self.provider = provider
        self.model = parse_model(settings.model)
        self.background = Background()
        self._calibrator = self._calibrated()
        self._overrides: dict[str, Mapping[str, str]] = {}
        self.writers = Writers(settings, provider, circuits=circuits)
        self.servers = servers or McpServers(settings.tools.servers(), KnownTools(store))

    @property
    def info(self) -> ModelInfo:
        """What the model takes."""
        return info_of(self.settings, self.model)

    def open(
        self,
        session: Session,
        *,
        library: Library,
        agent: str,
        mode: Mode,
        tools: Sequence[Tool] = (),
        approve: Approve = refuse,
    ) -> Conversation:
        """What a turn of `session` works with."""
        settings = self.settings
        budget = self._budget()
        rules = history_rules(settings.history, settings.tool_results, window=budget.effective)
        calibrator = self._calibrator
        if calibrator is None:
            counter = counter_of(settings, self.info, provider=self.provider)
        else:
            counter, budget = calibrator.counter, calibrator.budget(budget, session.id)
        return Conversation(
            store=self.store.for_session(session.id),
            session=session,
            provider=self.provider,
            model=self.model,
            info=self.info,
            budget=budget,
            counter=counter,
            calibrator=calibrator,
            layout=settings.context.layout,
            rules=rules,
            summary=self._summary_rules(),
            cache=CacheRules(marks=settings.cache.marks, ttl=settings.cache.ttl),
            background=self.background,
            reader=self.writers.reader(self.store),
            recall=settings.recall.for_recall(settings.context),
            library=library,
            skill_threshold=settings.skills.threshold,
            skills=SkillRules(
                match=settings.skills.match,
                active=tuple(settings.skills.active),
                max_active=settings.skills.max_active,
                list_tokens=settings.skills.list_tokens,
                learn=settings.skills.learn,
            ),
            mode=mode,
            matrix=settings.prompt.matrix,
            overrides=self._overrides_of(agent),
            agent_name=NAMES.get(agent, agent),
            limits=self._limits(),
            approve=approve,
            tools=tuple(tools),
            remote=tuple(self.servers.tools()),
            strangers=self.servers.strangers(),
            left_out=self.servers.left_out(),
        )

    def _budget(self) -> Budget:
        """The budget before anything was learned of the model."""
        settings, info = self.settings, self.info
        name = _plain_name(settings, self.model)
        known = known_window(settings.preset, name, listed=info.known)
        return settings.context.budget(info, known=known, recall=settings.recall)

    def _limits(self) -> Limits:
        """What one turn may take."""
        chosen = self.settings.turn
        dollars = None if chosen.max_dollars is None else Decimal(str(chosen.max_dollars))
        return Limits(steps=chosen.max_steps, tokens=chosen.max_tokens, dollars=dollars)

    def _overrides_of(self, agent: str) -> Mapping[str, str]:
        """Read once: an edit between two turns would break the cached beginning."""
        if agent not in self._overrides:
            folders = (*self.settings.prompt.folders, prompt_folder(self.settings.data, agent))
            self._overrides[agent] = read_overrides(folders)
        return self._overrides[agent]

    def close(self) -> None:
        """End the servers, and wait for what goes on in the background, see `retire`."""
        self.servers.close()
        self.retire()

    def retire(self) -> None:
        """Wait for what goes on in the background, as long as the settings say.

        The servers go on, for those who took them over.
        """
        self.background.close(seconds=self.settings.summary.seconds)
        self.writers.close()

    def _calibrated(self) -> Calibrator | None:
        """None where nothing is ever billed; a document's own counter is not corrected."""
        if self.provider.name == "offline":
            return None
        base = counter_of(self.settings, self.info, provider=self.provider)
        corrects = self.settings.context.counter in ("auto", "provider")
        return Calibrator(self.store, base, model=str(self.model), corrects=corrects)

    def _summary_rules(self) -> SummaryRules:
        chosen = self.settings.summary
        writer = summary_model(self.settings, self.model)
        # The limit is the prompt's; this is the brake, with room for a model that thinks first.
        most = max(4_096, chosen.tokens * 2)
        return SummaryRules(
            enabled=chosen.enabled,
            triggers=chosen.triggers(),
            measure=chosen.measure,
            keep=chosen.keep(),
            at_once=chosen.apply == "at_once",
            tokens=chosen.tokens,
            window=info_of(self.settings, writer or self.model).window,
            complete=lambda: (
                self.writers.complete(writer, role=SUMMARISER, most=most) if writer else None
            ),
        )


def info_of(settings: Settings, model: ModelString) -> ModelInfo:
    """What `model` takes, with Azure's deployments by the name of what they run."""
    deployments = settings.providers.azure_deployments if model.provider == "azure" else {}
    return model_info(model.provider, model.name, deployments=deployments)


def _plain_name(settings: Settings, model: ModelString) -> str:
    """The model's name, not that of the Azure deployment it runs in."""
    if model.provider != "azure":
        return model.name
    return settings.providers.azure_deployments.get(model.name, model.name)
