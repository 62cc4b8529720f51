"""What a command loads: a short one must not pay for what it does not use."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from stratal_memory.embedding.discovery import packaged_model

# Each costs a quarter of a second or more, or opens connections.
NEVER = (
    "chromadb",
    "alembic",
    "anthropic",
    "openai",
    "tiktoken",
    "apscheduler",
    "huggingface_hub",
    "httpx",
    "requests",
    "torch",
    "sentence_transformers",
    "sqlalchemy.dialects.postgresql",
)
ENGINES = ("onnxruntime", "tokenizers")
LIBRARIES = ("numpy", "sqlalchemy", "pydantic_settings", "snowballstemmer", "yaml")

RUN = """
import json, socket, sys

def refuse(*ignored, **also):
    raise AssertionError("a host was about to be contacted")

socket.socket.connect = socket.getaddrinfo = refuse
from stratal.cli.entry import main
code = main(json.loads(sys.argv[1]))
print(json.dumps({"code": code, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


def loaded(arguments: Sequence[str], *, data: Path, model: str = "hash:64") -> set[str]:
    """The modules a command has loaded at its end; it reached nobody over the network."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("STRATAL_")
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(["--data", str(data), *arguments])],
        env=environment | {"STRATAL_EMBEDDING__MODEL": model},
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["code"] == 0, done.stderr
    return set(told["modules"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a memory in it: creating one is another matter."""
    loaded(["memory", "add", "The spare key is under the blue pot."], data=tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--help"], (*NEVER, *ENGINES, *LIBRARIES)),
        (["models", "list"], (*NEVER, *ENGINES)),
        (["memory", "search", "where is the key"], (*NEVER, *ENGINES)),
        (["memory", "list"], (*NEVER, *ENGINES)),
        (["session", "list"], (*NEVER, *ENGINES)),
        (["config", "show"], (*NEVER, *ENGINES)),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_a_short_command_loads_nothing_it_does_not_use(
    data: Path, arguments: list[str], absent: tuple[str, ...]
) -> None:
    assert loaded(arguments, data=data).intersection(absent) == set()


@pytest.mark.skipif(packaged_model() is None, reason="needs the embedding model")
def test_a_search_by_meaning_loads_the_engine_and_no_index(data: Path) -> None:
    modules = loaded(["memory", "search", "where is the key"], data=data, model="")

    assert set(ENGINES) <= modules
    assert modules.intersection(NEVER) == set()
