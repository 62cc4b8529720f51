"""The settings: read once, here; nobody else reads the environment or a settings file.

A value is taken from the first of: argument, environment (`STRATAL_SECTION__KEY`), ./stratal.toml,
the user's settings file, the preset, the default.
"""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from platformdirs import user_config_path, user_data_path
from pydantic import (
    BaseModel,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
)

from stratal.context_parts import CachePart, HistoryPart, SummaryPart, ToolResultsPart
from stratal.errors import ConfigError
from stratal.job_settings import JobsPart
from stratal.learning_parts import LearningPart, PrivacyPart
from stratal.parts import (
    AgentPart,
    ContextPart,
    EmbeddingPart,
    IngestPart,
    Part,
    PromptPart,
    ProvidersPart,
    RecallPart,
    SkillsPart,
)
from stratal.presets import PRESETS, Values
from stratal.project_file import check_project_file
from stratal.providers.opening import ProviderKeys
from stratal.tool_settings import ToolsPart, with_variables
from stratal_memory.learning.settings import GateSettings

PREFIX = "STRATAL_"
PROJECT_FILE = "stratal.toml"
USER_FILE = "settings.toml"
DEFAULT = "the default"
# The model when none is named and the key is there; else `offline:`.
KEY_MODELS = (
    ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    ("OPENAI_API_KEY", "openai:gpt-6-sol"),
)

Tree = dict[str, object]  # what TOML and the environment give, before pydantic checks it


class Settings(Part):
    """Every setting of Stratal."""

    preset: Literal["default", "octopus", "picoclaw", "octo", "zeus"] = "default"
    """A table of values that stands before the defaults."""
    data: Path = Field(default_factory=lambda: user_data_path("stratal"))
    """The data directory; unset: the user's data folder."""
    busy_wait: float = Field(default=10.0, ge=0)
    """How many seconds to wait for another process to end its maintenance."""
    user: str = "me"
    """Whose memory it is when none is named."""
    agent: str = "main"
    """Which of the user's agents answers when none is named."""
    model: str = ""
    """`PROVIDER:MODEL`; empty: the first whose key is set, else `offline:`."""
    context: ContextPart = ContextPart()
    history: HistoryPart = HistoryPart()
    tool_results: ToolResultsPart = ToolResultsPart()
    summary: SummaryPart = SummaryPart()
    cache: CachePart = CachePart()
    recall: RecallPart = RecallPart()
    learning: LearningPart = LearningPart()
    privacy: PrivacyPart = PrivacyPart()
    prompt: PromptPart = PromptPart()
    skills: SkillsPart = SkillsPart()
    tools: ToolsPart = ToolsPart()
    ingest: IngestPart = IngestPart()
    embedding: EmbeddingPart = EmbeddingPart()
    turn: AgentPart = AgentPart()
    jobs: JobsPart = JobsPart()
    providers: ProvidersPart = ProvidersPart()
    anthropic_key: SecretStr | None = Field(default=None, exclude=True)
    """`ANTHROPIC_API_KEY`, or `ANTHROPIC_API_KEY_FILE` for a file that holds it."""
    openai_key: SecretStr | None = Field(default=None, exclude=True)
    """`OPENAI_API_KEY`, or `OPENAI_API_KEY_FILE` for a file that holds it."""
    openai_chat_key: SecretStr | None = Field(default=None, exclude=True)
    """`OPENAI_CHAT_API_KEY`, or `OPENAI_CHAT_API_KEY_FILE`; many servers ask for none."""
    azure_key: SecretStr | None = Field(default=None, exclude=True)
    """`AZURE_OPENAI_API_KEY`, or `AZURE_OPENAI_API_KEY_FILE` for a file that holds it."""
    anthropic_url: str | None = None
    """Another address of the Anthropic API; also `ANTHROPIC_BASE_URL`."""
    openai_url: str | None = None
    """Another address of the OpenAI API; also `OPENAI_BASE_URL`."""

    @field_validator("data")
    @classmethod
    def _at_home(cls, value: Path) -> Path:
        """`~` is the user's home; no shell expands what stands in a file."""
        return value.expanduser()

    def keys(self) -> ProviderKeys:
        """What the providers need; a key's `repr` never shows it."""
        return ProviderKeys(
            anthropic=self.anthropic_key,
            openai=self.openai_key,
            anthropic_url=self.anthropic_url,
            openai_url=self.openai_url,
            openai_chat=self.openai_chat_key,
            openai_chat_url=self.providers.openai_chat_url,
            azure=self.azure_key,
            azure_endpoint=self.providers.azure_endpoint,
            azure_api_version=self.providers.azure_api_version,
            azure_deployments=self.providers.azure_deployments,
            ollama_url=self.providers.ollama_url,
            window=self.context.window,
        )

    def gate(self) -> GateSettings:
        """How messages become memories."""
        return self.learning.gate(self.privacy)

    @property
    def models_dir(self) -> Path:
        """Where pulled embedding models lie; shared by all data directories."""
        return user_data_path("stratal") / "models"


# Names of the environment that are not ours but mean a setting of ours.
_FOREIGN = {
    "ANTHROPIC_API_KEY": "anthropic_key",
    "OPENAI_API_KEY": "openai_key",
    "ANTHROPIC_BASE_URL": "anthropic_url",
    "OPENAI_BASE_URL": "openai_url",
    "OPENAI_CHAT_API_KEY": "openai_chat_key",
    "AZURE_OPENAI_API_KEY": "azure_key",
    "AZURE_OPENAI_ENDPOINT": "providers.azure_endpoint",
    "OPENAI_API_VERSION": "providers.azure_api_version",
    "OLLAMA_HOST": "providers.ollama_url",
    # Octo's names (C22).
    "TOOL_RESULT_LIMIT": "tool_results.limit",
    "SUMMARIZATION_TRIGGER_FRACTION": "summary.trigger_fraction",
    "SUMMARIZATION_TRIGGER_TOKENS": "summary.trigger_tokens",
    "SUMMARIZATION_KEEP_TOKENS": "summary.keep_tokens",
    "SUPERVISOR_MSG_CHAR_LIMIT": "tool_results.message_limit",
}
_ONLY_FROM_ENVIRONMENT = ("anthropic_key", "openai_key", "openai_chat_key", "azure_key")


def load_settings(
    overrides: Mapping[str, str | Path | None] | None = None,
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in force; `overrides` are top-level values given as arguments.

    `file` is read instead of ./stratal.toml. Raises `ConfigError` naming the key and where it
    stands, with the nearest known key when it is unknown.
    """
    layers = _layers(overrides, file=file, environment=environment)
    merged: Tree = {}
    for _, values in reversed(layers):
        merged = _merged(merged, values)
    merged = with_variables(merged, os.environ if environment is None else environment)
    if not merged.get("model"):
        merged["model"] = _default_model(merged)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise _config_error(error, layers) from error


def _layers(
    overrides: Mapping[str, str | Path | None] | None,
    *,
    file: Path | None,
    environment: Mapping[str, str] | None,
) -> list[tuple[str, Tree]]:
    """Where settings come from, and what each place says; the first goes before the others."""
    env = os.environ if environment is None else environment
    given: Tree = {k: str(v) for k, v in (overrides or {}).items() if v is not None}
    layers = [
        ("the arguments", given),
        ("the environment", _environment(env)),
        (str(file or PROJECT_FILE), _toml(file or Path(PROJECT_FILE), required=file is not None)),
        (USER_FILE, _toml(user_config_path("stratal") / USER_FILE, required=False)),
    ]
    preset = next((str(values["preset"]) for _, values in layers if "preset" in values), "default")
    return [*layers, (f"the preset {preset}", _as_tree(PRESETS.get(preset, {})))]


def _as_tree(preset: Values) -> Tree:
    return {section: dict(values) for section, values in preset.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """One setting: its dotted name, its value as JSON has it, and where it was set."""

    name: str
    value: JsonValue
    origin: str


def in_force(
    settings: Settings,
    overrides: Mapping[str, str | Path | None] | None = None,
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[InForce]:
    """Every setting but the keys, with its origin; the arguments are those of `load_settings`."""
    layers = _layers(overrides, file=file, environment=environment)
    return [
        InForce(
            name=".".join(path),
            value=value,
            origin=next((name for name, values in layers if _holds(values, path)), DEFAULT),
        )
        for path, value in _leaves(settings.model_dump(mode="json"), [])
    ]


def _leaves(
    values: Mapping[str, JsonValue], path: list[str]
) -> Iterator[tuple[list[str], JsonValue]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value, [*path, key])
        else:
            yield [*path, key], value


def _default_model(values: Tree) -> str:
    for variable, model in KEY_MODELS:
        if values.get(_FOREIGN[variable]):
            return model
    return "offline:"


def _merged(base: Tree, over: Mapping[str, object]) -> Tree:
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(value, dict) and isinstance(below, dict)
        result[key] = _merged(cast("Tree", below), cast("Tree", value)) if both else value
    return result


def _environment(env: Mapping[str, str]) -> Tree:
    values: Tree = {}
    for name, key in _FOREIGN.items():
        value = env.get(name) or _secret_file(env.get(f"{name}_FILE"))
        if value:
            _set(values, key.split("."), value, name=name)
    for name, value in sorted(env.items()):
        if name.startswith(PREFIX) and value and name not in _OURS_ELSEWHERE:
            _set(values, name.removeprefix(PREFIX).lower().split("__"), value, name=name)
    return values


_OURS_ELSEWHERE = ("STRATAL_EXTRAS",)  # read by the tests alone


def _secret_file(path: str | None) -> str:
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"the key file {path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError:  # its message would quote the file
        raise ConfigError(f"the key file {path} can't be read: it is not text") from None


def _set(values: Tree, path: list[str], value: str, *, name: str) -> None:
    head, *rest = path
    if not rest:
        values[head] = value
        return
    below = values.setdefault(head, {})
    if not isinstance(below, dict):
        raise ConfigError(
            f"{name} in the environment names a key inside {head}, and {head} is one value",
            hint=f"Unset {name}.",
        )
    _set(below, rest, value, name=name)


def _toml(path: Path, *, required: bool) -> Tree:
    try:
        values: Tree = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        if required:
            raise ConfigError(f"there is no settings file {path}") from None
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"the settings file {path} can't be read: {error}") from error
    for key in _ONLY_FROM_ENVIRONMENT:
        if key in values:
            raise ConfigError(
                f"{path} holds {key}, and keys never stand in a settings file",
                hint="Set ANTHROPIC_API_KEY, OPENAI_API_KEY, AZURE_OPENAI_API_KEY or "
                "OPENAI_CHAT_API_KEY in the environment.",
            )
    if not required and path == Path(PROJECT_FILE):
        check_project_file(path, values, known=_known)
    return values


def _config_error(error: ValidationError, layers: Sequence[tuple[str, Tree]]) -> ConfigError:
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    where = _origin(layers, path)
    dotted = ".".join(path)
    if first["type"] != "extra_forbidden":
        return ConfigError(f"{dotted} in {where} is wrong: {first['msg']}")
    close = difflib.get_close_matches(path[-1], _known(path[:-1]), n=1, cutoff=0.5)
    hint = f"Did you mean {'.'.join([*path[:-1], close[0]])}?" if close else ""
    return ConfigError(f"there is no setting {dotted} (from {where})", hint=hint)


def _origin(layers: Sequence[tuple[str, Tree]], path: list[str]) -> str:
    """Where the value at `path` stands, or what holds it: an item stands where its list does."""
    for length in range(len(path), 0, -1):
        for name, values in layers:
            if _holds(values, path[:length]):
                return name
    return DEFAULT


def _holds(values: Tree, path: list[str]) -> bool:
    here: object = values
    for part in path:
        if not isinstance(here, dict):
            return isinstance(here, str)  # a whole table in one text, as the environment has it
        if part not in here:
            return False
        here = here[part]
    return True


def _known(path: list[str]) -> list[str]:
    fields = Settings.model_fields
    for part in path:
        found = fields.get(part)
        kind = found.annotation if found else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return []
        fields = kind.model_fields
    return list(fields)
