"""The provider a model string names, with its key, and with retries around it."""

from dataclasses import dataclass

from pydantic import SecretStr

from stratal.errors import ConfigError, MissingKey, UnknownModel
from stratal.providers import anthropic, openai
from stratal.providers.models import AVAILABLE_PROVIDERS, ModelString
from stratal.providers.offline import OfflineProvider
from stratal.providers.provider import Provider
from stratal.providers.retry import Retrying, RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKeys:
    """Keys and addresses of the model APIs. A key's `repr` is a row of asterisks."""

    anthropic: SecretStr | None = None
    openai: SecretStr | None = None
    anthropic_url: str | None = None  # None: the maker's own address
    openai_url: str | None = None


def open_provider(
    model: ModelString, *, keys: ProviderKeys, retry: RetryPolicy | None = None
) -> Provider:
    """The provider for `model`; the SDK behind it is imported at the first call.

    Raises `MissingKey` when its key is not set, and `UnknownModel` for a provider that is not
    available.
    """
    if model.provider == "offline":
        return OfflineProvider()
    if model.provider == "anthropic":
        key = _key(keys.anthropic, variable=anthropic.KEY_VARIABLE, model=model)
        return Retrying(anthropic.AnthropicProvider(key, keys.anthropic_url), policy=retry)
    if model.provider == "openai":
        key = _key(keys.openai, variable=openai.KEY_VARIABLE, model=model)
        return Retrying(openai.OpenAIProvider(key, keys.openai_url), policy=retry)
    available = ", ".join(f"{provider}:" for provider in AVAILABLE_PROVIDERS)
    raise UnknownModel(
        f"{model}: the provider {model.provider}: is not available yet",
        hint=f"Available: {available}.",
    )


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
