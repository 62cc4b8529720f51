"""Where the log of an invocation goes: a file in the data directory, never the screen."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from stratal.cli.options import Common

FILE_NAME = "stratal.log"
LARGEST = 1_000_000  # bytes, then the file is put aside; two old ones are kept
FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class LogFile(logging.Handler):
    """Writes warnings and errors to `logs/stratal.log` once it is known where the data lies."""

    def __init__(self, common: Common) -> None:
        super().__init__(logging.WARNING)
        self._common = common
        self._file: RotatingFileHandler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """One record; without a data directory there is nowhere to keep it."""
        if self._file is None and self._common.data is not None:
            self._file = _opened(self._common.data / "logs")
        if self._file is not None:
            self._file.emit(record)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
        super().close()


def _opened(folder: Path) -> RotatingFileHandler | None:
    """The file in `folder`; None where nothing can be written, as on a full disk."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / FILE_NAME
        path.touch(mode=0o600)
        file = RotatingFileHandler(path, maxBytes=LARGEST, backupCount=2, encoding="utf-8")
    except OSError:
        return None
    file.setFormatter(logging.Formatter(FORMAT))
    return file
