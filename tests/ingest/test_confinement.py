import subprocess
import sys
from pathlib import Path

import pytest

import stratal_ingest
from stratal_ingest.limits import MIB

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux's")

# `-I` finds what is installed; these tests are about what lies beside them.
CONFINED = f"""
import sys
sys.path.insert(0, {str(Path(stratal_ingest.__file__).parents[1])!r})
from stratal_ingest.confinement import confine
from stratal_ingest.limits import Limits
confine(Limits(memory_bytes={200 * MIB}))
"""


def confined(code: str) -> str:
    """The name of the error `code` ends with in a confined process."""
    script = (
        f"{CONFINED}\ntry:\n    {code}\nexcept BaseException as e:\n    print(type(e).__name__)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    return done.stdout.strip()


def test_a_confined_process_writes_no_byte_to_any_file() -> None:
    assert confined("open('/tmp/x', 'w', buffering=1).write('a' + chr(10))") == "OSError"


def test_a_confined_process_gets_no_more_memory_than_it_may() -> None:
    assert confined(f"bytearray({300 * MIB})") == "MemoryError"


def test_a_confined_process_opens_no_more_files_than_it_may() -> None:
    assert confined("[open('/dev/null') for _ in range(100)]") == "OSError"


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_a_confined_process_opens_no_socket_and_asks_for_no_name(code: str) -> None:
    assert confined(code) == "PermissionError"
