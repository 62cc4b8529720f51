r"""Triggers: regular expressions of skills, admitted only when they can't run away.

Python's engine tries every way a pattern can match. Here the ways are counted before a pattern is
admitted: a repeat offers as many as its range is wide, a sequence multiplies, `|` adds. So
`(a+)+` is refused (4,000 ** 4,000 ways) and `order .{0,40}flour` is not (41 ways).
"""

import re
import warnings
from dataclasses import dataclass

from stratal_memory.errors import InputError

MAX_TEXT = 4_000  # characters of a message that triggers look at
MAX_PATTERN = 500  # characters
# Four times the ways of one `.*`; with a start at every character that is 64 million steps,
# about a second at worst, and only for a message written to provoke it.
MAX_WAYS = 4 * MAX_TEXT
MAX_DEPTH = 20  # groups inside groups
MANY = 10**12  # counting stops here

_REPEAT = re.compile(r"\*|\+|\?|\{(\d*)(?:(,)(\d*))?\}")
_REWRITE = "Use bounded gaps such as .{0,40} and no repeat around a group that repeats."


@dataclass(frozen=True, slots=True)
class Trigger:
    """One admitted pattern; case is ignored and a run of white space counts as one blank."""

    pattern: str

    def __post_init__(self) -> None:
        _compiled(self.pattern)
        ways = _Scan(self.pattern).ways()
        if ways > MAX_WAYS:
            raise InputError(
                f"{self.pattern!r} can match in {_rough(ways)} ways, {MAX_WAYS:,} are allowed",
                hint=_REWRITE,
            )

    def found(self, message: str) -> str | None:
        """The part of `message` that matches, None when none does in its first 4,000 characters.

        >>> Trigger("order (more )?flour").found("Please ORDER  flour today")
        'ORDER flour'
        """
        match = re.search(self.pattern, searchable(message), re.IGNORECASE)
        return match.group() if match else None


def searchable(message: str) -> str:
    """What triggers look at: the first 4,000 characters, runs of white space made one blank."""
    return " ".join(message[:MAX_TEXT].split())


def _compiled(pattern: str) -> re.Pattern[str]:
    if not pattern.strip() or len(pattern) > MAX_PATTERN:
        raise InputError(
            f"a trigger has 1 to {MAX_PATTERN} characters, this one has {len(pattern)}",
            hint="Write several short triggers instead of one.",
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # "possible nested set": the meaning would change
            compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise InputError(
            f"{pattern!r} is not a regular expression: {error}",
            hint="Correct it; a literal ( [ . ? * + needs a backslash before it.",
        ) from error
    if compiled.search(""):
        raise InputError(
            f"{pattern!r} matches the empty text, so it would match every message",
            hint="Name at least one word that has to be there.",
        )
    return compiled


def _rough(ways: int) -> str:
    return f"{ways:,}" if ways <= MANY else f"over {MANY:,}"


class _Scan:
    """Counts the ways of a pattern that `re` has already accepted."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern.removeprefix("(?i)")
        self._at = 0
        self._depth = 0

    def ways(self) -> int:
        """The sum over alternatives of the product over their parts, at most `MANY` + 1."""
        total, product = 0, 1
        while self._at < len(self._text) and self._text[self._at] != ")":
            if self._take("|"):
                total, product = total + product, 1
                continue
            product = _capped(product * self._part())
        return _capped(total + product)

    def _part(self) -> int:
        start = self._at
        inner = self._atom()
        blank = self._text[start : self._at] in {" ", r"\s"}  # runs were made one blank
        least, most = self._range()
        if blank:
            most = min(most, least + 1)
        if inner == 1:
            return most - least + 1
        # One way for each choice inside each turn of the repeat, and one for each number of turns.
        return _capped(_power(inner, most) + most - least)

    def _atom(self) -> int:
        if self._take("("):
            return self._group()
        if self._take("["):
            self._class()
            return 1
        if self._take("\\") and self._text[self._at : self._at + 1] in set("123456789"):
            raise InputError("a trigger can't refer back to a group", hint="Write the words out.")
        self._at += 1
        return 1

    def _group(self) -> int:
        if self._take("?"):
            named = re.match(r":|P<\w+>", self._text[self._at :])
            if named is None:
                raise InputError(
                    "a trigger has only plain groups: ( ), (?: ) and (?P<name> )",
                    hint="Write it without looking ahead or back, conditions and inline flags.",
                )
            self._at += named.end()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InputError(f"groups are nested over {MAX_DEPTH} deep", hint=_REWRITE)
        inner = self.ways()
        self._depth -= 1
        self._take(")")
        return inner

    def _class(self) -> None:
        self._take("^")
        self._take("]")
        while not self._take("]"):
            self._at += 2 if self._text[self._at] == "\\" else 1

    def _range(self) -> tuple[int, int]:
        """How often the atom before may come, at least and at most."""
        found = _REPEAT.match(self._text, self._at)
        if found is None or found.group() == "{}":
            return 1, 1
        self._at = found.end()
        if not self._take("?"):
            self._take("+")
        if found.group() in {"*", "+", "?"}:
            return int(found.group() == "+"), 1 if found.group() == "?" else MAX_TEXT
        low, comma, high = found.groups()
        least = min(int(low or 0), MAX_TEXT)
        if not comma:
            return least, least
        return least, max(least, min(int(high or MAX_TEXT), MAX_TEXT))

    def _take(self, character: str) -> bool:
        taken = self._text.startswith(character, self._at)
        self._at += len(character) if taken else 0
        return taken


def _capped(ways: int) -> int:
    return min(ways, MANY + 1)


def _power(base: int, exponent: int) -> int:
    product = 1
    for _ in range(exponent):
        product *= base
        if product > MANY:
            break
    return product
