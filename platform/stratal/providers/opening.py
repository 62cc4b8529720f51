"""The provider a model string names, with its key, and with retries and a circuit around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from stratal.errors import ConfigError, MissingKey, UnknownModel
from stratal.providers import anthropic, azure, ollama, openai, openai_chat
from stratal.providers.circuit import Circuits, Guarded
from stratal.providers.models import AVAILABLE_PROVIDERS, ModelString
from stratal.providers.offline import OfflineProvider
from stratal.providers.provider import Provider
from stratal.providers.retry import Retrying, RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKeys:
    """Keys and addresses of the model APIs. A key's `repr` is a row of asterisks."""

    anthropic: SecretStr | None = None
    openai: SecretStr | None = None
    openai_chat: SecretStr | None = None  # many servers ask for none
    azure: SecretStr | None = None
    anthropic_url: str | None = None  # None: the maker's own address
    openai_url: str | None = None
    openai_chat_url: str | None = None
    ollama_url: str | None = None  # None: this machine
    azure_endpoint: str | None = None
    azure_api_version: str | None = None
    azure_deployments: Mapping[str, str] = field(default_factory=dict[str, str])
    window: int | None = None  # tokens; the configured one, which Ollama can't do without


def open_provider(
    model: ModelString,
    *,
    keys: ProviderKeys,
    retry: RetryPolicy | None = None,
    circuits: Circuits | None = None,
) -> Provider:
    """The provider for `model`; the SDK behind it is imported at the first call.

    Providers opened with the same `circuits` learn from each other that an endpoint is out.
    Raises `MissingKey` when its key is not set, `ConfigError` when another setting it needs is
    missing or wrong, and `UnknownModel` for a provider that is not available.
    """
    if model.provider == "offline":
        return OfflineProvider()
    opener = _OPENERS.get(model.provider)
    if opener is None:
        available = ", ".join(f"{provider}:" for provider in AVAILABLE_PROVIDERS)
        raise UnknownModel(
            f"{model}: the provider {model.provider}: is not available",
            hint=f"Available: {available}.",
        )
    circuit = (circuits or Circuits()).of(model.provider, endpoint=_endpoint(model, keys))
    return Guarded(Retrying(opener(model, keys), policy=retry), circuit)


def _endpoint(model: ModelString, keys: ProviderKeys) -> str | None:
    """Where its requests go; None: to the maker, or to this machine."""
    return {
        "anthropic": keys.anthropic_url,
        "openai": keys.openai_url,
        "openai-chat": keys.openai_chat_url,
        "azure": keys.azure_endpoint,
        "ollama": keys.ollama_url,
    }[model.provider]


def _anthropic(model: ModelString, keys: ProviderKeys) -> Provider:
    key = _key(keys.anthropic, variable=anthropic.KEY_VARIABLE, model=model)
    return anthropic.AnthropicProvider(key, keys.anthropic_url)


def _openai(model: ModelString, keys: ProviderKeys) -> Provider:
    key = _key(keys.openai, variable=openai.KEY_VARIABLE, model=model)
    return openai.OpenAIProvider(key, keys.openai_url)


def _openai_chat(model: ModelString, keys: ProviderKeys) -> Provider:
    address = _needed(
        keys.openai_chat_url,
        setting="providers.openai_chat_url",
        model=model,
        example="STRATAL_PROVIDERS__OPENAI_CHAT_URL=http://localhost:8000/v1",
    )
    host = openai_chat.host_of(address, setting="providers.openai_chat_url")
    if openai_chat.is_own(host):  # the same account as `openai:`; its key goes nowhere else
        secret = keys.openai_chat or keys.openai
        key = _key(secret, variable=openai.KEY_VARIABLE, model=model)
    elif keys.openai_chat is None:
        key = ""
    else:
        key = _key(keys.openai_chat, variable=openai_chat.KEY_VARIABLE, model=model)
    return openai_chat.openai_chat(address, key)


def _azure(model: ModelString, keys: ProviderKeys) -> Provider:
    return azure.azure(
        _key(keys.azure, variable=azure.KEY_VARIABLE, model=model),
        endpoint=_needed(
            keys.azure_endpoint,
            setting="providers.azure_endpoint",
            model=model,
            example="AZURE_OPENAI_ENDPOINT=https://NAME.openai.azure.com",
        ),
        api_version=_needed(
            keys.azure_api_version,
            setting="providers.azure_api_version",
            model=model,
            example="OPENAI_API_VERSION=2024-10-21",
        ),
        deployments=keys.azure_deployments,
    )


def _ollama(model: ModelString, keys: ProviderKeys) -> Provider:
    return ollama.ollama(model.name, host=keys.ollama_url, window=keys.window)


_OPENERS = {
    "anthropic": _anthropic,
    "openai": _openai,
    "openai-chat": _openai_chat,
    "azure": _azure,
    "ollama": _ollama,
}


def _needed(value: str | None, *, setting: str, model: ModelString, example: str) -> str:
    if not value or not value.strip():
        raise ConfigError(
            f"{model} needs {setting}, and it is not set", hint=f"Set it, for example {example}."
        )
    return value.strip()


def _key(secret: SecretStr | None, *, variable: str, model: ModelString) -> str:
    key = secret.get_secret_value().strip() if secret is not None else ""
    if not key:
        raise MissingKey(
            f"{model} needs an API key, and {variable} is not set",
            hint=f"Set {variable}, or use the model `offline:`, which needs none.",
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(
            f"{variable} holds characters no API key has",
            hint=f"Copy the key again, without quotes and blanks, and set {variable} to it.",
        )
    return key
