"""One call of a tool as the tool may see it, and what running it may do to the world."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a call does that a second one, or one at the wrong time, would do again."""

    NONE = "none"  # it only looks
    LOCAL = "local"  # it changes what lies in the data directory, where it can be taken back
    OUTSIDE = "outside"  # it changes the world: sends, orders, pays, or may do so


def never() -> bool:
    """False: nobody cancels."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One call. A tool's function gets it by a parameter of this type, which no model sees.

    `idempotency_key` is the same when the same call is made again after a crash: give it to
    services that know such keys. `cancelled` turns true when nobody waits for the result any
    more: a long tool asks it now and then and stops. `approved` says that a person has said yes
    to exactly this call.
    """

    id: str = ""
    idempotency_key: str = ""
    cancelled: Callable[[], bool] = never
    approved: bool = False
