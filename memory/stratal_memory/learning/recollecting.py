"""What was put before the model in a conversation, and what a message says without it."""

import re
from dataclasses import replace

from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.injections import Injected, Injections
from stratal_memory.recall.recalled import memories_of, recalled_before
from stratal_memory.records import Form, Message, Role, Session, Trust
from stratal_memory.store import Store

_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+|[^.!?\n]+$")


def injections_of(store: Store, session: Session) -> Injections:
    """What was recalled in the session so far, and our own prompts.

    The user's own words are not among them: to say something again is to confirm it.
    """

    def load(ids: frozenset[str]) -> list[Injected]:
        return [
            Injected(memory.text, memory.id)
            for memory in memories_of(store, ids)
            if memory.form is not Form.EPISODE
            and (memory.form is not Form.MESSAGE or memory.trust is not Trust.USER)
        ]

    ids = recalled_before(store, session.id)
    return store.recollected.of(session.id, ids, ours=store.gate.system_text, load=load)


def without_injected(message: Message, injected: Injections) -> Message:
    """The message without our fences, an answer also without each sentence that was recalled."""
    if message.role is not Role.ASSISTANT:
        text = strip_injected(message.text)
    else:
        text = strip_injected(message.text, injected.verbatim(message.text))
        kept = [part for part in _SENTENCE.findall(text) if injected.restated(part) is None]
        text = "".join(kept)
    return message if text == message.text else replace(message, text=text)
