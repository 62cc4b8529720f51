"""What holds for every test: no network but the loopback, and hypothesis without deadlines."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "stratal", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("stratal")

# Alembic runs these with names of its own; they hold no doctests.
collect_ignore_glob = ["memory/stratal_memory/truth/migrations/*"]

OURS = ("STRATAL_", "ANTHROPIC_", "OPENAI_", "AZURE_OPENAI_", "OLLAMA_")
OCTOS = (
    "TOOL_RESULT_LIMIT",
    "SUMMARIZATION_TRIGGER_FRACTION",
    "SUMMARIZATION_TRIGGER_TOKENS",
    "SUMMARIZATION_KEEP_TOKENS",
    "SUPERVISOR_MSG_CHAR_LIMIT",
)
# pytest-xdist tells its workers a width, which the command line would take for a terminal's.
os.environ.pop("COLUMNS", None)
LOOPBACK = ("127.", "localhost", "::1")


class NetworkRefused(OSError):
    """A test tried to leave this machine."""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets connect to the loopback only: patched, because any library may open one."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family != socket.AF_UNIX and not str(host).startswith(LOOPBACK):
            raise NetworkRefused(f"tests stay on this machine, not {address!r}")
        return connect(self, address)  # type: ignore[arg-type]  # what socket takes, unnarrowed

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A developer's own keys, settings and data never reach a test."""
    for name in os.environ:
        if name.startswith(OURS) or name in OCTOS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes are named by their argument: archives hold the time, and every worker makes its own."""
    return argname if isinstance(val, bytes) else None
