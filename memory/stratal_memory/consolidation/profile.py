"""The profile is filled anew from the facts that people stated themselves."""

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.tiers.profile import SLOTS, Profile
from stratal_memory.truth.journal import Journal


def plan(night: Night) -> Plan:
    """One item: the lines belong together, and one that says what its facts say stays."""

    def do(journal: Journal) -> list[Change]:
        return [
            Change(
                step="profile",
                action="replaced" if change.before else "added",
                before=change.before,
                after=change.after,
                reason=f"slot {change.slot}",
            )
            for change in Profile(night.store).rebuild(journal)
        ]

    return Plan(items=[Item(do)], looked_at=len(SLOTS))
