"""LaTeX's own words: what a command leaves of its arguments, accents and other signs."""

import re
import unicodedata

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*(?!\n))?")
_TOKEN = re.compile(
    r"\\([A-Za-z@]+\*?)[ \t]*|\\(.)|(\}(?=\{))|([{}])|(\$\$?)|(``|''|---|--|~)"
    r"|([^\\{}$~`'-]+|.)",
    re.DOTALL,
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_NAME = re.compile(r"\s*\\[A-Za-z@]+")  # a command as an argument, without braces
_OPTION = re.compile(r"\s*\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]")
_ACCENTS = {
    **{"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304"},
    **{".": "\u0307", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a"},
    **{"k": "\u0328", "b": "\u0331", "d": "\u0323"},
}
_SIGNS = {
    **{"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å"},
    **{"AA": "Å", "l": "ł", "L": "Ł", "i": "i", "j": "j", "dots": "…", "ldots": "…", "S": "§"},
    **{
        "textellipsis": "…",
        "P": "¶",
        "copyright": "©",
        "pounds": "£",
        "euro": "€",
        "textdegree": "°",
    },
    **{"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "LaTeX": "LaTeX"},
    **{
        "TeX": "TeX",
        "textendash": "–",
        "textemdash": "—",
        "quad": " ",
        "qquad": " ",
        "newline": "\n",
    },
    **{"textquoteleft": "‘", "textquoteright": "’", "textbar": "|", "textless": "<"},
    **{"textgreater": ">", "linebreak": "\n", "par": "\n", "textbullet": "•", "and": ", "},
}
_TYPED = {"``": "“", "''": "”", "--": "–", "---": "—", "~": " "}
_ESCAPED = {
    "\\": "\n",
    ",": " ",
    ";": " ",
    ":": " ",
    " ": " ",
    "\n": " ",
    "!": "",
    "/": "",
    "-": "",
}
# Commands whose arguments are no text; the number is how many there are.
_UNREAD = {
    **dict.fromkeys(("label", "vspace", "vspace*", "hspace", "hspace*", "includegraphics"), 1),
    **dict.fromkeys(("input", "include", "bibliography", "bibliographystyle", "pagestyle"), 1),
    **dict.fromkeys(("thispagestyle", "usepackage", "documentclass", "color", "cline"), 1),
    **dict.fromkeys(("cmidrule", "hypersetup", "graphicspath", "index", "phantom", "hfill"), 1),
    **dict.fromkeys(("setlength", "setcounter", "addtocounter", "newtheorem", "rule"), 2),
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "newcommand*", "def"), 2),
    **dict.fromkeys(("definecolor", "addcontentsline", "newenvironment"), 3),
}
_UNREAD["hfill"] = 0
# Commands whose last argument only is text; the number is how many stand before it.
_BEFORE = {
    **{"textcolor": 1, "href": 1, "multicolumn": 2, "multirow": 2, "colorbox": 1, "parbox": 1},
    **{"raisebox": 1, "resizebox": 2, "scalebox": 1, "hyperref": 0, "rotatebox": 1},
}
_REFERENCE = re.compile(
    r"(?:auto|no|foot|full|paren|text|[A-Z]|c|eq|page|name)?(?:cite|ref)[a-z]*\*?$", re.IGNORECASE
)
# Commands that may stand within a word; before what any other one leaves, a word has ended.
_IN_A_WORD = frozenset(
    {"textbf", "textit", "emph", "texttt", "underline", "textsc", "textrm", "textsf", "uline"}
    | {"textsuperscript", "textsubscript", "mbox", "text", "xspace", "hbox", "bf", "it", "em"}
)
_GLUE = "\ue001"
_GLUED = re.compile(r"(?<=\w)\ue001(?=\w)")
_DEEPEST = 60


_MATH_ENDS = {"(": "\\)", "[": "\\]"}
_NOTES = frozenset({"footnote", "thanks", "footnotetext", "marginpar"})
_TABULAR = frozenset({"tabular", "tabular*", "tabularx", "array", "minipage", "longtable"})


def without_comments(source: str) -> str:
    """`source` without what stands behind `%` signs."""
    return _COMMENT.sub(r"\1", source)


def plain(source: str, notes: list[str]) -> str:
    """The text of some LaTeX; formulas stay as they are written, footnotes are put in `notes`."""
    return _Reading(source, notes).text()


def argument(source: str, at: int) -> tuple[str, int]:
    """What stands in the braces that begin at or after `at`, and where the rest begins.

    Without braces it is empty, and the rest begins at `at`.
    """
    start = at
    while start < len(source) and source[start] in " \t\n":
        start += 1
    if source[start : start + 1] != "{":
        return "", at
    depth = 0
    for match in _BRACE.finditer(source, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return source[start + 1 : match.start()], match.end()
    return source[start + 1 :], len(source)


def after_options(source: str, at: int) -> int:
    """Where what follows the arguments in brackets at `at` begins."""
    while found := _OPTION.match(source, at):
        at = found.end()
    return at


class _Reading:
    def __init__(self, source: str, notes: list[str], depth: int = 0) -> None:
        self._source = source
        self._notes = notes
        self._depth = depth
        self._at = 0

    def text(self) -> str:
        parts: list[str] = []
        while match := _TOKEN.match(self._source, self._at):
            self._at = match.end()
            command, escaped, between, brace, math, typed, words = match.groups()
            if command is not None:
                parts.append(self._command(command))
            elif escaped is not None:
                parts.append(self._escaped(escaped))
            elif math:
                parts.append(self._raw(math, math))
            else:
                parts.append(" " if between else "" if brace else _TYPED.get(typed, words or ""))
        text = _GLUED.sub(" ", "".join(parts)).replace(_GLUE, "")
        return unicodedata.normalize("NFC", text)

    def _command(self, name: str) -> str:
        if name in _SIGNS:
            return _SIGNS[name]
        if name in _ACCENTS:
            return self._accented(_ACCENTS[name])
        if name in _NOTES:
            return self._note()
        if name in {"begin", "end"}:
            environment = self._skipped(1)
            self._skipped(1 if name == "begin" and environment in _TABULAR else 0)
            return " "
        if name in _UNREAD or name in _BEFORE:
            self._skipped(_UNREAD.get(name, _BEFORE.get(name, 0)))
            return ""
        if _REFERENCE.match(name):
            keys = self._skipped(1)
            return f"[{keys}]" if keys else ""
        self._at = after_options(self._source, self._at)
        return "" if name in _IN_A_WORD else _GLUE

    def _skipped(self, count: int) -> str:
        """Go past so many arguments; returns the last of them."""
        last = ""
        for _ in range(count):
            self._at = after_options(self._source, self._at)
            last, end = argument(self._source, self._at)
            named = _NAME.match(self._source, self._at) if end == self._at else None
            self._at = named.end() if named else end
        return last

    def _note(self) -> str:
        held = self._skipped(1)
        if self._depth < _DEEPEST:
            words = _Reading(held, self._notes, self._depth + 1).text()
            self._notes.append(" ".join(words.split()))
        return ""

    def _escaped(self, sign: str) -> str:
        if sign in _MATH_ENDS:
            return self._raw(f"\\{sign}", _MATH_ENDS[sign])
        if sign in _ACCENTS:
            return self._accented(_ACCENTS[sign])
        if sign == "\\":
            self._at = after_options(self._source, self._at)
        return _ESCAPED.get(sign, sign)

    def _accented(self, accent: str) -> str:
        letter, end = argument(self._source, self._at)
        if end == self._at:
            letter, end = self._source[self._at : self._at + 1], self._at + 1
        self._at = end
        letter = letter.strip().removeprefix("\\") or " "
        return f"{letter[0]}{accent}{letter[1:]}"

    def _raw(self, begin: str, end: str) -> str:
        """A formula, up to where it ends."""
        found = self._source.find(end, self._at)
        stop = found if found >= 0 else len(self._source)
        held = self._source[self._at : stop]
        self._at = stop + len(end)
        return f"{begin}{held}{end}"
