"""A model that works through tasks with tools, and a server that fails it, drawn from a seed."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from pydantic import TypeAdapter

from stratal.agent import Agent
from stratal.context.repair import INTERRUPTED
from stratal.errors import CircuitOpen, ProviderError, StratalError
from stratal.options import Options
from stratal.providers.circuit import Circuits, Guarded
from stratal.providers.retry import Retrying
from stratal.providers.sizes import named_sizes
from stratal.settings import Settings, load_settings
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Role
from tests.fakes.wire_server import Ending, Reply, html_reply
from tests.platform.faults.wires import HUGE, Call, Said, View, Wire, Wording

CORPUS = Path(__file__).parents[1] / "providers" / "corpus" / "errors.json"
SMALLEST = 100_000  # tokens; what names a smaller window than we have would be no fault
SILENCE = 1.0  # seconds until a stream that says nothing more is given up
TURNS_A_SESSION = 8
MOST_RETRIES = 6  # of a client that gets a retryable error, with the same request id
OVERFLOWS_FROM = 3  # tasks in the conversation: a shorter one has nothing to leave out


class Fault(Enum):
    """What goes wrong with one answer (RELIABILITY, section 7)."""

    RATE_LIMIT = "429"
    RATE_LIMIT_UNTIL = "429 with Retry-After"
    OVERLOADED = "529"
    BROKEN = "500 with a page"
    BUSY = "503 with a page"
    RESET = "connection reset"
    STALL = "a stream that stops coming"
    DRIP = "a stream of single bytes"
    CUT = "a stream cut after some event"
    ERROR_INSIDE = "an error after 200"
    MALFORMED = "malformed tool JSON"
    UNKNOWN_TOOL = "an unknown tool"
    SAME_IDS = "two calls of one id"
    EMPTY = "an empty answer"
    USAGE = "wrong usage"
    OVERFLOW = "an overflow in some wording"
    KEY_OVERFLOW = "a 401 that is an overflow"


KEY_OVERFLOW = "Your request exceeded the model's maximum context length of 262144 tokens."
WORDINGS = [
    one
    for one in TypeAdapter(list[Wording]).validate_json(CORPUS.read_bytes())
    if one.expected == "overflow"
    and (named_sizes(str(one.body).lower()).limit or SMALLEST) >= SMALLEST
]


class FaultyModel:
    """Looks twice at once, pays once, and says so; a share of its answers goes wrong."""

    def __init__(self, wire: Wire, *, share: float, seed: int) -> None:
        self.wire = wire
        self.faults: Counter[Fault] = Counter()
        self.calls = 0
        self._shortened: set[int] = set()  # tasks whose requests were refused for their length
        self._share = share
        self._random = random.Random(seed)

    def __call__(self, view: View) -> Reply:
        self.calls += 1
        said = plan(view, serial=self.calls)
        if self._random.random() >= self._share:
            return self.wire.reply(said)
        fault = self._random.choice(list(Fault))
        if fault in (Fault.OVERFLOW, Fault.KEY_OVERFLOW):
            fits = view.tasks < OVERFLOWS_FROM or view.task in self._shortened
            fault = Fault.OVERLOADED if fits else fault
            self._shortened.add(view.task)
        if fault is Fault.STALL and self.wire.model.startswith("openai-chat"):
            fault = Fault.CUT
        self.faults[fault] += 1
        return self._gone_wrong(fault, said)

    def _gone_wrong(self, fault: Fault, said: Said) -> Reply:
        refusals = {
            Fault.RATE_LIMIT: (429, "rate_limit_error", "Too many requests, slow down."),
            Fault.RATE_LIMIT_UNTIL: (429, "rate_limit_error", "Too many tokens per minute."),
            Fault.OVERLOADED: (529, "overloaded_error", "Overloaded"),
            Fault.KEY_OVERFLOW: (401, "invalid_request_error", KEY_OVERFLOW),
        }
        if fault in refusals:
            reply = self.wire.error(*refusals[fault])
            waits = (("retry-after", "7"),) if fault is Fault.RATE_LIMIT_UNTIL else ()
            return replace(reply, headers=(*reply.headers, *waits))
        if fault in (Fault.BROKEN, Fault.BUSY):
            page = "<html><body><h1>Something went wrong</h1></body></html>"
            return html_reply(500 if fault is Fault.BROKEN else 503, page)
        return self._on_the_way(fault, said) or self._by_the_model(fault, said)

    def _on_the_way(self, fault: Fault, said: Said) -> Reply | None:
        """A good answer that does not arrive as it should."""
        good = self.wire.reply(said)
        if fault is Fault.RESET:
            return Reply(ending=Ending.RESET)
        if fault is Fault.STALL:
            return good.cut_after(self._place(good), ending=Ending.STALLED)
        if fault is Fault.CUT:
            return good.cut_after(self._place(good))
        if fault is Fault.ERROR_INSIDE:
            return self.wire.error_inside(good, "The server had an error.")
        if fault is Fault.DRIP:
            return replace(good, parts=tuple(bytes((one,)) for part in good.parts for one in part))
        if fault is Fault.OVERFLOW:
            return self._random.choice(WORDINGS).reply()
        return None

    def _by_the_model(self, fault: Fault, said: Said) -> Reply:
        """An answer that arrives, and is not what it should be."""
        calls = [] if isinstance(said, str) else list(said)
        if fault is Fault.USAGE:
            return self.wire.reply(said, usage=self._random.choice([None, 0, 1, HUGE]))
        if fault is Fault.EMPTY or not calls:
            return self.wire.empty()
        if fault is Fault.MALFORMED:
            broken = [replace(calls[0], arguments='{"task": '), *calls[1:]]
            return self.wire.reply(broken)
        if fault is Fault.UNKNOWN_TOOL:
            return self.wire.reply([replace(calls[0], name="no_such_tool"), *calls[1:]])
        return self.wire.reply([replace(one, id="call_1") for one in calls])

    def _place(self, reply: Reply) -> int:
        return self._random.randrange(len(reply.parts))


def plan(view: View, *, serial: int) -> Said:
    """What a model does next that reads its results: two looks, one payment, an answer."""
    seen = sum(result.startswith("seen") for result in view.results)
    task = f'{{"task": {view.task}}}'
    if seen < 2:
        return [Call(f"call_{serial}_{n}", "look", task) for n in range(2 - seen)]
    if not any(one.startswith("paid") or one.startswith(INTERRUPTED) for one in view.results):
        return [Call(f"call_{serial}", "pay", task)]
    return f"Task {view.task} is done."


@dataclass(slots=True)
class Account:
    """What a run came to."""

    turns: int = 0
    finished: int = 0  # at the first try of the client
    retryable: int = 0  # ended so at the first try
    other: list[str] = field(default_factory=list[str])
    lost: int = 0  # requests without an answer after all tries, or messages that are gone
    doubled: int = 0  # messages that stand in a history more than once
    paid: Counter[int] = field(default_factory=Counter[int])
    calls: int = 0
    faults: Counter[Fault] = field(default_factory=Counter[Fault])

    @property
    def ended_well(self) -> float:
        """The share of turns that finished or ended in a typed, retryable error."""
        return (self.finished + self.retryable) / max(1, self.turns)

    @property
    def double_effects(self) -> int:
        return sum(times - 1 for times in self.paid.values() if times > 1)


def tools(paid: Counter[int]) -> tuple[Tool, Tool]:
    """One that looks and one that acts; the second counts its runs."""

    def look(task: int) -> str:
        """Looks at a task."""
        return f"seen {task}"

    def pay(task: int) -> str:
        """Pays for a task."""
        paid[task] += 1
        return f"paid {task}"

    return tool(look, writes=False), tool(pay, writes=True)


def settings_of(data: Path, wire: Wire) -> Settings:
    """Nothing but the loop: no embeddings, no other model, and no skills of its own."""
    return load_settings(
        {"data": data, "model": wire.model},
        environment={
            "STRATAL_EMBEDDING__MODEL": "none",
            "STRATAL_SUMMARY__MODEL": "none",
            "STRATAL_LEARNING__MODEL": "none",
            "STRATAL_SKILLS__LEARN": "false",  # a tenth of the time, in which nothing can fail
        },
    )


def drive(wire: Wire, data: Path, *, turns: int, share: float, seed: int) -> Account:
    """Sends `turns` messages to an agent whose provider fails for a `share` of the calls."""
    account = Account()
    model = FaultyModel(wire, share=share, seed=seed)
    server = wire.serve(model)
    with server:
        circuit = Circuits().of(wire.model, endpoint=server.url)
        provider = Guarded(Retrying(wire.provider(server.url, silence=SILENCE)), circuit)
        options = Options(user="alice", tools=tools(account.paid), approve=lambda _: True)
        with Agent.open_with(options, settings_of(data, wire), provider=provider) as agent:
            for number in range(turns):
                if number % TURNS_A_SESSION == 0:
                    agent.start_session()
                _one(agent, account, number)
            _count_messages(agent, account, turns)
    account.calls, account.faults = model.calls, model.faults
    return account


def _one(agent: Agent, account: Account, number: int) -> None:
    """One message, sent again with its request id as long as that may help."""
    account.turns += 1
    for attempt in range(MOST_RETRIES):
        try:
            reply = agent.send(f"Please do TASK-{number}", request_id=f"r{number}")
        except ProviderError as error:
            if attempt == 0:
                _count_error(account, error)
            if not error.retryable:
                break
        except StratalError as error:
            account.other.append(f"{type(error).__name__}: {error}")
            break
        else:
            account.finished += attempt == 0
            if f"Task {number} is done." not in reply.text:
                account.other.append(f"answered {reply.text!r}")
            return
    account.lost += 1


def _count_error(account: Account, error: ProviderError) -> None:
    if error.retryable and not isinstance(error, CircuitOpen):  # chance is no outage
        account.retryable += 1
    else:
        account.other.append(f"{type(error).__name__}: {error}")


def _count_messages(agent: Agent, account: Account, turns: int) -> None:
    said: Counter[str] = Counter()
    for session in agent.sessions():
        said.update(m.text for m in agent.messages(session) if m.role is Role.USER)
    for number in range(turns):
        times = said[f"Please do TASK-{number}"]
        account.lost += times == 0
        account.doubled += max(0, times - 1)


def faults_seen(account: Account) -> Iterator[tuple[str, int]]:
    """How often each fault was drawn, most often first."""
    yield from ((fault.value, count) for fault, count in account.faults.most_common())
