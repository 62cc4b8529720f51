"""Files inside a document: each read by itself, all of them within what one document may cost."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from stratal_ingest.document import Enclosed, ReadDocument, clean
from stratal_ingest.errors import LimitExceeded
from stratal_ingest.limits import Limits
from stratal_ingest.outcome import outcome, refusal_of
from stratal_ingest.wire import Answer

_SHARE = 0.9  # of a document's seconds for the files in it; the rest is for answering
_MAX_NAME = 300  # characters

Work = Callable[[], ReadDocument]


class Apart(Protocol):
    """Runs works where they can harm nothing else."""

    @property
    def elsewhere(self) -> bool:
        """Whether what a work changes is changed in another process only."""
        ...

    def run(self, works: Sequence[Work], seconds: Callable[[], float]) -> Iterator[Answer]:
        """One answer for each work, in order; `seconds` says how long the next may take."""
        ...


ReadOne = Callable[[bytes, str, Sequence[str]], ReadDocument]
"""Reads bytes by their name, inside containers of these formats, outermost first."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """What is left for the files inside one document."""

    files: int
    bytes: int
    deadline: float  # on the monotonic clock

    @classmethod
    def of(cls, limits: Limits) -> "Budget":
        """All that `limits` allow to a document which is begun now."""
        deadline = time.monotonic() + _SHARE * limits.seconds
        return cls(files=limits.archive_entries, bytes=limits.archive_bytes, deadline=deadline)

    @property
    def seconds(self) -> float:
        """How long the next file may take: half of what is left, so that one can't take all."""
        return max(0.0, self.deadline - time.monotonic()) / 2

    def spend(self, file: Enclosed) -> None:
        """Take what `file` cost, which was read in another process, with all inside it."""
        files, size = _spent(file)
        self.files -= files
        self.bytes -= size


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Reads the files inside documents, theirs too, down to `limits.nested` containers."""

    read: ReadOne
    limits: Limits
    apart: Apart

    def whole(
        self, data: bytes, name: str, *, within: Sequence[str], budget: Budget
    ) -> ReadDocument:
        """The document in `data` and those inside it; raises only for the outermost."""
        document = self.read(data, name, within)
        inner = tuple(self._all(document.enclosed, (*within, document.format), budget))
        return replace(document, enclosed=inner)

    def _all(
        self, files: Sequence[Enclosed], within: Sequence[str], budget: Budget
    ) -> Iterator[Enclosed]:
        """The files read or refused; what is beyond the number allowed is one refusal."""
        here, beyond = files[: budget.files], files[budget.files :]
        works = [self._work(file, within, budget) for file in here if file.refusal is None]
        answers = self.apart.run(works, lambda: budget.seconds)
        for file in here:
            answer = Answer(refusal=file.refusal) if file.refusal else next(answers)
            read = Enclosed(
                name=_shown(file.name),
                size=len(file.data),
                document=answer.document,
                refusal=answer.refusal,
            )
            if self.apart.elsewhere or file.refusal:
                budget.spend(read)
            yield read
        if beyond:
            refusal = refusal_of(_too_much("too many files in one document"))
            yield Enclosed(name=f"{len(beyond):,} more files", refusal=refusal)

    def _work(self, file: Enclosed, within: Sequence[str], budget: Budget) -> Work:
        def work() -> ReadDocument:
            self._check(file, within, budget)
            budget.files -= 1
            budget.bytes -= len(file.data)
            return self.whole(file.data, file.name, within=within, budget=budget)

        return work

    def _check(self, file: Enclosed, within: Sequence[str], budget: Budget) -> None:
        """Raise `LimitExceeded` where `file` is more than may be read."""
        limits, size = self.limits, len(file.data)
        if len(within) > limits.nested:
            raise _too_much(f"it lies in more than {limits.nested} documents in each other")
        if size > limits.file_bytes:
            raise _too_much(f"it has {size:,} bytes, {limits.file_bytes:,} are allowed")
        if size > budget.bytes:
            raise _too_much(f"more than {limits.archive_bytes:,} bytes in one document")
        if budget.files <= 0:
            raise _too_much("too many files in one document")
        if budget.seconds <= 0:
            raise _too_much(f"no time was left of the {limits.seconds} seconds for all")


def _shown(name: str) -> str:
    """A name as it may be printed: one line, no control characters, not endless."""
    return " ".join(clean(name).split())[:_MAX_NAME] or "unnamed"


def _too_much(message: str) -> LimitExceeded:
    return LimitExceeded(message, hint="Take it out and ingest it by itself.")


def _spent(file: Enclosed) -> tuple[int, int]:
    """How many files and bytes were read for `file`, with all inside it."""
    inner = [_spent(one) for one in file.document.enclosed] if file.document else []
    return 1 + sum(files for files, _ in inner), file.size + sum(size for _, size in inner)


@dataclass(frozen=True, slots=True)
class InThisProcess:
    """Runs works right here: a crash or an endless loop is not held."""

    limits: Limits
    elsewhere = False

    def run(self, works: Sequence[Work], seconds: Callable[[], float]) -> Iterator[Answer]:
        """One answer for each work, in order."""
        return (outcome(work, self.limits) for work in works)
