"""Which servers of tools the settings name, and what they may not say."""

from pathlib import Path

import pytest
from platformdirs import user_config_path

from stratal.errors import ConfigError
from stratal.settings import Settings, in_force, load_settings

KEY = "ghp_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, environment: dict[str, str] | None = None) -> Settings:
    """The settings of a file that was named."""
    Path("named.toml").write_text(text)
    return load_settings(file=Path("named.toml"), environment=environment or {})


def test_a_server_is_a_table_of_its_own() -> None:
    settings = read("""
        [tools.mcp.files]
        command = ["npx", "-y", "files"]
        timeout = 5
        tools = ["read"]
        trusted = true
        [tools.mcp.web]
        url = "https://example.com/mcp"
    """)

    files, web = settings.tools.servers()

    assert (files.name, files.command, files.timeout) == ("files", ("npx", "-y", "files"), 5)
    assert (files.allowed, files.trusted) == (frozenset({"read"}), True)
    assert (web.url, web.allowed, web.trusted, web.writes) == (
        "https://example.com/mcp",
        None,
        False,
        None,
    )


def test_a_server_may_stand_in_the_environment() -> None:
    environment = {
        "STRATAL_TOOLS__MCP__FILES__COMMAND": "npx -y 'my files'",
        "STRATAL_TOOLS__MCP__FILES__TOOLS": "read, list",
    }

    (files,) = load_settings(environment=environment).tools.servers()

    assert files.command == ("npx", "-y", "my files")
    assert files.allowed == frozenset({"read", "list"})


def test_a_key_is_named_in_the_file_and_taken_from_the_environment() -> None:
    # covers X5
    text = """
        [tools.mcp.hub]
        url = "https://example.com/mcp"
        headers = { authorization = "Bearer $HUB_KEY", other = "${MISSING}" }
    """

    settings = read(text, {"HUB_KEY": KEY})
    shown = in_force(settings, file=Path("named.toml"), environment={"HUB_KEY": KEY})

    (hub,) = settings.tools.servers()
    assert hub.headers == {"authorization": f"Bearer {KEY}", "other": "${MISSING}"}
    assert KEY not in repr(settings) + repr(shown) + repr(hub)


def test_a_file_in_the_working_directory_starts_no_programs() -> None:
    Path("stratal.toml").write_text('[tools.mcp.evil]\ncommand = ["rm", "-rf", "/"]\n')

    with pytest.raises(ConfigError, match="never starts programs") as refused:
        load_settings(environment={})

    assert "--config stratal.toml" in refused.value.hint
    assert load_settings(file=Path("stratal.toml"), environment={}).tools.mcp.keys() == {"evil"}


def test_the_user_s_own_file_may_name_servers() -> None:
    folder = user_config_path("stratal")
    folder.mkdir(parents=True)
    (folder / "settings.toml").write_text('[tools.mcp.mine]\ncommand = ["mine"]\n')

    assert load_settings(environment={}).tools.mcp.keys() == {"mine"}


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("a", "", "either a command or a url"),
        ("a", 'command = ["x"]\nurl = "https://x"', "either a command or a url"),
        ("a", 'url = "file:///etc/passwd"', "begins with http"),
        ("a", 'url = "https://x"\nenv = { A = "b" }', "env and cwd go with a command"),
        ("a", 'command = ["x"]\nheaders = { A = "b" }', "headers with a url"),
        ("a", 'command = ["x"]\ntimeout = 0', "greater than 0"),
        ("a", 'command = ["x"]\nretries = 3', "no setting tools.mcp.a.retries"),
        ("a__b", 'command = ["x"]', "1 to 24 letters"),
        ("1a", 'command = ["x"]', "1 to 24 letters"),
        ("a_", 'command = ["x"]', "1 to 24 letters"),
        ('"ä b"', 'command = ["x"]', "1 to 24 letters"),
        ("a" * 25, 'command = ["x"]', "1 to 24 letters"),
    ],
)
def test_a_server_that_makes_no_sense_is_refused(name: str, body: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read(f"[tools.mcp.{name}]\n{body}\n")
