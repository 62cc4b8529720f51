"""Tool calls put together from the pieces in which Chat Completions servers send them."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from stratal_memory.records import ToolCall, new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPiece:
    """One piece of a call; `index`, `id`, `name` and arguments may each be missing.

    `whole` holds arguments that came as an object instead of text.
    """

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""
    whole: Mapping[object, object] | None = None


@dataclass(slots=True, kw_only=True)
class _Call:
    index: int | None
    id: str
    name: str
    arguments: str

    @property
    def complete(self) -> bool:
        """Whether the arguments are a whole JSON value already."""
        try:
            json.loads(self.arguments)
        except (ValueError, RecursionError):
            return False
        return True


@dataclass(slots=True)
class PartialCalls:
    """The calls of one answer so far, in the order in which they began."""

    _calls: list[_Call] = field(default_factory=list)

    def add(self, piece: CallPiece) -> None:
        """Keeps `piece`: it continues a call, or begins one.

        OpenAI numbers the calls and names each once. Other servers leave the number out, give all
        calls the number 0, repeat the name with every piece, or make up an id for every piece.
        """
        call = self._continued(piece)
        if call is None:
            call = _Call(index=piece.index, id=piece.id, name=piece.name, arguments="")
            self._calls.append(call)
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        if piece.whole is not None:
            call.arguments = json.dumps(piece.whole, ensure_ascii=False)
        else:
            call.arguments += piece.arguments

    def finished(self, taken: Collection[str]) -> tuple[ToolCall, ...]:
        """The calls; an id that is missing, double or among those `taken` before is made anew.

        Results are paired by id, so two calls of a conversation must never share one.
        """
        used = set(taken)
        calls: list[ToolCall] = []
        for call in self._calls:
            id = call.id if call.id and call.id not in used else new_id("call")
            used.add(id)
            calls.append(ToolCall(id=id, name=call.name, arguments=call.arguments or "{}"))
        return tuple(calls)

    def _continued(self, piece: CallPiece) -> _Call | None:
        """The call that `piece` goes on with, or None when it begins another."""
        known = self._placed(piece)
        if known is None or not piece.name:
            return known
        if piece.id and known.id:
            return known if piece.id == known.id else None
        more = bool(piece.arguments) or piece.whole is not None or piece.name != known.name
        return None if more and known.complete else known

    def _placed(self, piece: CallPiece) -> _Call | None:
        """The newest call with the piece's number; without a number by id, else the newest."""
        for call in reversed(self._calls):
            if piece.index is not None:
                if call.index == piece.index:
                    return call
            elif not piece.id or piece.id == call.id or not piece.name:
                return call
        return None
