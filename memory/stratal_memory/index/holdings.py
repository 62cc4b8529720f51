"""The scopes that one process keeps in memory, the latest used ones up to a number of bytes."""

import threading
from collections import OrderedDict
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine

from stratal_memory.index.held import Held
from stratal_memory.index.sight import Sight
from stratal_memory.records import Scope
from stratal_memory.truth import sqlite, views
from stratal_memory.truth.access import Reach
from stratal_memory.truth.database import Database
from stratal_memory.truth.sqlite import Stamp

MOST = 256 * 1024 * 1024  # bytes kept by one process of one data directory
LARGEST = 150_000  # memories of one scope; larger ones are searched in SQL and through the index
Key = tuple[Scope, str, int]  # scope, agent, generation

_of: WeakKeyDictionary[Engine, "Holdings"] = WeakKeyDictionary()
_guard = threading.Lock()


class Holdings:
    """The scopes in memory; every store of a process shares them."""

    def __init__(self, *, most: int = MOST, largest: int = LARGEST) -> None:
        self._most, self._largest = most, largest
        self._held: OrderedDict[Key, Held] = OrderedDict()
        self._lock = threading.Lock()
        self._grown = False  # since the bytes were last counted

    @classmethod
    def of(cls, database: Database) -> "Holdings":
        """Those of an open data directory."""
        with _guard:
            return _of.setdefault(database.engine, cls())

    @property
    def nbytes(self) -> int:
        """About how many bytes are kept."""
        return sum(held.nbytes for held in self._held.values())

    @property
    def scopes(self) -> list[Scope]:
        """The scopes that are kept, the one not used longest first."""
        return [scope for scope, _, _ in self._held]

    def sight(self, connection: Connection, reach: Reach, *, generation: int) -> Sight | None:
        """Everything within `reach` as of this snapshot; None when a scope is too large to keep."""
        now = sqlite.stamp(connection)
        agent = reach.principal.agent
        with self._lock:
            found: list[Held] = []
            for scope in reach.scopes:
                one = self._one(connection, (scope, agent, generation), now)
                if one is None:
                    return None
                found.append(one)
            if self._grown:
                self._let_go()
            return Sight(found, self._lock, now)

    def _one(self, connection: Connection, key: Key, now: Stamp) -> Held | None:
        held = self._held.get(key)
        self._grown = self._grown or held is None or now > held.stamp
        if held is None or not held.follows(connection, now):
            scope, agent, generation = key
            if views.size(connection, scope) > self._largest:
                self._held.pop(key, None)
                return None
            held = self._held[key] = Held(connection, scope, agent, generation)
        self._held.move_to_end(key)
        return held

    def _let_go(self) -> None:
        """Forget what was not used longest; one scope stays whatever it takes."""
        total = self.nbytes
        while len(self._held) > 1 and total > self._most:
            _, gone = self._held.popitem(last=False)
            total -= gone.nbytes
        self._grown = False
