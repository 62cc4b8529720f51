from typer.core import TyperGroup

from scripts.make_cli_docs import TARGET, page
from stratal.cli.catalogue import PRINTED
from stratal.cli.root import COMMANDS, loaded


def test_the_page_of_the_command_line_is_current() -> None:
    assert TARGET.read_text(encoding="utf-8") == page(), "run scripts/make_cli_docs.py"


def test_every_command_has_a_documented_json_shape() -> None:
    named = set[str]()
    for name in COMMANDS:
        command = loaded(name)
        below = command.commands if isinstance(command, TyperGroup) else {}
        named.update(f"{name} {inner}" for inner in below)
        if not below:
            named.add(name)

    assert named == set(PRINTED)


def test_every_option_of_every_command_has_a_help_text() -> None:
    assert "|  |" not in page()
