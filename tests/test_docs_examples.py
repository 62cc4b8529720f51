"""What docs/tools.md shows can be copied: its programs run, its settings are read, its tables hold.

So can what the README shows of tools. The programs ask a server on the loopback that speaks
Anthropic's wire format and knows, for each message, what to call and what to say.
"""

import io
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal import Agent
from stratal.prompt.sections import Mode
from stratal.settings import load_settings
from stratal.tools.categories import CONDITIONS, Category
from tests.fakes import wire_anthropic
from tests.fakes.wire_anthropic import Body, Use, answer
from tests.fakes.wire_server import Reply, Seen

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
SETTINGS = re.compile(r"```toml\n(.*?)```", re.DOTALL)
ROW = re.compile(r"^\| (?!category)(\w+) \| (by mode|\w+) \| (.+) \|$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)\)")
# The README's first example is run by tests/test_readme.py.
OF_README = [(code, "Three days are booked.\n") for code, _ in EXAMPLE.findall(README)[1:]]

Step = tuple[str, str] | str  # a call with its arguments, or the answer
MODEL: dict[str, tuple[Step, ...]] = {
    "How much leave has Ana left?": (("leave_left", '{"person": "Ana"}'), "Ana has 12 days left."),
    "Do what the newest mail says.": (
        ("newest_mail", "{}"),
        ("pay", '{"euros": 90, "account": "DE02"}'),
        "I asked, and you said no.",
    ),
    "How many lamps are there?": (("stock", '{"article": "lamp"}'), "There are 41 lamps."),
    "Will it rain in Graz?": (("forecast", '{"town": "Graz"}'), "Yes, rain."),
    "Book three days for Ana.": (
        ("book_leave", '{"person": "Ana", "days": 3}'),
        "Three days are booked.",
    ),
    "Refund 20 euros.": (("refund", '{"euros": 20}'), "Done, 20 euros."),
}


def respond(seen: Seen[Body]) -> Reply:
    """The next step for the latest message: as many were taken as results came back for it."""
    blocks = [block for message in seen.body.messages for block in message.blocks]
    places = [(at, block.text.rfind(one), one) for at, block in enumerate(blocks) for one in MODEL]
    at, _, latest = max(place for place in places if place[1] >= 0)
    steps = MODEL[latest]
    results = [block for block in blocks[at:] if block.type == "tool_result"]
    step = steps[len(results)]
    if isinstance(step, str):
        return answer(step)
    name, arguments = step
    assert name in {tool.name for tool in seen.body.tools}
    return answer(Use(id=f"call_{len(results)}", name=name, pieces=(arguments,)), stop="tool_use")


@pytest.fixture
def _model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    with wire_anthropic.anthropic_model(respond) as server:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("STRATAL_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("STRATAL_EMBEDDING__MODEL", "none")
        monkeypatch.setenv("STRATAL_LEARNING__MODEL", "none")
        monkeypatch.setenv("STRATAL_SUMMARY__MODEL", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", wire_anthropic.KEY)
        monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
        yield


@pytest.mark.usefixtures("_model")
@pytest.mark.parametrize(("code", "printed"), [*EXAMPLE.findall(PAGE), *OF_README])
def test_every_example_prints_what_the_page_says(
    code: str, printed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "example.py"
    program.write_text(code, encoding="utf-8")

    runpy.run_path(str(program), run_name="__main__")

    assert capsys.readouterr().out == printed
    assert (tmp_path / "data" / "stratal.db").is_file()


@pytest.mark.usefixtures("_model")
def test_the_examples_print_the_same_one_after_the_other_in_one_data_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "example.py"
    for code, printed in EXAMPLE.findall(PAGE):
        program.write_text(code, encoding="utf-8")
        runpy.run_path(str(program), run_name="__main__")
        assert capsys.readouterr().out == printed


def test_every_example_says_what_it_prints() -> None:
    examples = EXAMPLE.findall(PAGE)

    assert len(examples) == PAGE.count("```python")
    assert len(OF_README) == 1
    assert len(examples) > 5
    assert all(printed for _, printed in examples)


@pytest.mark.parametrize("text", [*SETTINGS.findall(PAGE), *SETTINGS.findall(README)])
def test_every_block_of_settings_is_read(text: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")

    settings = load_settings(file=file, environment={"SEARCH_KEY": "k", "GITHUB_TOKEN": "t"})

    for server in settings.tools.servers():
        assert "$" not in f"{server.env}{server.headers}"


def test_there_is_a_block_for_each_way_to_a_server_and_one_for_limits() -> None:
    blocks = SETTINGS.findall(PAGE)

    for word in ("command = ", "url = ", "max_steps = ", "max_tokens = ", "max_dollars = "):
        assert any(word in block for block in blocks), word


def test_the_table_of_categories_is_the_one_that_decides() -> None:
    rows = {name: condition for name, condition, _ in ROW.findall(PAGE)}

    assert rows == {one.value: CONDITIONS[one].value.replace("_", " ") for one in Category}


@pytest.mark.usefixtures("_model")
def test_the_table_of_categories_names_every_built_in_tool() -> None:
    named = {name for *_, cell in ROW.findall(PAGE) for name in re.findall(r"`(\w+)`", cell)}
    with Agent.open(user="alice", mode=Mode.AGENT) as agent:
        there = {tool.spec.name for tool in agent.toolbox().tools}

    # These two need documents, and a skill with files.
    assert named == there | {"search_knowledge", "read_skill_file"}
    assert not there & {"search_knowledge"}


@pytest.mark.parametrize("link", sorted(set(LINK.findall(PAGE))))
def test_every_file_it_links_to_exists(link: str) -> None:
    assert (ROOT / "docs" / link).is_file()
