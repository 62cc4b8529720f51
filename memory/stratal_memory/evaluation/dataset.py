"""Conversations and the questions asked about them, as JSON lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stratal_memory.errors import InputError

Row = TypeVar("Row", bound=BaseModel)
_UNDATED = datetime(2000, 1, 1, tzinfo=UTC)


class TurnRow(BaseModel):
    """One thing said: a line of `turns.jsonl`."""

    model_config = ConfigDict(frozen=True)

    conv_id: str
    session_id: str
    turn_id: str
    speaker: str
    text: str = ""
    session_idx: int = 0
    timestamp: str | None = None
    caption: str | None = None  # of the picture that was sent along
    role: str = ""

    @property
    def at(self) -> datetime:
        """When it was said, in UTC where no zone is given; the year 2000 when nobody knows."""
        if not self.timestamp:
            return _UNDATED
        said = datetime.fromisoformat(self.timestamp)
        return said if said.tzinfo else said.replace(tzinfo=UTC)


class Replaced(BaseModel):
    """Which evidence of a question was true first, and which replaced it."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    original_info: tuple[str, ...] = ()
    updated_info: tuple[str, ...] = ()


class QuestionRow(BaseModel):
    """One question: a line of `questions.jsonl`."""

    model_config = ConfigDict(frozen=True)

    qid: str
    conv_id: str
    question: str
    category: str = ""
    evidence: tuple[str, ...] = ()  # the turns that hold the answer
    answerable: bool = True
    evidence_roles: Replaced = Field(default_factory=Replaced)


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said in one conversation, in order, and what is asked about it."""

    id: str
    turns: tuple[TurnRow, ...]
    questions: tuple[QuestionRow, ...]

    def sessions(self) -> list[tuple[TurnRow, ...]]:
        """The turns of each session, in the order the sessions began."""
        parted: dict[str, list[TurnRow]] = {}
        for turn in self.turns:
            parted.setdefault(turn.session_id, []).append(turn)
        return [tuple(turns) for turns in parted.values()]


def load(turns: Path, questions: Path) -> list[Conversation]:
    """The conversations of two files of JSON lines, in the order they appear.

    Raises `InputError` with file and line when a line is not what it should be, and when there
    is no turn or no question.
    """
    said: dict[str, list[TurnRow]] = {}
    for turn in _rows(turns, TurnRow):
        said.setdefault(turn.conv_id, []).append(turn)
    asked: dict[str, list[QuestionRow]] = {}
    for question in _rows(questions, QuestionRow):
        asked.setdefault(question.conv_id, []).append(question)
    if not set(said) & set(asked):
        raise InputError(
            f"{questions} asks about no conversation of {turns}",
            hint="Give TURNS first, then QUESTIONS; both name their conversation in conv_id.",
        )
    return [Conversation(id, tuple(rows), tuple(asked.get(id, ()))) for id, rows in said.items()]


def _rows(path: Path, kind: type[Row]) -> Iterator[Row]:
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError as error:
        raise InputError(
            f"{path} can't be read: {error.strerror}", hint="Give a file of JSON lines."
        ) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield kind.model_validate_json(line.encode("utf-8", "replace"))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise InputError(
                f"{path}, line {number}: {where or 'the line'}: {first['msg']}",
                hint="See `stratal eval retrieval --help` for the fields.",
            ) from error
