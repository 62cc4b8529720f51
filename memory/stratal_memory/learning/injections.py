"""What was put before the model in a conversation, found by what a sentence shares with it.

The answers are those of `injected`, which compares with every text; here only the few texts are
compared that can be meant, so that a message of a long conversation costs what one of a short
conversation does.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock

from stratal_memory.learning.injected import RESTATES, VERBATIM, restates, shingles

SESSIONS = 4  # conversations whose texts are kept at once; the least recently used goes


@dataclass(frozen=True, slots=True)
class Injected:
    """A text that was put before the model: a memory, or with no id a prompt of ours."""

    text: str
    memory: str = ""


class Injections:
    """The texts of one conversation in the order they were added; what comes first wins a tie."""

    def __init__(self, texts: Iterable[Injected] = ()) -> None:
        self._all: list[Injected] = []
        self._by_run: dict[int, list[int]] = {}  # by hash: two runs of one only cost a look
        self._by_head: dict[str, set[str]] = {}  # texts that count verbatim, by their beginning
        for one in texts:
            self.add(one)

    def add(self, one: Injected) -> None:
        """Count a text in."""
        for run in map(hash, shingles(one.text)):
            if run in self._by_run:
                self._by_run[run].append(len(self._all))
            else:
                self._by_run[run] = [len(self._all)]
        self._all.append(one)
        if len(one.text.strip()) >= VERBATIM:
            self._by_head.setdefault(one.text[:VERBATIM], set()).add(one.text)

    def restated(self, sentence: str) -> Injected | None:
        """The text that `sentence` repeats, as `injected.restates` says, or None.

        Of ten runs of words at most one may be missing in the text, so one of any two stands in
        it: the rarest are looked up.
        """
        runs = shingles(sentence)
        missing = int(len(runs) * (1 - RESTATES) + 1e-9)
        stands = sorted((self._by_run.get(hash(run), []) for run in runs), key=len)
        meant = {place for found in stands[: missing + 1] for place in found}
        places = sorted(meant, key=self._turn)
        found = restates(sentence, [self._all[place].text for place in places])
        return None if found is None else self._all[places[found]]

    def _turn(self, place: int) -> tuple[bool, int]:
        """Memories come before prompts of ours."""
        return (not self._all[place].memory, place)

    def verbatim(self, text: str) -> list[str]:
        """The texts that may stand word for word in `text`: those whose beginning stands there."""
        if not self._by_head:
            return []
        starts = {text[at : at + VERBATIM] for at in range(len(text) - VERBATIM + 1)}
        heads = starts & self._by_head.keys()
        return [known for head in sorted(heads) for known in sorted(self._by_head[head])]


@dataclass(slots=True)
class _Conversation:
    ids: frozenset[str]
    texts: Injections


class Recollected:
    """The injections of the latest conversations, kept between their messages."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, tuple[str, ...]], _Conversation] = OrderedDict()
        self._lock = Lock()

    def of(
        self,
        session: str,
        ids: frozenset[str],
        *,
        ours: tuple[str, ...],
        load: Callable[[frozenset[str]], Iterable[Injected]],
    ) -> Injections:
        """What was put before the model in `session`: the memories `ids`, then `ours`.

        `load` is asked for the texts of memories that are not known yet; when one of the known
        is gone, for those of all.
        """
        with self._lock:
            known = self._kept.pop((session, ours), None)
            if known is None or not known.ids <= ids:  # one was erased: begin anew
                known = _Conversation(frozenset(), Injections(Injected(text) for text in ours))
            if fresh := ids - known.ids:
                for one in load(fresh):
                    known.texts.add(one)
            known.ids = ids
            self._kept[session, ours] = known
            while len(self._kept) > SESSIONS:
                self._kept.popitem(last=False)
            return known.texts
