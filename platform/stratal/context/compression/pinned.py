"""What a summary carries on word for word: the user's standing orders and open questions."""

import re

RULE = "rule of the user: "  # begins a line of the summary
QUESTION = "open question of the {}: "
_LABEL = re.compile(rf"{RULE}|open question of the (?:user|assistant): ")

_POLITE = r"(?:(?:please|and|also|but|so|ok|okay|no)[,:]?\s+){0,3}"
_ORDER = (
    r"(?:(?:you (?:must|should|need to|have to|may|can|will)"
    r"|i(?:'d| would)? (?:want|need|like) you to"
    r"|make sure(?: (?:that )?you| to)?)\s+)?"
)
# "Always happy to help" and "Never mind" order nothing.
_IDLE = (
    r"(?!\s+(?:mind|been|had|seen|was|were|is|thought|knew|know|happened|again[.!]|a|an|the|happy"
    r"|glad|nice|good|great|fun|here|there|loved|wanted)\b)"
)
_MEMORY = (
    r"(?!(?:when|how|what|where|who|why|the time|me\b|if\b|whether|last"
    r"|that (?:time|day|one)))\w"
)
_RULE = re.compile(
    rf"{_POLITE}{_ORDER}(?:always|never)\b{_IDLE}"
    rf"|{_POLITE}(?:do not|don['’]t|dont) (?:ever|forget)\b"
    rf"|{_POLITE}remember(?:\s*:|,\s+(?:i|my|we|our|you|always|never|no)\b|\s+{_MEMORY})"
    r"|.{0,200}\b(?:from now on|from here on|going forward|in (?:the )?future,)"
    # Standing orders of other languages, where they begin a sentence or hold anywhere in it.
    r"|(?:ab jetzt|von nun an|merk dir|immer|niemals|désormais|dorénavant|toujours|ne jamais"
    r"|siempre|nunca|a partir de ahora|recuerda)\b"
    r"|.{0,200}(?:记住|從現在|从现在|以后都|以後都|永远不要|必须始终|覚えておいて|今後は|これからは"
    r"|必ず|앞으로는|기억해)",
    re.IGNORECASE,
)


def is_rule(text: str) -> bool:
    """Whether a sentence of the user's is an order for all time, not a habit that is told.

    >>> is_rule("Always answer in French."), is_rule("I always drink tea.")
    (True, False)
    """
    return _RULE.match(text) is not None and not is_question(text)


def is_question(text: str) -> bool:
    """Whether a sentence asks."""
    return text.rstrip("\"'”’) ").endswith(("?", "？", "؟"))


def carried_rules(summary: str) -> tuple[str, ...]:
    """The rules that a summary carries on lines of their own."""
    lines = (line.removeprefix("- ") for line in summary.splitlines())
    return tuple(line.removeprefix(RULE) for line in lines if line.startswith(RULE))


def bare(line: str) -> str:
    """The rule or question of a pinned line, without its label."""
    label = _LABEL.match(line)
    return line[label.end() :] if label else line
