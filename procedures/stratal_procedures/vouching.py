"""Whether a turn can be learned from in which words of strangers stood outside of its messages."""

from collections.abc import Sequence

from stratal_procedures.episode import Episode
from stratal_procedures.provenance import told, traced


def doubt(one: Episode, *, theirs: Sequence[str], ours: Sequence[str]) -> str:
    """Why the turn may be the doing of the texts `theirs`; empty when it is not.

    No message holds them, so a draft could not tell their words later on. What the calls were given
    must therefore be known to come from somewhere else: the user said it, it stands in one of the
    texts `ours`, or it had been read by then, which is judged where a draft is made. And none of
    the tools may be one that they name and the user does not. Names are no values: those of a
    stranger's own tools and their arguments may stand in a draft, as short plain names.

    `one` is in its context, see `Past.in_context`.
    """
    for stage in one.stages:
        if told(stage.tool, said=one.said, read=theirs):
            return f"a stranger's words named {stage.tool} before it was called"
        for call in stage.calls:
            for given in call.arguments:
                read = one.read[: call.read]
                if not traced(given.value, said=one.said, read=read, ours=ours):
                    return f"nobody said the {given.name} of {stage.tool}, a stranger may have"
    return ""
