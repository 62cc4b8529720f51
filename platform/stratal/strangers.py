"""Tools of servers that nobody trusts: what they say of themselves, and what may come of it."""

from stratal.context.request import ToolSpec
from stratal.conversation import Conversation
from stratal_procedures import vouching
from stratal_procedures.episode import Episode
from stratal_procedures.past import Past


def doubt(desk: Conversation, done: Episode) -> str:
    """Why a turn may be the doing of what a stranger says of its tools; empty when it is not.

    It stands in every request of the turn and in no message of it.
    """
    strange = [one.spec for one in desk.remote if one.spec.name in desk.strangers]
    if not strange:
        return ""
    own = [one.spec for one in (*desk.tools, *desk.remote) if one.spec.name not in desk.strangers]
    return vouching.doubt(
        Past(desk.store).in_context(done),
        theirs=[text for spec in strange for text in _texts(spec)],
        ours=[text for spec in own for text in _texts(spec)],
    )


def _texts(spec: ToolSpec) -> tuple[str, str]:
    return (spec.description, spec.schema)
