"""kill -9 at every named point of every step, then one more call: the same final state."""

import json
import subprocess
import sys
from pathlib import Path

from tests.memory.consolidation.killing import POINTS

ROOT = Path(__file__).parents[3]


def test_a_run_killed_anywhere_ends_as_one_that_was_not(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.consolidation.killing", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2_000:]
    first, *found = [json.loads(line) for line in done.stdout.splitlines()]
    assert first["same"], "the undisturbed run changed something"
    assert [one["point"] for one in found] == list(POINTS)
    assert [one["point"] for one in found if not one["killed"]] == []
    assert [one["point"] for one in found if not one["same"]] == []
