"""What a request is made of besides history, and where each section stands in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from stratal.context.request import SystemBlock, ToolSpec
from stratal.errors import InvalidRequest
from stratal_memory.recall.candidates import Block, Candidate, Item
from stratal_memory.records import Memory, Message, Role


class Layout(StrEnum):
    """The order of the request."""

    CACHE_FRIENDLY = "cache_friendly"  # what changes every turn stands beside the message
    OCTOPUS = "octopus"  # O2: recall before history
    ZEUS = "zeus"  # Z9, Zs1: recall at the end of the system prompt
    PICOCLAW = "picoclaw"  # Ps8: recall, time and summary in the one system prompt


# Picoclaw marks its summary as approximate, so that instructions win over it (Ps7).
SUMMARY_HEAD = "[Summary of the earlier conversation: approximate, for reference only]"
BLOCKS = ("memories", "knowledge", "episodes")  # the names recall may use, in reading order

# What follows the static prompt inside the system prompt, where a layout puts it there.
# Zs1: Time, Skills, Profile, Memories, Resources; what it has no name for stands beside its like.
ZEUS_ORDER = ("now", "procedure", "profile", "memories", "episodes", "knowledge")
# Ps8: static, dynamic (time), summary; memory is part of the static one there.
PICOCLAW_ORDER = ("profile", "procedure", "memories", "knowledge", "episodes", "now", "summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """The matched procedure, as its steps are written."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that may stand in a request besides history and the message.

    `rejected` are candidates that recall left out already; the ledger shows them.
    """

    system: tuple[SystemBlock, ...]  # the static prompt; marks are set by the layout
    profile: str = ""
    summary: str = ""
    procedure: Procedure | None = None
    blocks: tuple[Block, ...] = ()
    rejected: tuple[Candidate, ...] = ()
    now: str = ""  # a line that says what time it is
    tools: tuple[ToolSpec, ...] = ()

    def __post_init__(self) -> None:
        names = [block.name for block in self.blocks]
        for name in names:
            if name not in BLOCKS or names.count(name) > 1:
                raise InvalidRequest(
                    f"recalled blocks are named {', '.join(names)}",
                    hint=f"At most one block each of {', '.join(BLOCKS)}.",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One message or system block, and the sections its text is joined of, in order."""

    message: Message
    pieces: tuple[tuple[str, str], ...]  # (section, text)
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where the sections stand: as system blocks, before history, directly before the message."""

    system: tuple[Placed, ...]
    before: tuple[Placed, ...]
    beside: tuple[Placed, ...]

    def all(self) -> tuple[Placed, ...]:
        """Every placed section in the order of the request."""
        return (*self.system, *self.before, *self.beside)


def block_of(parts: Parts, name: str) -> Block | None:
    """The recalled block of that name."""
    return next((block for block in parts.blocks if block.name == name), None)


def block_text(parts: Parts, name: str, layout: Layout) -> str:
    """The recalled block of that name as `layout` writes it; empty without items."""
    block = block_of(parts, name)
    if block is None or not block.items:
        return ""
    if layout == Layout.OCTOPUS and name == "knowledge":
        return _octopus_block("[Retrieved Knowledge]", _knowledge(parts))
    if layout == Layout.OCTOPUS and name == "episodes":
        return _octopus_block("[Past Conversation Context]", _episodes(parts))
    return block.render(block.items)


def place(parts: Parts, layout: Layout) -> Placement:
    """The sections of `parts` in the order of `layout`; empty ones take no place."""
    if layout == Layout.OCTOPUS:
        return _octopus(parts)
    if layout == Layout.ZEUS:
        return _in_system(parts, ZEUS_ORDER)
    if layout == Layout.PICOCLAW:
        return _in_system(parts, PICOCLAW_ORDER)
    return _cache_friendly(parts)


def texts(parts: Parts, layout: Layout) -> dict[str, str]:
    """The text of each section that is not empty, as `layout` writes it."""
    found: dict[str, str] = {}
    for placed in place(parts, layout).all():
        for name, text in placed.pieces:
            found[name] = f"{found[name]}\n\n{text}" if name in found else text
    return found


def _cache_friendly(parts: Parts) -> Placement:
    """Tools, system, profile | summary, history | recall beside the message.

    The summary is a context message, not a system block: it was made from what users and tools
    said and must not speak with the system's authority. It changes only when history is
    compressed, and then everything behind it changes anyhow.
    """
    recall = _procedure(parts)
    for name in BLOCKS:
        if text := block_text(parts, name, Layout.CACHE_FRIENDLY):
            recall.append((name, text))
    if parts.now:
        recall.append(("now", parts.now))
    return Placement(
        system=_static(parts),
        before=_contexts([("summary", _summary(parts))]),
        beside=(_joined(recall),) if recall else (),
    )


def _octopus(parts: Parts) -> Placement:
    """O2: system, procedure, knowledge, episodes, history, message.

    What Octopus has no place for stands where its document leaves room: profile and time end the
    system prompt, memories follow the episodes, the summary begins the history (Os3).
    """
    volatile = [("now", parts.now)] if parts.now else []
    system = tuple(_system(name, text) for name, text in (*volatile, *_procedure(parts)))
    recall = ("knowledge", "episodes", "memories")
    before = [(name, block_text(parts, name, Layout.OCTOPUS)) for name in recall]
    before.append(("summary", _summary(parts)))
    return Placement(system=_static(parts) + system, before=_contexts(before), beside=())


def _in_system(parts: Parts, order: Sequence[str]) -> Placement:
    """Everything in the system prompt, in `order` after its static part; the rest before history.

    Only the static part can be cached: what follows changes from message to message.
    """
    written = dict(_procedure(parts))
    written |= {"now": parts.now, "profile": parts.profile, "summary": _summary(parts)}
    for name in BLOCKS:
        written[name] = block_text(parts, name, Layout.ZEUS)
    volatile = tuple(_system(name, written[name]) for name in order if written.get(name))
    rest = [("summary", written["summary"])] if "summary" not in order else []
    return Placement(system=_prompt(parts) + volatile, before=_contexts(rest), beside=())


def _static(parts: Parts) -> tuple[Placed, ...]:
    """The prompt and the profile; a cache mark ends each of the two."""
    profile = (_system("profile", parts.profile, cached=True),) if parts.profile else ()
    return _prompt(parts) + profile


def _prompt(parts: Parts) -> tuple[Placed, ...]:
    blocks = [block.text for block in parts.system if block.text.strip()]
    return tuple(
        _system("system", text, cached=number == len(blocks))
        for number, text in enumerate(blocks, 1)
    )


def _system(name: str, text: str, *, cached: bool = False) -> Placed:
    message = Message(role=Role.SYSTEM, text=text)
    return Placed(message=message, pieces=((name, text),), cached=cached)


def _contexts(sections: Sequence[tuple[str, str]]) -> tuple[Placed, ...]:
    return tuple(_joined([section]) for section in sections if section[1])


def _joined(pieces: list[tuple[str, str]]) -> Placed:
    text = "\n\n".join(text for _, text in pieces)
    return Placed(message=Message(role=Role.CONTEXT, text=text), pieces=tuple(pieces))


def _procedure(parts: Parts) -> list[tuple[str, str]]:
    """O3: the head names it, the steps follow."""
    if parts.procedure is None:
        return []
    return [("procedure", f"[Procedure: {parts.procedure.name}]\n{parts.procedure.text}")]


def _summary(parts: Parts) -> str:
    return f"{SUMMARY_HEAD}\n{parts.summary}" if parts.summary else ""


def _octopus_block(head: str, items: Sequence[str]) -> str:
    return "\n".join((head, *items)) if items else ""


def _knowledge(parts: Parts) -> list[str]:
    """O4: source, then the text of the chunk."""
    return [f"Source: {memory.source}\n{memory.text}" for memory in _memories(parts, "knowledge")]


def _episodes(parts: Parts) -> list[str]:
    """O5: one line each, beginning with its day."""
    return [
        f"{memory.valid_from.date().isoformat()}: {' '.join(memory.text.split())}"
        for memory in _memories(parts, "episodes")
    ]


def _memories(parts: Parts, name: str) -> list[Memory]:
    block = block_of(parts, name)
    items: tuple[Item, ...] = block.items if block else ()
    return [item.candidate.memory for item in items]
