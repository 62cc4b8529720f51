"""Measures the context engine: 100,000 generated conversations, caching, speed, a giant result.

    PYTHONPATH=. .venv/bin/python scripts/bench_context.py [--histories N]

`make bench` runs it; about 12 minutes on two quiet cores, nearly all of it for the conversations.
`langchain-core` is compared with when it is in .venv-bench. Nothing is asserted.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench import console, in_turns, show
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from stratal.agent import Agent
from stratal.assembling import assembled
from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.compression.results import ResultRules
from stratal.context.history import HistoryRules, Past, newest_turns
from stratal.context.sections import Layout
from stratal.options import Options
from stratal.providers.scripted import ScriptedProvider
from stratal.settings import load_settings
from stratal.tokens.auto import CALL, MESSAGE, auto_counter
from stratal_memory.records import Message, Role, ToolCall
from tests.platform.context.driving import Tally, drive
from tests.platform.context.making import everything, tool, user
from tests.platform.long_talk import long_talk
from tests.platform.prefixes import Share, conversation

ROOT = Path(__file__).parents[1]
LIBRARIES = ROOT / ".venv-bench"  # langchain-core, behind everything that .venv has
HISTORIES = 100_000
CHUNK = 100  # conversations a process takes at once
WORKERS = 2
BUDGET = Budget(window=9_000, output_reserve=1_000)  # 8,000 for the input
RULES = HistoryRules(results=ResultRules().within(window=9_000, share=0.15))
COUNTER = auto_counter("claude")


def generated(histories: int) -> None:
    """Every request of as many generated conversations, judged."""
    chunks = [range(at, min(at + CHUNK, histories)) for at in range(0, histories, CHUNK)]
    found = Tally()
    bar = Progress(
        "generated conversations", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool, bar:
        task = bar.add_task("", total=histories)
        for one in pool.imap_unordered(drive, chunks):
            found.add(one)
            bar.advance(task, one.histories)
    show(
        "Generated conversations",
        "parallel, cancelled and doubled calls, media, giant results, windows from 300 tokens, "
        "new models and settings on the way",
        *("what", "number", "should be"),
        rows=[
            ("conversations", f"{found.histories:,}", ""),
            ("requests", f"{found.requests:,}", ""),
            ("times the cut moved", f"{found.moves:,}", ""),
            ("turns too large for their window", f"{found.refused:,}", ""),
            ("most of its room a request took", f"{found.worst_fill:.1%}", "at most 100 %"),
            ("requests over their window", f"{found.overruns:,}", "0"),
            ("calls, results or turns torn, doubled, reordered", f"{found.misplaced:,}", "0"),
            ("requests some provider refuses", f"{found.invalid:,}", "0"),
            ("stored messages changed", f"{found.changed:,}", "0"),
            ("compressions that change nothing or do not end", f"{found.restless:,}", "0"),
            ("turns refused that would fit", f"{found.wrongly_refused:,}", "0"),
        ],
    )
    for example in found.examples:
        console.print(example)


def caching(folder: Path) -> None:
    """What of a request a prompt cache has seen, by layout."""
    shares = {layout.value: conversation(folder / layout.value, layout) for layout in Layout}
    show(
        "Prompt cache over 50 turns with a memory write, a tool and recall in each",
        "cacheable: of the tokens before the previous turn's recall, those the next request begins "
        "with, between cuts; read: of all tokens sent, those a cache of the previous request has",
        *("layout", "cacheable", "read", "input tokens", "cuts"),
        rows=[_share(name, share) for name, share in shares.items()],
    )


def _share(name: str, share: Share) -> tuple[str, ...]:
    return (name, f"{share.cacheable:.1%}", f"{share.hit:.1%}", f"{share.sent:,}", str(share.cuts))


def talk(turns: int) -> list[Message]:
    """Turns with two tool calls at once, 250 tokens each."""
    said = [message for number in range(turns) for message in _turn(number)]
    return [replace(message, seq=row, id=f"m{row}") for row, message in enumerate(said, 1)]


def _turn(number: int) -> Iterator[Message]:
    calls = tuple(
        ToolCall(id=f"c{number}{side}", name="look", arguments='{"town": "Ghent"}') for side in "ab"
    )
    yield user(f"How many loaves were in order {number}, and where did they go? " * 2)
    yield Message(role=Role.ASSISTANT, text="", tool_calls=calls)
    for call in calls:
        yield tool(
            f"order {number}: {number * 7 % 90} loaves of rye, to Ghent by van. " * 6, call.id
        )
    yield Message(role=Role.ASSISTANT, text=f"Order {number} went to Ghent by the first van. " * 4)


def assembling() -> None:
    """A whole assembling, ledger and all, beside `trim_messages`, which trims a list."""
    history, parts = talk(200), everything()

    def ours() -> Assembled:
        past = Past(turns=newest_turns(history), rules=RULES)
        return assemble(
            parts, past, user("And today?"), budget=BUDGET, counter=COUNTER,
            rendering=Rendering(model="m"),
        )  # fmt: skip

    work: dict[str, Callable[[], object]] = {"Stratal: request and ledger": ours}
    try:
        work |= _trimmers(history)
    except ImportError as error:
        console.print(f"trim_messages: left out, langchain-core can't be imported ({error})")
    took = in_turns(work, rounds=40)
    base = took["Stratal: request and ledger"]
    show(
        "200 turns with tool calls into 8,000 tokens",
        "warm, medians; `no memory`: the same function for a text without our memory of counts, as "
        "any counter is that one hands over; the last row counts with its own",
        *("what", "p50", "to Stratal"),
        rows=[(name, f"{t * 1e3:.2f} ms", f"{t / base:.1f}x") for name, t in took.items()],
    )


def _trimmers(history: list[Message]) -> dict[str, Callable[[], object]]:
    """The same history given to langchain-core, counted in three ways."""
    sys.path.append(str(LIBRARIES))  # last: nothing of .venv is replaced
    from langchain_core.messages import (  # type: ignore[import-not-found]
        AIMessage,
        BaseMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
        trim_messages,
    )
    from langchain_core.messages.utils import (  # type: ignore[import-not-found]
        count_tokens_approximately,
    )

    from stratal.tokens.approximate import script_tokens

    def theirs(message: Message) -> object:
        if message.role == Role.USER:
            return HumanMessage(message.text)
        if message.role == Role.TOOL:
            return ToolMessage(message.text, tool_call_id=message.tool_call_id)
        calls = [{"id": one.id, "name": one.name, "args": {}} for one in message.tool_calls]
        return AIMessage(message.text, tool_calls=calls)

    def counting(count: Callable[[str], float]) -> Callable[[list[BaseMessage]], int]:
        def counted(messages: list[BaseMessage]) -> int:
            calls = sum(len(one.tool_calls) for one in messages if isinstance(one, AIMessage))
            texts = sum(count(one.content) for one in messages)
            return int(texts) + MESSAGE * len(messages) + CALL * calls

        return counted

    def trimmed(counter: object) -> Callable[[], object]:
        return lambda: trim_messages(
            given, max_tokens=8_000, strategy="last", token_counter=counter,
            start_on="human", include_system=True,
        )  # fmt: skip

    given = [SystemMessage("you are brief"), *map(theirs, history)]
    return {
        "trim_messages, our counter, no memory": trimmed(counting(script_tokens)),
        "trim_messages, our counter and its memory": trimmed(counting(COUNTER.count)),
        "trim_messages, its approximate counter": trimmed(count_tokens_approximately),
    }


def stored(folder: Path) -> None:
    """The same from SQLite, with 200 and with 20,000 turns."""
    settings = load_settings(
        {"data": folder, "model": "offline:"}, environment={"STRATAL_EMBEDDING__MODEL": "hash:384"}
    )
    options = Options(user="alice")
    message, parts = user("And today?"), everything()
    with Agent.open_with(options, settings, provider=ScriptedProvider()) as agent:
        desks = {
            f"{turns:,} turns": replace(long_talk(agent, turns=turns), budget=BUDGET)
            for turns in (200, 20_000)
        }
        took = in_turns(
            {name: partial(assembled, desk, parts, message) for name, desk in desks.items()},
            rounds=40,
        )
    base = took["200 turns"]
    show(
        "Assembling from SQLite into 8,000 tokens",
        "only what can fit is read; goal: at most 1.5 times",
        *("stored", "p50", "ratio"),
        rows=[(name, f"{t * 1e3:.1f} ms", f"{t / base:.2f}x") for name, t in took.items()],
    )


def oversized() -> None:
    """One tool result of more than 12,000 tokens among 200 turns."""
    giant = "".join(f"row {number}: forty-two loaves to Ghent\n" for number in range(600))
    call = ToolCall(id="big", name="look", arguments="{}")
    loop = [Message(role=Role.ASSISTANT, text="", tool_calls=(call,)), tool(giant, "big")]
    past = talk(200)
    ended = [*past, user("How many?"), *loop, Message(role=Role.ASSISTANT, text="Forty-two.")]
    places = {
        "the last turn": ([replace(m, seq=row) for row, m in enumerate(ended, 1)], []),
        "the tool loop": (past, loop),
    }
    rows: list[tuple[str, ...]] = []
    for name, (history, tail) in places.items():
        made = assemble(
            everything(),
            Past(turns=newest_turns(history), rules=RULES),
            user("And to Bruges?"),
            tail=tail,
            budget=BUDGET,
            counter=COUNTER,
            rendering=Rendering(model="m"),
        )
        (shown,) = (one for one in made.request.messages if one.tool_call_id == "big")
        users = sum(one.role == Role.USER for one in made.request.messages)
        rows.append(
            (
                *(name, f"{COUNTER.count(giant):,}", f"{COUNTER.count(shown.text):,}"),
                *(f"{made.ledger.used:,}", str(users), str(len(made.request.recalled))),
                "yes" if "expand_result(" in shown.text else "no",
            )
        )
    show(
        "200 turns and one giant result into 8,000 tokens",
        "memories: of the 6 that were recalled",
        *("result in", "result", "shown", "used", "turns", "memories", "expandable"),
        rows=rows,
    )


def main() -> None:
    """Every table, the quick ones first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--histories", type=int, default=HISTORIES, metavar="N")
    histories = parser.parse_args().histories
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="stratal-bench-") as name:
        assembling()
        stored(Path(name) / "stored")
        oversized()
        caching(Path(name))
    console.print(f"{histories:,} conversations: about {histories * 0.006 / 60:.0f} minutes")
    generated(histories)
    console.print(f"{time.perf_counter() - started:.0f} s in all")


if __name__ == "__main__":
    main()
