"""Ollama through its `/v1`: no key, and a window that somebody has to name.

Ollama cuts a longer prompt from its start and says nothing; `/v1` ignores `num_ctx` (PROVIDERS).
So the window is never guessed, and `stratal.providers.truncation` tells a cut from the counts.
"""

from urllib.parse import urlsplit

from stratal.errors import ConfigError
from stratal.providers.openai_chat import ChatProvider, ChatServer, connection, host_of

ADDRESS = "http://localhost:11434/v1"
DEFAULT_PORT = 11_434
# What Ollama reads of a prompt on a machine with less than 24 GiB of video memory (ollama docs,
# context-length).
DEFAULT_WINDOW = 4_096

_EVERY_ADDRESS = ("0.0.0.0", "::")  # where a server listens; nobody is reached there


def ollama(model: str, *, host: str | None, window: int | None) -> ChatProvider:
    """The provider for `model` on the Ollama at `host`, in any form `OLLAMA_HOST` may have.

    Raises `ConfigError` when no `window` (tokens) is configured, or `host` is no address.
    """
    if window is None:
        raise ConfigError(
            f"ollama:{model} needs context.window: Ollama reads {DEFAULT_WINDOW:,} tokens unless "
            "it is told otherwise, and cuts what is longer without a word",
            hint="Start Ollama with OLLAMA_CONTEXT_LENGTH=8192 and set STRATAL_CONTEXT__WINDOW=8192"
            "; `ollama ps` shows what it uses.",
        )
    address = ollama_address(host) if host else ADDRESS
    server = ChatServer(
        name="ollama",
        address=address,
        variable="OLLAMA_HOST",
        connect=connection(address),
        hints={
            404: f"`ollama pull {model}` fetches the model, `ollama list` shows what is there.",
            None: f"Check that Ollama runs at {address}: `ollama serve` starts it, OLLAMA_HOST "
            "names another place.",
        },
    )
    return ChatProvider(server)


def ollama_address(host: str) -> str:
    """The address of `/v1` on `host`, read as Ollama itself reads `OLLAMA_HOST`.

    Without a scheme it is http and the port 11434. Raises `ConfigError`.

    >>> ollama_address("0.0.0.0")
    'http://127.0.0.1:11434/v1'
    """
    bare = "://" not in host
    text = f"http://{'127.0.0.1' if host.startswith(':') else ''}{host}" if bare else host
    name = host_of(text, setting="providers.ollama_url")
    parts = urlsplit(text)
    port = parts.port or (DEFAULT_PORT if bare else None)
    shown = "127.0.0.1" if name in _EVERY_ADDRESS else f"[{name}]" if ":" in name else name
    path = parts.path.rstrip("/").removesuffix("/v1")
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{path}/v1"
