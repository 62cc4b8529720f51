"""Whether a skill may be used: by where it lies, and by what a person said of its bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stratal_memory.errors import InputError
from stratal_memory.store import Store
from stratal_memory.truth import approvals
from stratal_memory.truth.approvals import Decision, Verdict
from stratal_procedures.bundle import Bundle, read_bundle

MAX_NOTE = 2_000  # characters


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a user said so far, newest first; nothing by default."""

    said: Sequence[Decision] = ()

    def of_bytes(self, digest: str) -> Decision | None:
        """The last word on exactly these bytes, wherever they lay."""
        return next((one for one in self.said if one.digest == digest), None)

    def of_folder(self, folder: Path) -> Decision | None:
        """The last word on the skill that lies there, whatever its bytes were."""
        place = str(folder.absolute())
        return next((one for one in self.said if one.folder == place), None)

    def approved_before(self, folder: Path) -> bool:
        """Whether what lies there was ever approved."""
        place = str(folder.absolute())
        return any(one.folder == place and one.verdict is Verdict.APPROVED for one in self.said)


def decisions_of(store: Store) -> Decisions:
    """All that the store's user said of skills."""
    with store.read() as connection:
        return Decisions(tuple(approvals.of_user(connection, store.user)))


def revision(store: Store) -> int:
    """A number that grows with every decision of the store's user."""
    with store.read() as connection:
        return approvals.revision(connection, store.user)


def approve(store: Store, shown: Bundle, *, note: str = "") -> Decision:
    """The decision that exactly what was `shown` may be used, as it is kept.

    Raises `InputError` when other bytes lie there by now, `SkillError` when it can't be read.
    """
    check_same(shown.folder, shown.digest)
    return _decide(store, shown, Verdict.APPROVED, note)


def reject(store: Store, shown: Bundle, *, note: str = "") -> Decision:
    """The decision that these bytes are not used, as it is kept."""
    return _decide(store, shown, Verdict.REJECTED, note)


def check_same(folder: Path, digest: str) -> Bundle:
    """What lies in `folder` now; raises `InputError` unless `digest` stands for it."""
    now = read_bundle(folder)
    if now.digest != digest:
        raise InputError(
            f"{folder} holds the bytes {now.digest[:12]} now, not {digest[:12]!r}",
            hint="Read it again: stratal skills show NAME. Only what was shown is approved.",
        )
    return now


def _decide(store: Store, shown: Bundle, verdict: Verdict, note: str) -> Decision:
    if len(note) > MAX_NOTE:
        raise InputError(
            f"the note has {len(note):,} characters, {MAX_NOTE:,} are allowed",
            hint="Keep it to the reason.",
        )
    decision = Decision(
        name=shown.skill().name,
        folder=str(shown.folder.absolute()),
        digest=shown.digest,
        verdict=verdict,
        note=note,
        by=store.user,
    )
    with store.write() as journal:
        return approvals.record(journal.connection, decision, user=store.user, at=journal.at)
