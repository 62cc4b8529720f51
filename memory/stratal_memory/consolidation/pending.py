"""What a crash or a missing model left undone is taken up: not part of what undo takes back."""

from stratal_memory.consolidation.night import Asking
from stratal_memory.consolidation.report import Step
from stratal_memory.embedding.backlog import embed_backlog
from stratal_memory.learning.gate import catch_up
from stratal_memory.learning.model_reading import read_waiting
from stratal_memory.store import Store

NAME = "pending"


def catch_up_with(store: Store, asking: Asking) -> Step:
    """Messages that were never taken in, those that wait for a model, and what lacks a vector.

    Each is committed by itself and is never done twice. What the model learns now is as if it had
    been learned in the conversation: `memory undo` takes it back one by one.
    """
    taken = catch_up(store, waits=asking.model is not None)
    read, note = _read(store, asking) if asking.model is not None else (0, "")
    embedded = embed_backlog(store)
    return Step(
        name=NAME,
        looked_at=taken + read + embedded,
        changed=taken + read,
        how="model" if read else "rules",
        note=note,
    )


def _read(store: Store, asking: Asking) -> tuple[int, str]:
    reading = read_waiting(store, asking.ask)
    note = f"{reading.pending} messages wait: {reading.failure}" if reading.pending else ""
    return reading.read, note
