import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stratal.cli.root import COMMANDS, Entry
from stratal_memory.learning.gate import Decision
from tests.platform.cli.running import Run

HEAVY = (
    *("chromadb", "torch", "sentence_transformers", "anthropic", "openai", "onnxruntime"),
    *("tokenizers", "tiktoken", "apscheduler", "sqlalchemy", "numpy"),
)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "broken", Entry("tests.platform.cli.broken", "Fail.", "command"))


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys; from stratal.cli import main; main(['--help']); "
        f"print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_help_names_every_command(stratal: Run) -> None:
    ran = stratal("--help")

    assert ran.code == 0
    assert all(name in ran.out for name in COMMANDS)


def test_without_arguments_help_is_shown(stratal: Run) -> None:
    assert stratal() == stratal("--help")


def test_a_mistyped_command_is_a_usage_error_with_the_near_name(stratal: Run) -> None:
    ran = stratal("memroy", "list")

    assert ran.code == 2
    assert "'memory'" in ran.err
    assert "hint: stratal --help" in ran.err


def test_a_usage_error_is_json_when_json_was_asked_for(stratal: Run) -> None:
    ran = stratal("memory", "show", "--json")

    assert ran.code == 2
    assert ran.json["error"]["type"] == "UsageError"
    assert ran.json["error"]["hint"] == "stratal memory show --help shows what it takes."


def test_an_error_is_a_sentence_and_a_hint(stratal: Run) -> None:
    ran = stratal("memory", "show", "mem_0")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines() == [
        "error: no memory 'mem_0' here",
        "hint: `stratal memory list` shows what there is.",
    ]


def test_an_error_is_json_when_json_was_asked_for(stratal: Run) -> None:
    ran = stratal("memory", "show", "mem_0", "--json")

    assert (ran.code, ran.err) == (1, "")
    assert ran.json == {
        "error": {
            "type": "NotFound",
            "message": "no memory 'mem_0' here",
            "hint": "`stratal memory list` shows what there is.",
            "details": {},
        }
    }


def test_the_word_json_behind_a_double_dash_is_no_option(stratal: Run) -> None:
    ran = stratal("memory", "show", "--", "--json")

    assert ran.err.startswith("error: no memory '--json' here")


@pytest.mark.usefixtures("broken")
def test_a_bug_is_written_down_and_never_shown(stratal: Run, tmp_path: Path) -> None:
    ran = stratal("broken", "crash")

    [log] = (tmp_path / "data" / "logs").iterdir()
    assert ran.code == 1
    assert "Traceback" not in ran.err + ran.out
    assert str(log) in ran.err
    assert "RuntimeError: a bug" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("broken")
def test_a_bug_is_written_down_elsewhere_when_the_data_directory_can_not_be_used(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "file").write_text("")

    ran = stratal("broken", "crash", "--data", str(tmp_path / "file"), "--json")

    assert ran.code == 1
    assert Path(ran.json["error"]["details"]["log"]).parent == tmp_path


@pytest.mark.parametrize("data", ["a\0b", "file"])
def test_a_data_directory_that_can_not_be_one_is_an_error(
    stratal: Run, tmp_path: Path, data: str
) -> None:
    (tmp_path / "file").write_text("")

    ran = stratal("memory", "list", "--data", data)

    assert ran.code in (1, 2)
    assert ran.err.startswith("error: ")
    assert "should not" not in ran.err


@pytest.mark.usefixtures("broken")
def test_an_interrupt_ends_with_one_line_and_code_130(stratal: Run) -> None:
    ran = stratal("broken", "interrupt")

    assert (ran.code, ran.out, ran.err) == (130, "", "interrupted\n")


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    script = (
        "import os, sys; r, w = os.pipe(); os.close(r); os.dup2(w, 1); "
        "from stratal.cli import main; sys.exit(main(['models', 'list', '--json']))"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )

    assert "Traceback" not in done.stderr


def _heeding_interrupts() -> None:
    """A shell starts what it puts into the background with interrupts ignored, for good."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 0, "")],
)
def test_a_served_schedule_ends_on_a_signal(
    tmp_path: Path, number: int, code: int, said: str
) -> None:
    command = [sys.executable, "-c", "import sys; from stratal.cli import main; sys.exit(main())"]
    serving = [*command, "jobs", "serve", "--data", str(tmp_path / "data")]

    with subprocess.Popen(
        serving,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=_heeding_interrupts,
    ) as served:
        assert served.stderr is not None
        assert served.stderr.readline().startswith("next: ")
        served.send_signal(number)
        rest = served.stderr.read()

    assert (served.returncode, rest) == (code, said)


def test_a_model_that_can_not_be_fetched_is_an_error_with_the_other_ways(tmp_path: Path) -> None:
    script = "import sys; from stratal.cli import main; sys.exit(main(['models', 'pull']))"
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_DATA_HOME": str(tmp_path)}

    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=offline,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "should not" not in done.stderr


def test_bytes_that_are_no_utf8_are_answered_not_crashed_on(stratal: Run) -> None:
    ran = stratal("memory", "show", "\udcff\udcfe")

    assert ran.code == 1
    assert ran.err.startswith("error: no memory")


def test_an_escape_sequence_in_an_argument_does_not_reach_the_terminal(stratal: Run) -> None:
    stratal("memory", "add", "red \x1b[31m alert")

    assert "\x1b" not in stratal("memory", "list").out


def test_what_is_logged_goes_to_a_file_and_not_to_the_screen(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*args: object, **options: object) -> list[Decision]:
        raise RuntimeError("the model gave up")

    monkeypatch.setattr("stratal.turn.take_in", failing)  # no input makes an embedder fail

    done = stratal("chat", "-m", "I live in Graz.", "--user", "alice")

    log = tmp_path / "data" / "logs" / "stratal.log"
    assert done.code == 0
    assert "Traceback" not in done.err
    assert "it could not be taken into memory yet: the model gave up" in done.out + done.err
    assert "could not be taken in: the model gave up" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
