"""Where a setting comes from, what is refused, and that keys are never shown."""

import runpy
from pathlib import Path

import pytest
from platformdirs import user_config_path

from stratal.errors import ConfigError
from stratal.presets import PRESETS
from stratal.settings import Settings, in_force, load_settings
from stratal_memory.scopes import SCOPE_PRIORITY

ROOT = Path(__file__).parents[2]
KEY = "sk-ant-api03-" + "x" * 40


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`./stratal.toml` is looked for in the working directory."""
    monkeypatch.chdir(tmp_path)


def write_user_file(text: str) -> None:
    folder = user_config_path("stratal")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text(text)


def test_each_place_goes_before_the_next(tmp_path: Path) -> None:
    # preset picoclaw keeps 8,192 for the answer; every place above it says something else
    environment = {"STRATAL_PRESET": "picoclaw"}
    found = [load_settings(environment={}).context.output_reserve]
    found.append(load_settings(environment=environment).context.output_reserve)
    write_user_file("[context]\noutput_reserve = 1\n")
    found.append(load_settings(environment=environment).context.output_reserve)
    (tmp_path / "stratal.toml").write_text("[context]\noutput_reserve = 2\n")
    found.append(load_settings(environment=environment).context.output_reserve)
    environment["STRATAL_CONTEXT__OUTPUT_RESERVE"] = "3"
    found.append(load_settings(environment=environment).context.output_reserve)

    assert found == [4_096, 8_192, 1, 2, 3]


def test_an_argument_goes_before_the_environment() -> None:
    settings = load_settings({"user": "alice"}, environment={"STRATAL_USER": "bob"})

    assert settings.user == "alice"


def test_an_argument_that_is_none_says_nothing() -> None:
    settings = load_settings({"user": None}, environment={"STRATAL_USER": "bob"})

    assert settings.user == "bob"


def test_the_places_of_one_section_are_joined_key_by_key(tmp_path: Path) -> None:
    write_user_file("[recall]\ntop_k = 7\nepisode_items = 1\n")
    (tmp_path / "stratal.toml").write_text("[recall]\ntop_k = 9\n")

    recall = load_settings(environment={}).recall

    assert (recall.top_k, recall.episode_items, recall.knowledge_items) == (9, 1, 5)


def test_every_value_says_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "stratal.toml").write_text("[recall]\ntop_k = 9\n")
    environment = {"STRATAL_USER": "bob", "STRATAL_PRESET": "zeus", "ANTHROPIC_API_KEY": KEY}
    settings = load_settings({"model": "offline:"}, environment=environment)

    shown = {s.name: s for s in in_force(settings, {"model": "offline:"}, environment=environment)}

    assert shown["model"].origin == "the arguments"
    assert shown["user"].origin == "the environment"
    assert (shown["recall.top_k"].value, shown["recall.top_k"].origin) == (9, "stratal.toml")
    assert shown["recall.plain_cosine"].origin == "the preset zeus"
    assert shown["turn.max_steps"].origin == "the default"
    assert not any("key" in name for name in shown)


def test_a_named_file_is_read_instead_of_the_one_here(tmp_path: Path) -> None:
    (tmp_path / "stratal.toml").write_text('user = "here"\n')
    (tmp_path / "other.toml").write_text('user = "there"\n')

    assert load_settings(file=tmp_path / "other.toml", environment={}).user == "there"
    with pytest.raises(ConfigError, match="no settings file"):
        load_settings(file=tmp_path / "missing.toml", environment={})


@pytest.mark.parametrize(
    ("variable", "named", "hint"),
    [
        ("STRATAL_CONTEXT__WINDO", "context.windo", "context.window"),
        ("STRATAL_RECAL__TOP_K", "recal", "recall"),
        ("STRATAL_MODLE", "modle", "model"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_its_place_and_the_nearest(
    variable: str, named: str, hint: str
) -> None:
    with pytest.raises(ConfigError, match=named) as caught:
        load_settings(environment={variable: "1"})

    assert "the environment" in str(caught.value)
    assert caught.value.hint == f"Did you mean {hint}?"


def test_an_unknown_key_in_a_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "stratal.toml").write_text("[recall]\ntopk = 3\n")

    with pytest.raises(ConfigError, match=r"recall\.topk \(from stratal\.toml\)") as caught:
        load_settings(environment={})

    assert caught.value.hint == "Did you mean recall.top_k?"


def test_a_key_that_is_like_no_other_gets_no_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(environment={"STRATAL_QQQQQQ": "1"})

    assert caught.value.hint == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[turn]\nmax_steps = 0\n", r"turn\.max_steps in stratal\.toml is wrong: .*greater than 0"),
        ('[context]\nwindow = "big"\n', r"context\.window in stratal\.toml is wrong"),
        ("[recall]\nscope_weight = nan\n", r"recall\.scope_weight .* finite"),
        ("[recall]\nscope_weight = inf\n", r"recall\.scope_weight .* finite"),
        ("[skills]\nactive = [[1]]\n", r"skills\.active\.0 in stratal\.toml is wrong"),
        ('preset = "zebra"\n', r"preset in stratal\.toml is wrong"),
        ('context = "large"\n', r"context in stratal\.toml is wrong"),
        ("not toml", r"stratal\.toml can't be read"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_its_place(
    tmp_path: Path, text: str, complaint: str
) -> None:
    (tmp_path / "stratal.toml").write_text(text)

    with pytest.raises(ConfigError, match=complaint):
        load_settings(environment={})


def test_a_key_inside_a_single_value_is_an_error_and_not_dropped() -> None:
    with pytest.raises(ConfigError, match="STRATAL_MODEL__NAME"):
        load_settings(environment={"STRATAL_MODEL": "offline:", "STRATAL_MODEL__NAME": "x"})


def test_keys_are_in_no_text_the_settings_make() -> None:
    settings = load_settings(environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})

    shown = [repr(settings), str(settings), settings.model_dump_json(), repr(settings.keys())]
    shown.append(str(settings.model_dump()))
    assert not any(KEY in text for text in shown)
    assert settings.keys().anthropic is not None


@pytest.mark.parametrize("name", ["anthropic_key", "openai_key"])
def test_a_key_in_a_settings_file_is_refused_and_not_repeated(tmp_path: Path, name: str) -> None:
    (tmp_path / "stratal.toml").write_text(f'{name} = "{KEY}"\n')

    with pytest.raises(ConfigError, match="keys never stand in a settings file") as caught:
        load_settings(environment={})

    assert KEY not in str(caught.value)
    assert "ANTHROPIC_API_KEY" in caught.value.hint


def test_a_key_under_a_mistaken_name_is_not_shown_back() -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(environment={"STRATAL_ANTHROPIC_KEYS": KEY})

    assert KEY not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}"


def test_a_key_may_lie_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")

    settings = load_settings(environment={"ANTHROPIC_API_KEY_FILE": str(tmp_path / "key")})

    assert settings.anthropic_key is not None
    assert settings.anthropic_key.get_secret_value() == KEY
    assert settings.model.startswith("anthropic:")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00\x80"])
def test_a_key_file_that_cant_be_read_is_an_error_that_names_it(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ConfigError, match=f"the key file {path} can't be read"):
        load_settings(environment={"OPENAI_API_KEY_FILE": str(path)})


@pytest.mark.parametrize(
    ("environment", "model"),
    [
        ({}, "offline:"),
        ({"OPENAI_API_KEY": KEY}, "openai:gpt-6-sol"),
        ({"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}, "anthropic:claude-sonnet-5-5"),
        ({"ANTHROPIC_API_KEY": KEY, "STRATAL_MODEL": "offline:"}, "offline:"),
    ],
)
def test_without_a_model_the_first_whose_key_is_set_is_taken(
    environment: dict[str, str], model: str
) -> None:
    assert load_settings(environment=environment).model == model


def test_a_home_sign_in_a_path_is_the_users_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/alice")
    mine = tmp_path / "mine.toml"
    mine.write_text('data = "~/memory"\n[skills]\nfolders = ["~/skills"]\n')

    settings = load_settings(file=mine, environment={})

    assert settings.data == Path("/home/alice/memory")
    assert settings.skills.folders == [Path("/home/alice/skills")]


def test_several_folders_stand_in_the_environment_like_a_path() -> None:
    settings = load_settings(environment={"STRATAL_SKILLS__FOLDERS": "/a:/b"})

    assert settings.skills.folders == [Path("/a"), Path("/b")]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_loads_and_each_of_its_values_is_in_force(preset: str) -> None:
    settings = load_settings(environment={"STRATAL_PRESET": preset})

    dumped = settings.model_dump(mode="json")
    for section, values in PRESETS[preset].items():
        assert {name: dumped[section][name] for name in values} == values


def test_the_presets_that_can_be_named_are_the_tables_there_are() -> None:
    for name in PRESETS:
        assert load_settings({"preset": name}, environment={}).preset == name
    with pytest.raises(ConfigError, match="preset"):
        load_settings({"preset": "none"}, environment={})


def test_the_page_of_settings_is_current() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "make_settings_docs.py"))

    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == script["page"]()


def test_settings_can_not_be_changed() -> None:
    settings = Settings()

    with pytest.raises(ValueError, match="frozen"):
        settings.user = "bob"


def test_what_each_scope_counts_is_chosen_one_by_one() -> None:
    environment = {"STRATAL_RECALL__PROJECT_PRIORITY": "0.1"}
    usual, chosen = load_settings(environment={}), load_settings(environment=environment)

    found = [one.recall.for_recall(one.context).scope_priority for one in (usual, chosen)]

    assert [list(one.values()) for one in found] == [[1.0, 0.8, 0.6, 0.4], [1.0, 0.1, 0.6, 0.4]]
    assert found[0] == SCOPE_PRIORITY
    with pytest.raises(ConfigError, match="user_priority"):
        load_settings(environment={"STRATAL_RECALL__USER_PRIORITY": "1.5"})


def test_a_reranker_is_off_unless_one_is_named() -> None:
    named = {"STRATAL_RECALL__RERANKER": "st:some/model"}
    off, on = load_settings(environment={}), load_settings(environment=named)

    assert off.recall.for_recall(off.context).reranker is None
    assert on.recall.for_recall(on.context).reranker is not None  # nothing is loaded yet
    with pytest.raises(ConfigError, match="st:MODEL"):
        load_settings(environment={"STRATAL_RECALL__RERANKER": "bert"})
