"""Azure's OpenAI service: Chat Completions, where a model is called by its deployment's name."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from stratal.providers.openai_chat import ChatProvider, ChatServer, host_of
from stratal.providers.openai_chat_wire import Dialect

if TYPE_CHECKING:
    from openai import OpenAI

KEY_VARIABLE = "AZURE_OPENAI_API_KEY"

# O8: context is the system's. `developer` and `store` need newer API versions than one may have.
AZURE = Dialect(free_roles=True, cache_key=True)
_HINTS: Mapping[int | None, str] = {
    404: "Check the deployment's name, providers.azure_endpoint and providers.azure_api_version.",
    None: "Check the network connection and providers.azure_endpoint, then try again.",
}


def azure(
    key: str, *, endpoint: str, api_version: str, deployments: Mapping[str, str]
) -> ChatProvider:
    """The provider for the resource at `endpoint`; `deployments` maps a deployment to its model.

    The deployment called is the model a request names. Raises `ConfigError` for an endpoint that
    is no address. API versions before 2024-09-01 refuse to count the tokens of a stream.
    """
    host_of(endpoint, setting="providers.azure_endpoint")
    resource = _resource(endpoint)
    server = ChatServer(
        name="azure",
        address=resource,
        variable=KEY_VARIABLE,
        connect=_connection(resource, api_version=api_version),
        dialect=AZURE,
        hints=_HINTS,
        models=deployments,
    )
    return ChatProvider(server, key)


def _resource(endpoint: str) -> str:
    """The endpoint without what people copy along, as `/openai/deployments/prod?api-version=…`."""
    parts = urlsplit(endpoint)
    before, _, _ = f"{parts.path}/".partition("/openai/")
    return f"{parts.scheme}://{parts.netloc}{before.rstrip('/')}"


def _connection(resource: str, *, api_version: str) -> "Callable[[SecretStr, float], OpenAI]":
    def connect(key: SecretStr, silence: float) -> "OpenAI":
        from openai import AzureOpenAI

        return AzureOpenAI(
            api_key=key.get_secret_value(),
            azure_endpoint=resource,
            api_version=api_version,
            timeout=silence,
            max_retries=0,
        )

    return connect
