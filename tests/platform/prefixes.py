"""How much of each request a prompt cache has seen: 50 turns through the real agent, measured."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from stratal.agent import Agent
from stratal.compaction import current_cut
from stratal.context.ledger import Ledger
from stratal.context.request import Request
from stratal.context.sections import Layout
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason
from stratal.providers.scripted import ScriptedProvider
from stratal.settings import load_settings
from stratal.tokens.auto import auto_counter
from stratal.tools.tool import tool
from stratal_memory.records import Message, Role, ToolCall
from tests.fakes.clock import FakeClock

COUNTER = auto_counter("claude")
KEPT = ("tools", "system", "profile", "summary", "history")  # all but recall, time and the turn
TOWNS = ("Ghent", "Bruges", "Leuven", "Namur", "Mons", "Ypres", "Aalst")
Pieces = list[tuple[str, int]]  # of a request in order: text and tokens


@dataclass(slots=True)
class Share:
    """Tokens of a whole conversation."""

    turns: int = 0
    cuts: int = 0
    recalled: int = 0  # turns whose request quotes a memory
    earlier: int = 0  # in the previous request besides its recall and its turn, between cuts
    same: int = 0  # of `earlier`, those in a byte-identical prefix of the next request
    sent: int = 0  # in all requests
    cached: int = 0  # of `sent`, those a cache of the previous request has

    @property
    def cacheable(self) -> float:
        """Of what stays in the conversation, the share that the next request begins with."""
        return self.same / self.earlier

    @property
    def hit(self) -> float:
        """Of everything that is sent, the share the provider reads from its cache."""
        return self.cached / self.sent


def look_up(town: str) -> str:
    """The bakery's orders of a town."""
    return "".join(f"{town}, order {number}: {number * 3} loaves of rye\n" for number in range(30))


def conversation(folder: Path, layout: Layout, *, turns: int = 50, window: int = 12_000) -> Share:
    """A conversation with a memory write, a tool and recall in every turn, of some 5 cuts."""
    provider = ScriptedProvider([step for n in range(turns) for step in _steps(n)])
    settings = load_settings(
        {"data": folder, "model": "offline:"},
        environment={
            "STRATAL_EMBEDDING__MODEL": "hash:384",
            "STRATAL_CONTEXT__LAYOUT": layout.value,
            "STRATAL_CONTEXT__WINDOW": str(window),
            "STRATAL_CONTEXT__OUTPUT_RESERVE": "1000",
        },
    )
    options = Options(user="alice", tools=(tool(look_up, writes=False),))
    share = Share(turns=turns)
    with Agent.open_with(options, settings, provider=provider, clock=FakeClock()) as agent:
        _talk(agent, provider, share)
    return share


def _talk(agent: Agent, provider: ScriptedProvider, share: Share) -> None:
    before: Pieces = []
    ledger: Ledger | None = None
    place = (0, 0)
    for town in TOWNS:
        agent.facts.add(f"The usual order of {town} is rye loaves.")
    for number in range(share.turns):
        told = len(provider.requests)
        town = TOWNS[number % len(TOWNS)]
        reply = agent.send(f"What is the usual order of {town}, rye loaves? And order {number}?")
        agent.settle()
        cut = current_cut(agent.conversation(agent.session()))
        moved = place != (cut.after, cut.aged)
        share.cuts += moved
        place = (cut.after, cut.aged)
        for step, request in enumerate(provider.requests[told:]):
            pieces = _pieces(request)
            same = _common(before, pieces)
            if step == 0 and ledger is not None and not moved:
                kept = sum(one.granted for one in ledger.sections if one.name in KEPT)
                share.earlier += kept
                share.same += min(kept, same)
            share.sent += sum(tokens for _, tokens in pieces)
            share.cached += same
            before = pieces
        ledger = reply.ledger
        share.recalled += bool(provider.requests[told].recalled)


def _steps(number: int) -> Iterator[Completion]:
    town = TOWNS[number % len(TOWNS)]
    fact = {"text": f"Order {number} of {town} is {number * 7 % 90} loaves of rye."}
    calls = (
        ToolCall(id=f"s{number}", name="memory_save", arguments=json.dumps(fact)),
        ToolCall(id=f"l{number}", name="look_up", arguments=json.dumps({"town": town})),
    )
    yield Completion(text="", tool_calls=calls, stop=StopReason.TOOLS)
    yield Completion(text=f"{number * 7 % 90} loaves of rye go to {town}. " * 3)


def _pieces(request: Request) -> Pieces:
    """What is sent, in the order a cache compares it."""
    tools = [(f"{one}", COUNTER.count_tools([one])) for one in request.tools]
    system = [Message(role=Role.SYSTEM, text=block.text) for block in request.system]
    said = [replace(one, id="", created=None) for one in request.messages]
    return tools + [
        (f"{one.role.value}: {one.text}{one.tool_calls}", COUNTER.count_messages([one]))
        for one in (*system, *said)
    ]


def _common(before: Pieces, now: Pieces) -> int:
    """Tokens of the longest common prefix; of the piece that differs, in proportion."""
    total = 0
    for (then, tokens), (here, _) in zip(before, now, strict=False):
        if then != here:
            alike = takewhile(lambda pair: pair[0] == pair[1], zip(then, here, strict=False))
            return total + tokens * sum(1 for _ in alike) // max(1, len(then))
        total += tokens
    return total
