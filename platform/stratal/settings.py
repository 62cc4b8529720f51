"""The settings: read once, here; nobody else reads the environment or a settings file.

A value is taken from the first of: argument, environment (`STRATAL_SECTION__KEY`), ./stratal.toml,
the user's settings file, the preset, the default.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from platformdirs import user_config_path, user_data_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
)

from stratal.context.budget import Budget
from stratal.context.sections import Layout
from stratal.errors import ConfigError
from stratal.presets import PRESETS
from stratal.providers.models import ModelInfo
from stratal.providers.opening import ProviderKeys
from stratal_memory.recall.settings import RecallSettings

PREFIX = "STRATAL_"
PROJECT_FILE = "stratal.toml"
USER_FILE = "settings.toml"
# The model when none is named and the key is there; else `offline:`.
KEY_MODELS = (
    ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    ("OPENAI_API_KEY", "openai:gpt-6-sol"),
)

Tree = dict[str, object]  # what TOML and the environment give, before pydantic checks it


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ContextPart(_Part):
    """The window and how it is shared out; tokens unless the name says otherwise."""

    layout: Layout = Layout.CACHE_FRIENDLY
    counter: Literal["auto", "octopus", "picoclaw"] = "auto"
    window: int | None = Field(default=None, gt=0)  # None: the model's own
    working_budget: int | None = Field(default=None, gt=0)
    output_reserve: int = Field(default=4_096, gt=0)
    min_history: int = Field(default=4_000, ge=0)
    knowledge: int = Field(default=3_000, ge=0)
    episodes: int = Field(default=1_000, ge=0)
    profile: int = Field(default=500, ge=0)
    procedure: int = Field(default=1_000, ge=0)

    def budget(self, model: ModelInfo, *, memory_items: int, memory_characters: int) -> Budget:
        """The budget for `model`: its own window unless one is configured."""
        return Budget(
            window=self.window or model.window,
            working_budget=self.working_budget,
            max_input=model.max_input if self.window is None else None,
            output_reserve=min(self.output_reserve, model.max_output),
            min_history=self.min_history,
            knowledge=self.knowledge,
            episodes=self.episodes,
            profile=self.profile,
            procedure=self.procedure,
            memory_chars=memory_characters,
            memory_items=memory_items,
        )


class RecallPart(_Part):
    """How memories are scored and capped (Z10, Z11, Z13)."""

    similarity_weight: float = Field(default=0.5, ge=0)
    confidence_weight: float = Field(default=0.3, ge=0)
    scope_weight: float = Field(default=0.2, ge=0)
    minimum_similarity: float | None = Field(default=None, ge=0, le=1)
    plain_cosine: bool = False
    top_k: int = Field(default=5, ge=0)
    memory_characters: int = Field(default=2_000, ge=0)
    knowledge_items: int = Field(default=5, ge=0)
    episode_items: int = Field(default=3, ge=0)

    def for_recall(self, context: ContextPart) -> RecallSettings:
        """The same as the memory room reads it."""
        return RecallSettings(
            similarity_weight=self.similarity_weight,
            confidence_weight=self.confidence_weight,
            scope_weight=self.scope_weight,
            minimum_similarity=self.minimum_similarity,
            plain_cosine=self.plain_cosine,
            memory_items=self.top_k,
            memory_characters=self.memory_characters,
            knowledge_items=self.knowledge_items,
            knowledge_tokens=context.knowledge,
            episode_items=self.episode_items,
            episode_tokens=context.episodes,
        )


class SkillsPart(_Part):
    """Where skills lie and how similar a message must be to one (Os18)."""

    folders: list[Path] = Field(default_factory=list[Path])  # before the project's and built-in
    threshold: float = Field(default=0.45, ge=0, le=1)

    @field_validator("folders", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """The environment writes several folders as a PATH does."""
        return value.split(os.pathsep) if isinstance(value, str) else value


class AgentPart(_Part):
    """The loop of a turn and the length of a conversation."""

    max_steps: int = Field(default=8, gt=0)  # model calls a turn
    session_idle_minutes: int = Field(default=60, gt=0)
    longest_message: int = Field(default=8_000_000, gt=0)  # characters


class JobsPart(_Part):
    """When consolidation runs in `stratal jobs serve`."""

    consolidate: str = "0 3 * * *"  # cron, in the machine's zone
    idle_minutes: int = Field(default=60, ge=0)  # sessions settle after this


class EmbeddingPart(_Part):
    """Which embedding model; empty: the one found on this machine."""

    model: str = ""


class Settings(_Part):
    """Every setting of Stratal."""

    preset: Literal["default", "octopus", "picoclaw", "octo", "zeus"] = "default"
    data: Path = Field(default_factory=lambda: user_data_path("stratal"))
    busy_wait: float = Field(default=10.0, ge=0)  # seconds, for maintenance by another process
    user: str = "me"
    agent: str = "main"
    model: str = ""  # empty: the first whose key is set, else offline:
    context: ContextPart = ContextPart()
    recall: RecallPart = RecallPart()
    skills: SkillsPart = SkillsPart()
    embedding: EmbeddingPart = EmbeddingPart()
    turn: AgentPart = AgentPart()
    jobs: JobsPart = JobsPart()
    anthropic_key: SecretStr | None = Field(default=None, exclude=True)
    openai_key: SecretStr | None = Field(default=None, exclude=True)
    anthropic_url: str | None = None
    openai_url: str | None = None

    def keys(self) -> ProviderKeys:
        """What the providers need; a key's `repr` never shows it."""
        return ProviderKeys(
            anthropic=self.anthropic_key,
            openai=self.openai_key,
            anthropic_url=self.anthropic_url,
            openai_url=self.openai_url,
        )

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
}
_ONLY_FROM_ENVIRONMENT = ("anthropic_key", "openai_key")


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
    return [*layers, (f"the preset {preset}", dict(PRESETS.get(preset, {})))]


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
    """Every setting of `settings` but the keys, with its origin; arguments as of `load_settings`."""
    layers = _layers(overrides, file=file, environment=environment)
    return [
        InForce(
            name=".".join(path),
            value=value,
            origin=next((name for name, values in layers if _holds(values, path)), "the default"),
        )
        for path, value in _leaves(settings.model_dump(mode="json"), [])
    ]


def _leaves(values: Mapping[str, JsonValue], path: list[str]) -> Iterator[tuple[list[str], JsonValue]]:
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
            values[key] = value
    for name, value in sorted(env.items()):
        if name.startswith(PREFIX) and value and name not in _OURS_ELSEWHERE:
            _set(values, name.removeprefix(PREFIX).lower().split("__"), value)
    return values


_OURS_ELSEWHERE = ("STRATAL_EXTRAS",)  # read by the tests alone


def _secret_file(path: str | None) -> str:
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"the key file {path} can't be read: {error.strerror}") from error


def _set(values: Tree, path: list[str], value: str) -> None:
    head, *rest = path
    if not rest:
        values[head] = value
        return
    below = values.setdefault(head, {})
    if isinstance(below, dict):
        _set(cast("Tree", below), rest, value)


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
                hint="Set ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment.",
            )
    return values


def _config_error(error: ValidationError, layers: Iterable[tuple[str, Tree]]) -> ConfigError:
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    where = next((name for name, values in layers if _holds(values, path)), "the preset")
    dotted = ".".join(path)
    if first["type"] != "extra_forbidden":
        return ConfigError(f"{dotted} in {where} is wrong: {first['msg']}")
    close = difflib.get_close_matches(path[-1], _known(path[:-1]), n=1, cutoff=0.5)
    hint = f"Did you mean {'.'.join([*path[:-1], close[0]])}?" if close else ""
    return ConfigError(f"there is no setting {dotted} (from {where})", hint=hint)


def _holds(values: Tree, path: list[str]) -> bool:
    here: object = values
    for part in path:
        if not isinstance(here, dict) or part not in here:
            return False
        here = cast("Tree", here)[part]
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
