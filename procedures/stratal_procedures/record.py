"""What a stored procedure did so far, and how it stands beside its other versions."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.store import Store
from stratal_memory.truth import practised
from stratal_memory.truth.practised import Outcome, Used
from stratal_memory.truth.procedures import IN_USE, State, StoredProcedure
from stratal_procedures.scoring import Score, needed, score

REPLACED = "replaced"  # how a version stands that a newer one is to take the place of


@dataclass(frozen=True, slots=True, kw_only=True)
class Practised:
    """The uses of one version since a person last approved it."""

    uses: int  # those whose end is not known too
    score: Score
    needed: int  # known uses that prove it, if all further ones are good


def practised_by(store: Store, one: StoredProcedure) -> Practised:
    """What that version did; nothing for one that was never approved."""
    with store.read() as connection:
        found = counted(one, practised.outcomes_of(connection, one.key))
    so_far = score(found)
    return Practised(uses=len(found), score=so_far, needed=needed(so_far))


def counted(one: StoredProcedure, used: Sequence[Used]) -> list[Outcome]:
    """The outcomes that count for a version: its own, since a person last approved it."""
    since = one.approved_at
    return [
        use.outcome
        for use in used
        if use.version == one.version and (since is None or use.at >= since)
    ]


def standing(one: StoredProcedure, every: Sequence[StoredProcedure]) -> str:
    """The state of a current version among `every` current one, as people are told it.

    One that waits or failed is `replaced` once there is a newer one that nobody rejected.
    """
    newer = [
        other
        for other in every
        if other.key == one.key
        and other.version > one.version
        and other.state is not State.REJECTED
    ]
    told = one.state not in (*IN_USE, State.REJECTED) and newer
    return REPLACED if told else one.state
