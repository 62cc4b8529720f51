"""Ledgers for tests: any, a small one, and those of a conversation that grows."""

from dataclasses import replace
from datetime import UTC

from hypothesis import strategies as st

from stratal.context.canonical import request_digest
from stratal.context.ledger import Considered, Ledger, LeftOut, Line, Section
from stratal.context.request import ToolSpec
from stratal.context.usage import Band
from stratal_memory.recall.candidates import Parts, Verdict
from stratal_memory.records import Media, Role, ToolCall

# Every Unicode string, lone surrogates and NUL included, short and long.
CHARACTERS = st.characters(exclude_categories=())
TEXT = st.text(CHARACTERS, max_size=8) | st.text(CHARACTERS, min_size=60, max_size=70)
TOKENS = st.integers(0, 10**6)
SHARE = st.floats(0, 1)
LINES = st.builds(
    Line,
    role=st.sampled_from(Role),
    text=TEXT,
    tokens=TOKENS,
    cached=st.booleans(),
    id=TEXT,
    tool_calls=st.lists(st.builds(ToolCall, id=TEXT, name=TEXT, arguments=TEXT), max_size=2).map(
        tuple
    ),
    tool_call_id=TEXT,
    tool_failed=st.booleans(),
    reasoning=TEXT,
    opaque=TEXT,
    media=st.lists(st.builds(Media, source=TEXT, width=TOKENS), max_size=2).map(tuple),
    created=st.none() | st.datetimes(timezones=st.just(UTC)),
)
CANDIDATES = st.builds(
    Considered,
    memory=TEXT,
    kind=TEXT,
    tokens=TOKENS,
    score=SHARE,
    parts=st.builds(Parts, similarity=SHARE, confidence=SHARE, scope=SHARE),
    verdict=st.sampled_from(Verdict),
    reason=TEXT,
    text=TEXT,
    source=TEXT,
    form=TEXT,
    date=TEXT,
)
LEDGERS = st.builds(
    Ledger,
    window=TOKENS,
    used=TOKENS,
    reserve=TOKENS,
    band=st.sampled_from(Band),
    sections=st.lists(
        st.builds(Section, name=TEXT, asked=TOKENS, granted=TOKENS, cap=st.none() | TOKENS),
        max_size=2,
    ).map(tuple),
    candidates=st.lists(CANDIDATES, max_size=2).map(tuple),
    messages=st.lists(LINES, max_size=3).map(tuple),
    left_out=st.lists(st.builds(LeftOut, what=TEXT, tokens=TOKENS, reason=TEXT), max_size=2).map(
        tuple
    ),
    tools=st.lists(st.builds(ToolSpec, name=TEXT, description=TEXT, schema=TEXT), max_size=2).map(
        tuple
    ),
    model=TEXT,
    counter=TEXT,
    exact=st.booleans(),
    context_as_system=st.booleans(),
    system_joined=st.booleans(),
    cached_tools=st.booleans(),
    cache_ttl=st.sampled_from(["5m", "1h"]),
    cache_key=TEXT,
    compress_at=TOKENS,
    summarize_at=TOKENS,
    margin=TOKENS,
    request_digest=TEXT,
)


def line(role: Role, text: str, *, tokens: int = 1, cached: bool = False, id: str = "") -> Line:
    return Line(role=role, text=text, tokens=tokens, cached=cached, id=id)


def a_ledger(*, model: str = "m", messages: tuple[Line, ...] = ()) -> Ledger:
    """A window of 60 with 30 used: 10 for the system prompt, 20 of 40 for history."""
    return Ledger(
        window=60,
        used=30,
        reserve=6,
        band=Band.GOOD,
        sections=(
            Section(name="system", asked=10, granted=10),
            Section(name="history", asked=40, granted=20),
        ),
        candidates=(),
        messages=messages,
        left_out=(),
        tools=(),
        model=model,
        counter="words",
        exact=True,
    )


def considered(number: int) -> Considered:
    parts = Parts(similarity=0.5 + number / 700, confidence=0.9, scope=0.6)
    return Considered(
        memory=f"mem_{number:024}",
        kind="semantic",
        tokens=20,
        score=0.4 + number / 900,
        parts=parts,
        verdict=Verdict.IN if number < 5 else Verdict.OUT,
        reason="relevant" if number < 5 else f"below the gate (0.{number:02} < 0.30)",
        text=f"remembered {number} " * 10,
        source="conversation",
        form="fact",
        date="2025-03-14",
    )


def turn(number: int) -> tuple[Line, ...]:
    return (
        line(Role.USER, f"question {number} " * 20, tokens=57 + number % 7, id=f"msg_{number:024}"),
        line(Role.ASSISTANT, f"answer {number} " * 40, tokens=110, id=f"msg_a{number:023}"),
    )


def talked(turns: int, *, first: int = 0) -> Ledger:
    """The ledger of a conversation's turn number `turns`, whose history begins at `first`."""
    history = tuple(one for number in range(first, turns) for one in turn(number))
    last = line(Role.USER, f"question {turns} " * 20, tokens=58, id=f"msg_{turns:024}")
    recall = line(Role.CONTEXT, f"recalled for {turns} " * 20, tokens=80)
    system = line(Role.SYSTEM, "you are brief " * 50, tokens=150, cached=True)
    made = replace(
        a_ledger(messages=(system, *history, recall, last)),
        candidates=tuple(considered((turns * 3 + number) % 60) for number in range(1, 11)),
        tools=(ToolSpec(name="look", description="the tool that looks", schema="{}" * 50),),
        cache_key="session",
    )
    ordered = sorted(made.candidates, key=lambda one: one.memory)
    made = replace(made, candidates=tuple(ordered))
    return replace(made, request_digest=request_digest(made.request()), sections=made.sections)
