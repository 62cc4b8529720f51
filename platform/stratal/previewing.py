"""Steps 2 to 7 for a message that is not said: what would be sent."""

from stratal import compaction
from stratal.assembling import assembled, recalled_for
from stratal.context.assembler import Assembled
from stratal.context.validator import validate
from stratal.conversation import Conversation
from stratal.prompting import standing
from stratal_memory.learning.redaction import redact
from stratal_memory.records import Message, Role
from stratal_memory.text import storable


def preview(desk: Conversation, text: str) -> Assembled:
    """The request that `text` would make, with the cut where it would go; nothing is stored."""
    message = Message(role=Role.USER, text=redact(storable(text)).text)
    found = recalled_for(desk, message.text, nonce="preview")
    parts = standing(desk, message.text, found, keep=False).parts
    made = assembled(desk, parts, message)
    if made.moved is not None:
        ahead = compaction.planned(desk, made.moved)
        made = assembled(desk, parts, message, cut=ahead.cut)
    validate(made.request, provider=desk.provider.name)
    return made
