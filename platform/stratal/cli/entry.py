"""The way in and out: every error ends as a sentence, a hint and an exit code."""

import atexit
import gc
import json
import logging
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import typer

from stratal.cli.logs import LogFile
from stratal.cli.options import Common
from stratal.cli.root import root
from stratal.cli.streams import printable, tolerate_unprintable
from stratal.errors import StratalError

FAILED, USAGE, INTERRUPTED = 1, 2, 130
NAME = "stratal"
# What is left at the end goes with the process; looking through it once more is half of the time a
# short command takes to end.
atexit.register(gc.freeze)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one invocation: 0 done, 1 failed, 2 usage, 3 partly, 130 interrupted."""
    args = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    common = Common(json="--json" in args[: args.index("--") if "--" in args else None])
    tolerate_unprintable()
    if args == ["--version"]:
        sys.stdout.write(f"stratal {version(NAME)}\n")
        return 0
    log = LogFile(common)  # a traceback is for nobody's screen
    logging.getLogger().addHandler(log)
    try:
        return _run(args, common)
    finally:
        logging.getLogger().removeHandler(log)
        log.close()


def _run(args: Sequence[str], common: Common) -> int:
    try:
        code = root().main(args, prog_name=NAME, standalone_mode=False, obj=common)
    except StratalError as error:
        return _failed(error, common)
    except typer.TyperException as error:
        return _usage(error, common)
    except typer.Abort:
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the edge: no traceback reaches a person
        return _crashed(error, common)
    if code == INTERRUPTED:
        _complain("interrupted")
    return code if isinstance(code, int) else 0


def _failed(error: StratalError, common: Common) -> int:
    details = {name: value for name, value in vars(error).items() if name != "hint"}
    _report(common, type(error).__name__, str(error), error.hint, details)
    return FAILED


def _usage(error: typer.TyperException, common: Common) -> int:
    where = getattr(getattr(error, "ctx", None), "command_path", NAME)
    _report(common, "UsageError", error.format_message(), f"{where} --help shows what it takes.")
    return USAGE


def _crashed(error: Exception, common: Common) -> int:
    log = _write_down(error, common)
    _report(
        common,
        type(error).__name__,
        f"something went wrong that should not: {str(error) or type(error).__name__}",
        f"This is a bug in Stratal; what to send with a report is in {log}",
        {"log": str(log)},
    )
    return FAILED


def _write_down(error: Exception, common: Common) -> Path:
    """The file with the traceback: in the data directory, or where files go when that fails."""
    name = f"crash-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.log"
    text = "".join(traceback.format_exception(error))
    for folder in (common.data and common.data / "logs", Path(tempfile.gettempdir())):
        try:
            if folder:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                path = folder / name
                path.touch(mode=0o600)
                path.write_text(text, encoding="utf-8", errors="backslashreplace")
                return path
        except (OSError, ValueError):
            continue
    return Path(os.devnull)


def _report(
    common: Common, type: str, message: str, hint: str, details: dict[str, object] | None = None
) -> None:
    if common.json:
        body = {"type": type, "message": message, "hint": hint, "details": details or {}}
        sys.stdout.write(json.dumps({"error": body}, indent=2, default=str) + "\n")
        return
    _complain(f"error: {message}")
    if hint:
        _complain(f"hint: {hint}")


def _complain(line: str) -> None:
    sys.stderr.write(f"{printable(line)}\n")
