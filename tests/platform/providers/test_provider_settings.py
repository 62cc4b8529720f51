"""From the environment and the files to what a provider is opened with."""

from pathlib import Path

import pytest

from stratal.errors import ConfigError
from stratal.settings import in_force, load_settings

KEY = "not-of-a-known-shape-CANARY-4711"


def test_the_names_other_programs_use_are_read() -> None:
    keys = load_settings(
        environment={
            "OPENAI_CHAT_API_KEY": KEY,
            "AZURE_OPENAI_API_KEY": f"{KEY}-azure",
            "AZURE_OPENAI_ENDPOINT": "https://name.openai.azure.com",
            "OPENAI_API_VERSION": "2024-10-21",
            "OLLAMA_HOST": "box:8080",
            "STRATAL_PROVIDERS__OPENAI_CHAT_URL": "http://localhost:8000/v1",
            "STRATAL_CONTEXT__WINDOW": "8192",
        }
    ).keys()

    assert keys.openai_chat is not None
    assert keys.azure is not None
    secrets = (keys.openai_chat.get_secret_value(), keys.azure.get_secret_value())
    assert secrets == (KEY, f"{KEY}-azure")
    assert (keys.azure_endpoint, keys.azure_api_version) == (
        "https://name.openai.azure.com",
        "2024-10-21",
    )
    assert (keys.ollama_url, keys.openai_chat_url) == ("box:8080", "http://localhost:8000/v1")
    assert keys.window == 8_192


def test_our_own_name_goes_before_the_one_of_others() -> None:
    settings = load_settings(
        environment={"STRATAL_PROVIDERS__OLLAMA_URL": "http://a", "OLLAMA_HOST": "b"}
    )

    assert settings.providers.ollama_url == "http://a"


def test_nothing_set_is_nothing_given() -> None:
    keys = load_settings(environment={}).keys()

    assert (keys.openai_chat, keys.azure, keys.ollama_url, keys.window) == (None,) * 4
    assert keys.azure_deployments == {}


def test_deployments_stand_in_a_file_as_a_table_and_in_the_environment_as_pairs(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[providers.azure_deployments]\nProd-EU = "gpt-4o"\n')

    written = load_settings(file=file, environment={})
    given = load_settings(
        environment={"STRATAL_PROVIDERS__AZURE_DEPLOYMENTS": " Prod-EU = gpt-4o, small=o3,"}
    )

    assert written.keys().azure_deployments == {"Prod-EU": "gpt-4o"}
    assert given.keys().azure_deployments == {"Prod-EU": "gpt-4o", "small": "o3"}


@pytest.mark.parametrize("pairs", ["prod", "prod=", "=gpt-4o", "prod=gpt-4o,small"])
def test_a_pair_without_a_half_is_an_error(pairs: str) -> None:
    with pytest.raises(ConfigError, match=r"providers\.azure_deployments in the environment"):
        load_settings(environment={"STRATAL_PROVIDERS__AZURE_DEPLOYMENTS": pairs})


def test_the_origin_of_a_deployment_is_where_its_table_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[providers.azure_deployments]\nsmall = "o3"\n')
    pairs = {"STRATAL_PROVIDERS__AZURE_DEPLOYMENTS": "prod=gpt-4o"}

    def origin(name: str, environment: dict[str, str], file: Path | None) -> str:
        settings = load_settings(file=file, environment=environment)
        found = in_force(settings, file=file, environment=environment)
        return next(one.origin for one in found if one.name == name)

    assert origin("providers.azure_deployments.prod", pairs, file) == "the environment"
    assert origin("providers.azure_deployments.small", {}, file) == str(file)
    assert origin("providers.ollama_url", pairs, None) == "the default"


@pytest.mark.parametrize("name", ["openai_chat_key", "azure_key"])
def test_a_key_in_a_settings_file_is_refused_and_not_repeated(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.toml"
    file.write_text(f'{name} = "{KEY}"\n')

    with pytest.raises(ConfigError, match="keys never stand in a settings file") as caught:
        load_settings(file=file, environment={})

    assert KEY not in f"{caught.value} {caught.value.hint}"


def test_keys_are_in_no_text_the_settings_make() -> None:
    environment = {"OPENAI_CHAT_API_KEY": KEY, "AZURE_OPENAI_API_KEY": KEY}
    settings = load_settings(environment=environment)

    shown = [repr(settings), str(settings.model_dump()), settings.model_dump_json()]
    shown += [repr(settings.keys()), repr(in_force(settings, environment=environment))]
    assert not any(KEY in text for text in shown)
    assert settings.model == "offline:"  # a key alone names no model of these servers
