"""After a turn a model reads what the rules may have missed; nobody waits for it."""

import logging

from stratal.conversation import Conversation
from stratal_memory.learning.gate import UNLEARNABLE
from stratal_memory.learning.model_reading import due, read_waiting

log = logging.getLogger(__name__)


def after_turn(desk: Conversation) -> None:
    """Begin to read the messages that wait, in the background, when it is worth a call.

    What fails leaves them waiting, with the reason among the events; a later turn or a
    consolidation reads them. One reading of an agent goes on at a time.
    """
    complete = desk.reader
    if complete is None or not due(desk.store):
        return

    def work() -> None:
        try:
            done = read_waiting(desk.store, complete, wanted=lambda: not desk.background.abandoned)
        except UNLEARNABLE as error:  # nobody waits for it; the next turn tries again
            log.warning("the messages of %s were not read: %s", desk.store.user, error)
            return
        if done.failure:
            log.warning("%d messages wait to be read: %s", done.pending, done.failure)

    desk.background.start("reading", work)
