"""The end of what a child process writes to its standard error, for when it dies."""

import os
from collections import deque
from threading import Thread
from typing import TextIO

KEPT = 2_000  # characters
PIECE = 4_096  # bytes read at a time
PATIENCE = 0.5  # seconds for the last of it, once the process is dead


class LastWords:
    """A stream for a child's standard error that never fills and shows nothing on the terminal.

    Open `stream` to the child, then call `started`.
    """

    def __init__(self) -> None:
        self._reading, writing = os.pipe()
        self.stream: TextIO = os.fdopen(writing, "w")
        self._pieces: deque[str] = deque(maxlen=KEPT)
        self._thread = Thread(target=self._listen, name="stratal-mcp-stderr", daemon=True)
        self._thread.start()

    def started(self) -> None:
        """The child holds the other end alone, or there is none; safe to call again."""
        self.stream.close()

    def said(self) -> str:
        """The last characters, all of them where the process is dead."""
        self.started()
        self._thread.join(PATIENCE)
        return "".join(self._pieces)

    def _listen(self) -> None:
        with os.fdopen(self._reading, "rb", buffering=0) as stream:
            while piece := stream.read(PIECE):
                self._pieces.extend(piece.decode("utf-8", "replace"))
