"""What a parser process gives up before it touches hostile bytes.

Where the platform has no `resource` module (Windows) nothing is given up here, and a parser is
held by the limit on the clock alone, which its parent enforces.
"""

import contextlib
import ctypes
import sys

from stratal_ingest.limits import Limits

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000  # CLONE_NEWUSER, CLONE_NEWNET of linux/sched.h
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def _no_sockets(event: str, arguments: object) -> None:
    """An audit hook, which nothing can take away again: Python opens no socket, asks no DNS."""
    if event.startswith("socket."):
        raise PermissionError("a parser has no network")


if sys.platform == "win32":

    def confine(limits: Limits) -> None:
        """Take Python's sockets from this process; the platform has no limits to set."""
        sys.addaudithook(_no_sockets)

    def end_with_parent() -> None:
        """Nothing: there are no forks."""

    def limit_processor_time(seconds: int) -> None:
        """Nothing: this platform has no such limit."""

else:
    import resource
    import signal

    def confine(limits: Limits) -> None:
        """Lower this process's limits for good: memory, open files, no file grows, no network.

        A limit the platform refuses to set is left as it is (macOS knows no address space limit).
        """
        _lower(resource.RLIMIT_AS, limits.memory_bytes)
        _lower(resource.RLIMIT_FSIZE, 0)
        _lower(resource.RLIMIT_NOFILE, limits.open_files)
        _lower(resource.RLIMIT_CORE, 0)
        if sys.platform == "linux":
            # Containers often forbid it; then the hook is what holds.
            ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NET)
        sys.addaudithook(_no_sockets)

    def end_with_parent() -> None:
        """Let this fork be killed when the process that made it ends; Linux only."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)

    def limit_processor_time(seconds: int) -> None:
        """End this process (SIGXCPU) after `seconds` of processor time from its start."""
        # At the hard limit the signal is SIGKILL, which says less.
        _lower(resource.RLIMIT_CPU, seconds, hard=seconds + 1)

    def _lower(kind: int, value: int, *, hard: int | None = None) -> None:
        ceiling = value if hard is None else hard
        _, allowed = resource.getrlimit(kind)
        if allowed != resource.RLIM_INFINITY:
            value, ceiling = min(value, allowed), min(ceiling, allowed)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, ceiling))
