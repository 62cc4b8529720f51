"""Small histories, memories and counters, so that the numbers in a test can be checked by eye."""

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.context.sections import Parts, Procedure
from stratal_memory.recall.candidates import Block, Candidate, Item, Verdict
from stratal_memory.recall.candidates import Parts as ScoreParts
from stratal_memory.records import (
    Form,
    Kind,
    Memory,
    Message,
    Role,
    Scope,
    ScopeKind,
    Status,
    ToolCall,
    Trust,
)

DAY = datetime(2025, 3, 14, tzinfo=UTC)


class Words:
    """One token a word, and nothing else."""

    name = "words"
    exact = True

    def count(self, text: str) -> int:
        return len(text.split())

    def count_messages(self, messages: Sequence[Message]) -> int:
        return sum(
            self.count(message.text) + len(message.tool_calls) + len(message.media)
            for message in messages
        )

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        return sum(self.count(tool.description) for tool in tools)


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def assistant(text: str, *calls: str) -> Message:
    return Message(
        role=Role.ASSISTANT,
        text=text,
        tool_calls=tuple(ToolCall(id=call, name="look", arguments="{}") for call in calls),
    )


def tool(text: str, call: str) -> Message:
    return Message(role=Role.TOOL, text=text, tool_call_id=call)


def candidate(id: str, text: str, *, score: float = 0.5, form: Form = Form.FACT) -> Candidate:
    memory = Memory(
        id=id,
        key=id,
        text=text,
        kind=Kind.SEMANTIC,
        form=form,
        scope=Scope(ScopeKind.USER, "alice"),
        trust=Trust.USER,
        status=Status.ACTIVE,
        confidence=0.9,
        source=f"source of {id}",
        recorded_at=DAY,
        valid_from=DAY,
    )
    parts = ScoreParts(similarity=score, confidence=0.9, scope=0.6)
    return Candidate(
        memory=memory, parts=parts, score=score, verdict=Verdict.IN, reason=f"rank of {id}"
    )


def block(name: str, *texts: str) -> Block:
    """A block whose items are worse one by one: `knowledge1`, `knowledge2`, ..."""
    items = tuple(
        Item(candidate=candidate(f"{name}{number}", text, score=1 - number / 100), text=text)
        for number, text in enumerate(texts, 1)
    )
    return Block(name=name, head=f"<{name}>", items=items, tail=f"</{name}>")


BARE = Parts(system=(SystemBlock(text="you are brief"),))  # three words, nothing else


def everything() -> Parts:
    """Parts with every section filled."""
    return Parts(
        system=(SystemBlock(text="you are brief"),),
        profile="name: Alice\nhome: Ghent",
        summary="they spoke of leave",
        procedure=Procedure(name="onboard", text="1 ask\n2 write"),
        blocks=(
            block("memories", "likes tea", "has a cat"),
            block("knowledge", "leave is thirty days", "the office opens at nine"),
            block("episodes", "asked about leave", "asked about the office"),
        ),
        rejected=(candidate("far", "plays chess", score=0.1).out("below the gate (0.10 < 0.30)"),),
        now="today is Friday",
        tools=(ToolSpec(name="look", description="look it up", schema="{}"),),
    )


def spoken(request: Request) -> list[tuple[str, str]]:
    """Role and text of everything that is sent, in order."""
    system = [("system", one.text) for one in request.system]
    return system + [(message.role.value, message.text) for message in request.messages]


WORDS = st.integers(0, 30).map(lambda n: " ".join(["word"] * n))
SOME_WORDS = st.integers(1, 30).map(lambda n: " ".join(["word"] * n))


@st.composite
def rounds(draw: st.DrawFn, *, prefix: str) -> list[Message]:
    """Tool rounds of one turn, some of them interrupted or answered twice."""
    made: list[Message] = []
    for number in range(draw(st.integers(0, 3))):
        calls = [f"{prefix}r{number}c{call}" for call in range(draw(st.integers(1, 3)))]
        made.append(assistant(draw(WORDS), *calls))
        answered = draw(st.lists(st.sampled_from([*calls, "unknown"]), max_size=4))
        made += [tool(draw(WORDS), call) for call in answered]
    return made


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Histories as crashes leave them: turns with or without an end, a beginning cut off."""
    made: list[Message] = draw(rounds(prefix="lost"))
    for number in range(draw(st.integers(0, 5))):
        made.append(user(draw(WORDS)))
        made += draw(rounds(prefix=f"t{number}"))
        if draw(st.booleans()):
            made.append(assistant(draw(WORDS)))
    return made


@st.composite
def some_parts(draw: st.DrawFn) -> Parts:
    """Parts with any of the sections missing."""
    whole = everything()
    blocks = tuple(
        block(name, *draw(st.lists(SOME_WORDS, max_size=4)))
        for name in draw(st.permutations(["memories", "knowledge", "episodes"]))
    )
    return Parts(
        system=(SystemBlock(text=draw(SOME_WORDS)),),
        profile=draw(WORDS),
        summary=draw(WORDS),
        procedure=draw(st.sampled_from([None, whole.procedure])),
        blocks=blocks,
        rejected=whole.rejected,
        now=draw(WORDS),
        tools=draw(st.sampled_from([(), whole.tools])),
    )
