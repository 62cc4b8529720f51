"""What stands on an HTML page beside what it is about: banners, buttons, links past them."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HIDDEN = re.compile(r"(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.I)
_BANNER = re.compile(
    r"(?:cookie|consent|gdpr|ccpa)[-_]?\w{0,20}[-_]?(?:banner|bar|notice|popup|modal|overlay|law|"
    r"dialog|message|sdk|wrapper|container)|onetrust|cybotcookiebot|cc-window|didomi|truste",
    re.I,
)
_BANNER_TAGS = frozenset({"div", "section", "aside", "dialog", "form"})
_BANNER_SIZE = 3_000  # characters; what is longer is no banner, whatever it is called
_CONTROLS = frozenset({"a", "button", "label"})
_SKIP_LINK = re.compile(
    r"(?:skip|jump|go) (?:directly |straight )?to\b|zum (?:inhalt|hauptinhalt)|"
    r"(?:aller|passer) au contenu|(?:ir|saltar) al contenido|(?:vai|salta) al contenuto",
    re.I,
)
_WORDS = 4  # of a button; one with more is a question that opens its answer
_TITLED = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "th", "td"})
_ABOUT = "main,[role=main]"
_MOST = 0.5  # share of a page's words what it is about has at least
_UNREAD = "script,style,noscript,svg"
_BLANKS = re.compile(r"\s+")


def main_of(page: "LexborHTMLParser") -> "LexborNode | None":
    """The element that holds what the page is about, where one alone says so and has most of it."""
    root = page.body
    found = page.css(_ABOUT) or page.css("article")
    if root is None or len(found) != 1:
        return None
    return found[0] if _length(found[0]) >= _MOST * _length(root) else None


def _length(node: "LexborNode") -> int:
    """Characters of it, but for scripts."""
    unread = sum(len(_BLANKS.sub(" ", one.text())) for one in node.css(_UNREAD))
    return len(_BLANKS.sub(" ", node.text())) - unread


def is_unseen(node: "LexborNode", tag: str) -> bool:
    """Whether a browser would not show it, or only to be clicked on or away."""
    attributes = node.attributes
    if tag in _CONTROLS or attributes.get("role") == "button":
        return _is_control(node, tag)
    if not attributes:
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return tag != "body"
    if tag != "body" and _HIDDEN.search(attributes.get("style") or ""):
        return True
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
    if tag not in _BANNER_TAGS or not _BANNER.search(names[:500]):
        return False
    return node.css_first("h1,article,main") is None and len(node.text()) < _BANNER_SIZE


def _is_control(node: "LexborNode", tag: str) -> bool:
    """Whether it is a button of the page, or a link past its head; one in a heading is none."""
    attributes = node.attributes
    parent = node.parent
    if parent is not None and parent.tag in _TITLED:
        return False
    if tag == "label":
        return attributes.get("aria-hidden") == "true"
    if tag == "a" and attributes.get("role") != "button":
        link = attributes.get("href") or ""
        return link.startswith("#") and _SKIP_LINK.match(node.text().strip()) is not None
    return len(node.text().split()) < _WORDS
