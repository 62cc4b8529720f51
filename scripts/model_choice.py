"""Which of litellm's rows the table takes: current chat models, each once, by the plainest name."""

import re
from collections.abc import Iterator, Mapping

from scripts.model_sources import Entry

# litellm's provider: ours, and what its names begin with there.
PROVIDERS = {
    "anthropic": ("anthropic", ""),
    "openai": ("openai", ""),
    "azure": ("azure", "azure/"),
    "azure_ai": ("azure", "azure_ai/"),
    "bedrock": ("bedrock", ""),
    "bedrock_converse": ("bedrock", ""),
    "cerebras": ("cerebras", "cerebras/"),
    "cohere_chat": ("cohere", ""),
    "dashscope": ("dashscope", "dashscope/"),
    "deepseek": ("deepseek", "deepseek/"),
    "gemini": ("gemini", "gemini/"),
    "groq": ("groq", "groq/"),
    "meta": ("meta", "meta/"),
    "minimax": ("minimax", "minimax/"),
    "mistral": ("mistral", "mistral/"),
    "moonshot": ("moonshot", "moonshot/"),
    "ollama": ("ollama", "ollama/"),
    "perplexity": ("perplexity", "perplexity/"),
    "sambanova": ("sambanova", "sambanova/"),
    "together_ai": ("together", "together_ai/"),
    "xai": ("xai", "xai/"),
    "zai": ("zai", "zai/"),
}
PATHS = {"groq", "together"}  # elsewhere a slash is a region
REGION = re.compile(r"^(?:(global)|apac|us-gov|us|eu|au|jp|in|ca)\.")
BEDROCK_VERSION = re.compile(r"(?:[-@]20\d{6})?(?:-v\d+|-v?\d+:\d+)?$")
# No chat models, previews of one-off experiments, and models for one trade.
NOT_CHAT = re.compile(
    r"audio|tts|image|embed|realtime|transcri|search|lyria|robotics|computer-use|deep-research"
    r"|container|guard|voxtral|omni|router|learnlm|prompt-|pegasus|ocr|moderation|^ft:"
)
ODD = re.compile(
    r"daybreak|rosalind|-law|cyber|customtools|experimental|beta|-exp\b|leanstral|vibe-cli|fim|gv2"
    r"|contributor|/fw-|mai-|jais|bonsai|trinity|glimmer|inkling|tev1|up-to|b-\d+b$|together-ai"
)
OLD = re.compile(
    r"claude-(?:3|v\d|instant|2)|llama-?[23]-?\d*b|llama2|llama-2|j2-|titan|command-(?:text|light)"
    r"|gpt-3|gpt-35|gpt-4(?!o|\.)|mixtral|mistral-7b|codellama|pplx|qwen-?[12](?:\.5)?-|phi-3|gemma-2"
    r"|2402|2407|jamba|palmyra-vision|hermes|r1-basic|sonar-(?:small|medium)|mistral-tiny|-0125"
)
# Rows of models that are gone, which litellm still has without a date, or with old limits.
GONE = {
    ("azure", "mistral-large-latest"),
    ("azure", "o1-mini"),
    ("azure", "o1-mini-2024-09-12"),
    ("azure", "chat-latest"),
    ("bedrock", "anthropic.claude-opus-4"),
    ("deepseek", "deepseek-coder"),
    ("deepseek", "deepseek-r1"),
    ("deepseek", "deepseek-v3"),
    ("mistral", "mistral-small"),
    ("perplexity", "llama-3.1-70b-instruct"),
    ("perplexity", "llama-3.1-8b-instruct"),
    ("together", "meta-llama/Llama-3.1-405B-Instruct"),
    ("xai", "grok-code-fast-1-0825"),
}
# Models of other makers among a maker's own; a lookup finds them by their maker.
GUESTS = {"mistral": re.compile(r"glm|deepseek"), "dashscope": re.compile(r"glm|deepseek|kimi")}


def chosen(models: Mapping[str, Entry], *, as_of: str) -> Iterator[tuple[str, str, Entry]]:
    """The current chat models with both limits, each by the name it has at its provider."""

    def order(name: str) -> tuple[int, int, str]:
        region = REGION.match(name)
        return (0 if region is None else 1 if region[1] else 2, len(name), name)

    for key in sorted(models, key=order):
        entry = models[key]
        if entry.get("litellm_provider") not in PROVIDERS or not _is_current(entry, as_of):
            continue
        provider, prefix = PROVIDERS[str(entry["litellm_provider"])]
        name = _named(provider, key.removeprefix(prefix))
        if name and (provider, name) not in GONE and _is_wanted(provider, key.casefold()):
            yield provider, name, entry


def _is_wanted(provider: str, name: str) -> bool:
    guest = provider in GUESTS and GUESTS[provider].search(name)
    return not guest and not any(wrong.search(name) for wrong in (NOT_CHAT, ODD, OLD))


def _is_current(entry: Entry, as_of: str) -> bool:
    chat = entry.get("mode") in ("chat", "responses")
    limits = entry.get("max_input_tokens") and entry.get("max_output_tokens")
    return bool(chat and limits) and str(entry.get("deprecation_date", "9999")) > as_of


def _named(provider: str, name: str) -> str:
    """The name without what doesn't tell models apart; empty when the row isn't wanted."""
    if "/" in name and provider not in PATHS:
        return ""
    if provider == "ollama":  # a local one serves what its server was set up with
        return name if name.endswith("cloud") else ""
    if provider == "bedrock":
        return BEDROCK_VERSION.sub("", REGION.sub("", name)) if "." in name else ""
    return name
