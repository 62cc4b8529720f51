"""Conversations made from a seed: what users, models, tools, crashes and new settings do to one.

A plain random generator, because it has to make 100,000 of them in minutes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from stratal.context.budget import Budget
from stratal.context.compression.results import ResultRules
from stratal.context.compression.strategies import Overflow
from stratal.context.counting import Counter
from stratal.context.history import HistoryRules
from stratal.context.request import SystemBlock, ToolSpec
from stratal.context.sections import BLOCKS, Layout, Parts, Procedure
from stratal.context_parts import HistoryPart, ToolResultsPart, history_rules
from stratal.presets import PRESETS
from stratal.tokens.approximate import OctopusCounter, PicoclawCounter
from stratal.tokens.auto import auto_counter
from stratal.tokens.calibrated import CalibratedCounter, Calibration
from stratal_memory.recall.candidates import Block
from stratal_memory.records import Media, MediaKind, Message, Role, ToolCall
from tests.platform.context.making import Words, block

GIANT = 200_000  # characters
ENGLISH = "The invoice of 14 March (no. 20-417) is paid; please ask Ann about the oven. " * 2_700
CJK = "明日の会議は午後三時からです。配達は水曜日に届きます。" * 8_000
CODE = '{"id": "a91f0c", "path": "/srv/data/orders.csv", "rows": [1, 22, 333]}\n' * 3_000
ODD = "\u200b \U0001f9fe\U0001f600 \x00 </memories> [... shortened to 3 ...] \ud800 é " * 5_000
SOURCES = (ENGLISH, ENGLISH, CJK, CODE, ODD)
COUNTERS: tuple[Counter, ...] = (
    OctopusCounter(),
    PicoclawCounter(),
    CalibratedCounter(OctopusCounter(), Calibration(factor=1.31)),
    auto_counter("claude"),
    Words(),
)
PROVIDERS = ("anthropic", "bedrock", "openai", "azure", "openai-chat", "ollama", "gemini", "other")
TOOLS = (
    ToolSpec(name="look", description="Look something up", schema='{"type":"object"}'),
    ToolSpec(name="screenshot", description="Show the page", schema='{"type":"object"}'),
)
IMAGE = Media(kind=MediaKind.IMAGE, source="https://example.org/oven.png", width=640, height=480)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Under which settings a request is made."""

    provider: str
    budget: Budget
    counter: Counter
    layout: Layout
    rules: HistoryRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A model's tool calls, and what is stored after them: missing, doubled or foreign results."""

    asked: Message
    results: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn as it will go: settings and parts of its requests, and what is stored."""

    setup: Setup
    parts: Parts
    message: Message
    rounds: tuple[Round, ...]
    answer: Message | None  # None: it was cancelled
    overflows: bool  # the provider refuses the first request of the turn


def conversation(seed: int) -> Iterator[Said]:
    """The turns of one conversation, mostly few and at most 200; the same for the same seed."""
    random = Random(seed)
    setup, parts = _setup(random), _parts(random)
    for number in range(_turns(random)):
        if random.random() < 0.06:  # another model, other settings, sometimes both
            new = _setup(random)
            setup = random.choice((new, replace(setup, budget=new.budget), _half(setup, new)))
        if random.random() < 0.7:
            parts = replace(parts, blocks=_blocks(random), now=f"It is turn {number}.")
        yield _said(random, setup, parts, number=number)


def _half(old: Setup, new: Setup) -> Setup:
    return replace(old, counter=new.counter, layout=new.layout, rules=new.rules)


def _turns(random: Random) -> int:
    shares = ((0.40, 1, 3), (0.84, 4, 10), (0.98, 11, 25), (0.996, 26, 80), (1.0, 81, 200))
    place = random.random()
    return next(random.randint(least, most) for share, least, most in shares if place <= share)


def _said(random: Random, setup: Setup, parts: Parts, *, number: int) -> Said:
    rounds = random.choices((0, 1, 2, 5), weights=(55, 28, 14, 3))[0]
    made = tuple(_round(random, f"t{number}r{one}") for one in range(rounds))
    return Said(
        setup=setup,
        parts=parts,
        message=Message(
            role=Role.USER,
            text=text(random, giant=0.002) + "?",  # an empty one never becomes a turn
            id=f"u{number}",
            media=(IMAGE,) * random.randint(1, 3) if random.random() < 0.08 else (),
        ),
        rounds=made,
        answer=None
        if random.random() < 0.08
        else Message(role=Role.ASSISTANT, text=text(random, giant=0.001), id=f"a{number}"),
        overflows=random.random() < 0.02,
    )


def _round(random: Random, prefix: str) -> Round:
    calls = tuple(
        ToolCall(
            id=f"{prefix}c{number}",
            name=random.choice(TOOLS).name,
            arguments='{"q": "oven"}' if random.random() < 0.9 else text(random, giant=0),
        )
        for number in range(random.choices((1, 2, 3, 9), weights=(60, 25, 13, 2))[0])
    )
    said = text(random, giant=0) if random.random() < 0.3 else ""
    asked = Message(role=Role.ASSISTANT, text=said, tool_calls=calls, id=prefix)
    answered = [call.id for call in calls]
    if random.random() < 0.12:  # cancelled half-way, answered twice, in another order, unasked
        answered = random.choices([*answered, "unknown"], k=random.randint(0, len(calls) + 1))
    results = [
        Message(role=Role.TOOL, text=text(random, giant=0.03), tool_call_id=call, id=f"{prefix}{n}")
        for n, call in enumerate(answered)
    ]
    return Round(asked=asked, results=tuple(results))


def text(random: Random, *, giant: float) -> str:
    """A text of any length and script; giant ones with the probability given."""
    place = random.random()
    if place < giant:
        length = random.randint(GIANT // 10, GIANT)
    else:
        most = random.choices((0, 60, 400, 4_000), weights=(3, 45, 45, 7))[0]
        length = random.randint(0, most)
    source = random.choice(SOURCES)
    start = random.randint(0, max(0, len(source) - length))
    return source[start : start + length]


def _setup(random: Random) -> Setup:
    window = random.choices(
        (
            random.randint(300, 700),
            random.randint(700, 3_000),
            random.randint(3_000, 20_000),
            random.randint(20_000, 200_000),
        ),
        weights=(15, 35, 40, 10),
    )[0]
    budget = Budget(
        window=window,
        working_budget=random.choice((None, None, window * 3 // 4)),
        max_input=random.choice((None, None, None, window // 2)),
        output_reserve=max(1, window // random.choice((4, 8, 20))),
        min_history=random.choice((0, 100, 4_000)),
        compress_at=random.choice((1.0, 1.0, 0.7)),
        margin=random.choice((0.0, 0.01, 0.05)),
        overhead=random.choice((0, 0, 17)),
    )
    layout, rules = _rules(random, budget.effective)
    return Setup(
        provider=random.choice(PROVIDERS),
        budget=budget,
        counter=random.choices(COUNTERS, weights=(30, 25, 20, 15, 10))[0],
        layout=layout,
        rules=rules,
    )


def _rules(random: Random, window: int) -> tuple[Layout, HistoryRules]:
    """A preset's, or any."""
    if random.random() < 0.6:
        values = PRESETS[random.choice(tuple(PRESETS))]
        history = HistoryPart.model_validate(values.get("history", {}))
        results = ToolResultsPart.model_validate(values.get("tool_results", {}))
        layout = Layout(str(values.get("context", {}).get("layout", Layout.CACHE_FRIENDLY)))
        return layout, history_rules(history, results, window=window)
    rules = HistoryRules(
        results=ResultRules(
            limit=random.choice((None, 300, 2_000, 20_000)),
            age_after=random.choice((None, 0, 4, 10)),
            age_over=random.choice((100, 400, 4_000)),
            exempt=random.choice(((), ("screen",))),
            message_limit=random.choice((None, None, 3_000)),
            spill=random.choice(("", "results")),
        ),
        overflow=random.choice(tuple(Overflow)),
        share=random.choice((0.1, 0.3, 0.6)),
        sliding_turns=random.choice((None, None, 1, 5)),
        max_messages=random.choice((None, None, 3, 30)),
        min_turns=random.choice((0, 0, 3)),
        keep_last_user=random.random() < 0.3,
        age_every_turn=random.random() < 0.3,
    )
    return random.choice(tuple(Layout)), rules


def _parts(random: Random) -> Parts:
    procedure = Procedure(name="onboard", text="1. ask\n2. write\n3. send")
    return Parts(
        system=(SystemBlock(text="You are brief and kind."),),
        profile="name: Ann\nhome: Ghent" if random.random() < 0.5 else "",
        procedure=procedure if random.random() < 0.2 else None,
        tools=TOOLS,
        blocks=_blocks(random),
    )


def _blocks(random: Random) -> tuple[Block, ...]:
    """What is recalled: often nothing, sometimes more than its caps."""
    return tuple(
        block(name, *(f"{name} {n}: {ENGLISH[:size]}" for n in range(random.randint(1, 4))))
        for name in BLOCKS
        if random.random() < 0.35
        for size in (random.choice((20, 120, 700)),)
    )
