"""The whole system prompt: fifteen steps in one fixed order (Z2, Z6, Zs1)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from stratal.errors import InvalidRequest
from stratal.prompt.sections import SECTIONS, Layer

_STATIC = frozenset(section.name for section in SECTIONS if section.static)
_DYNAMIC = frozenset(section.name for section in SECTIONS if not section.static)


def fifteen(static: Sequence[Layer], dynamic: Mapping[str, str]) -> tuple[Layer, ...]:
    """The sections that have a text, in the order of Zs1, whatever order they are given in.

    `static` are the six of `layers()`, `dynamic` holds the nine others by name, those of this
    turn. Each stands for itself: none reads another, and a blank one leaves no trace. The text of
    the static ones alone is a prefix of the whole, so it may be cached (Z24). Raises
    `InvalidRequest` for a name that is not such a section, or comes twice.
    """
    _check([layer.name for layer in static], _STATIC, kind="static")
    _check(list(dynamic), _DYNAMIC, kind="dynamic")
    texts = {layer.name: layer.text for layer in static} | dict(dynamic)
    found = (Layer(section.name, texts.get(section.name, "").strip()) for section in SECTIONS)
    return tuple(layer for layer in found if layer.text)


def system_text(sections: Sequence[Layer]) -> str:
    """The sections as one text with a blank line between them; empty ones are left out."""
    return "\n\n".join(section.text for section in sections if section.text)


def _check(names: Sequence[str], known: frozenset[str], *, kind: str) -> None:
    for name, times in Counter(names).items():
        if name not in known:
            allowed = ", ".join(section.name for section in SECTIONS if section.name in known)
            raise InvalidRequest(
                f"there is no {kind} section {name[:40]!r}", hint=f"There are {allowed}."
            )
        if times > 1:
            raise InvalidRequest(
                f"the section {name} is given {times} times", hint="Join its texts first."
            )
