"""Who may read what: principals, the scopes they stand in, and the text that may name them."""

import unicodedata
from dataclasses import dataclass

from stratal_memory.errors import ScopeError
from stratal_memory.records import Scope, ScopeKind

MAX_ID_LENGTH = 200  # characters; long enough for any e-mail address
DEFAULT_AGENT = "main"
# Zero-width characters: at an end nobody sees them, so `alice` and one more would look the same.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

# REQUIREMENTS section 3: not published by Zeus; our own choice, configurable.
SCOPE_PRIORITY: dict[ScopeKind, float] = {
    ScopeKind.SESSION: 1.0,
    ScopeKind.PROJECT: 0.8,
    ScopeKind.USER: 0.6,
    ScopeKind.ORG: 0.4,
}


def checked_id(value: object, *, what: str) -> str:
    """`value` as a usable id in Unicode normal form C.

    Raises `ScopeError` for everything that could mean "all" or nobody: None, an empty or blank
    string, `*`, `%`, a mapping or a list, control characters, lone surrogates, over 200 characters.

    >>> checked_id("алиса@пример.рф", what="user")
    'алиса@пример.рф'
    """
    if not isinstance(value, str):
        raise ScopeError(
            f"{what} must be a string, not {type(value).__name__}",
            hint=f"Name one {what}; there is no way to mean all of them.",
        )
    text = unicodedata.normalize("NFC", value)
    problem = _problem(text)
    if problem:
        raise ScopeError(
            f"{what} {text[:40]!r} can't be used: {problem}",
            hint=f"Give the {what} a name such as alice or alice@example.com.",
        )
    return text


def _problem(text: str) -> str:
    if not any(unicodedata.category(character)[0] in "LNPS" for character in text):
        return "it is empty"
    if text != text.strip() or text != text.strip(_INVISIBLE):
        return "it begins or ends with a blank"
    if len(text) > MAX_ID_LENGTH:
        return f"it has {len(text)} characters, {MAX_ID_LENGTH} are allowed"
    if all(character in "*%?._-" for character in text):
        return "it is a pattern, and a scope is never a pattern"
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        return "it holds control characters or lone surrogates"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks. Every store is opened for one.

    Raises `ScopeError` on construction when an id could mean "all" or nobody.
    """

    user: str
    agent: str = DEFAULT_AGENT
    project: str | None = None
    org: str | None = None
    session: str | None = None

    def __post_init__(self) -> None:
        for name in ("user", "agent"):
            object.__setattr__(self, name, checked_id(getattr(self, name), what=name))
        for name in ("project", "org", "session"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checked_id(value, what=name))

    def scopes(self) -> tuple[Scope, ...]:
        """The scopes this principal stands in, narrowest first."""
        ids = (
            (ScopeKind.SESSION, self.session),
            (ScopeKind.PROJECT, self.project),
            (ScopeKind.USER, self.user),
            (ScopeKind.ORG, self.org),
        )
        return tuple(Scope(kind, id) for kind, id in ids if id is not None)

    def scope(self, kind: ScopeKind) -> Scope:
        """The scope of that kind; `ScopeError` when the principal does not stand in one."""
        for scope in self.scopes():
            if scope.kind == kind:
                return scope
        raise ScopeError(
            f"no {kind.value} is chosen", hint=f"Name one with --{kind.value} or {kind.value}=..."
        )
