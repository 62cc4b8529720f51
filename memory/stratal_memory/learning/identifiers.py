"""What tells one person from all others: addresses, numbers, ids; found by our own patterns.

A name, a town, an employer or a birthday is what memory is for and no identifier here. Every
pattern is bounded, so time is linear; a number counts only where its check digits are right or
its name stands before it.
"""

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from stratal_memory.learning import card_numbers
from stratal_memory.learning.national_ids import NATIONAL
from stratal_memory.learning.secret_shapes import iban
from stratal_memory.learning.visible import Visible


class Identifier(StrEnum):
    """A kind of identifier, in the words it is shown by."""

    EMAIL = "e-mail"
    PHONE = "phone number"
    ADDRESS = "postal address"
    IP = "IP address"
    NATIONAL_ID = "national id"
    CARD = "card number"
    IBAN = "IBAN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """Where an identifier stands, in characters, and its kind."""

    start: int
    end: int
    kind: Identifier


_DATE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d\d?[-./ ]\d\d?.*|\d\d?[-./]\d\d?[-./](?:19|20)?\d\d(?: .*)?"
)


def _phone(text: str) -> bool:
    """Whether the digits make a phone number and no date."""
    digits = re.sub(r"\D", "", text)
    return 8 <= len(digits) <= 15 and not _DATE.fullmatch(text)


def _public(text: str) -> bool:
    """Whether it is an address of the internet; one of a home network tells nobody apart."""
    try:
        return ipaddress.ip_address(text).is_global
    except ValueError:
        return False


def _always(_: str) -> bool:
    return True


_CAP = r"[A-ZÀ-Þ][\w'’.-]{0,30}"
_SUFFIX = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Way|Place|Pl|Terrace"
    r"|Close|Crescent|Square|Sq|Parkway|Pkwy|Row|Grove|Gardens|Mews|Circle|Cir|Highway|Hwy)"
)
_STEM = (
    r"(?:straße|strasse|str\.|weg|platz|allee|gasse|damm|ufer|straat|laan|plein|gracht|kade|steeg"
    r"|vägen|gatan|veien|gata|vej|gade|katu|tie)"
)
_STREET_FIRST = (
    r"(?:Calle|Avenida|Avda\.|Paseo|Plaza|Carrer|Via|Viale|Piazza|Corso|Rua|Travessa|Largo|ulica"
    r"|ul\.|al\.|Ulica)"
)
_RUE = r"(?:rue|avenue|boulevard|place|chemin|allée|impasse|quai)"
_SAID = (
    r"(?:phone|mobile|cell|tel|telephone|whatsapp|call me (?:on|at)|text me (?:on|at)"
    r"|reach me (?:on|at))"
)

_SHAPES: tuple[tuple[Identifier, re.Pattern[str], Callable[[str], bool]], ...] = (
    (
        Identifier.EMAIL,
        re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}\b"),
        _always,
    ),
    (
        Identifier.PHONE,
        re.compile(r"(?<![\w+.])\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){2,6}(?![\w-])"),
        _phone,
    ),
    (
        Identifier.PHONE,
        re.compile(r"(?<![\w.-])\(?0\d{1,5}\)?[ ./-]\d{2,5}(?:[ ./-]?\d{2,5}){1,4}(?![\w-])"),
        _phone,
    ),
    (
        Identifier.PHONE,
        re.compile(r"(?<![\w.-])(?:1[ .-])?\(?[2-9]\d{2}\)?[ .-][2-9]\d{2}[ .-]\d{4}(?![\w-])"),
        _phone,
    ),
    (
        Identifier.PHONE,
        re.compile(
            rf"\b{_SAID}(?: number)?(?: is|:| =)? ?(?P<it>\+?\d[\d ./()-]{{6,20}}\d)(?!\w)",
            re.IGNORECASE,
        ),
        _phone,
    ),
    (
        Identifier.ADDRESS,
        re.compile(
            rf"(?<![\w.-])\d{{1,5}}[A-Za-z]?,? (?:{_CAP} ){{1,4}}{_SUFFIX}\b\.?"
            r"(?:,? (?:Apt|Apartment|Flat|Unit|Suite|#) ?\w{1,6})?"
            r"(?:,? [A-ZÀ-Þ][\w'-]{1,30},? [A-Z]{2} \d{5}(?:-\d{4})?)?"
        ),
        _always,
    ),
    (
        Identifier.ADDRESS,
        re.compile(
            rf"(?<![\w-])[A-ZÀ-Þ][\w-]{{0,40}}?(?:{_STEM}| (?i:{_STEM})) \d{{1,4}} ?[a-h]?\b"
            rf"(?:,? \d{{4,5}} {_CAP})?"
        ),
        _always,
    ),
    (
        Identifier.ADDRESS,
        re.compile(
            rf"\b{_STREET_FIRST} (?:[\w'’.-]{{1,30}} ){{0,3}}{_CAP},? (?:n\.?º? ?)?\d{{1,4}}\b"
        ),
        _always,
    ),
    (
        Identifier.ADDRESS,
        re.compile(
            rf"(?<![\w.-])\d{{1,4}}(?: ?(?:bis|ter))?,? {_RUE} (?:(?:de|du|des|la|le|les) |l'"
            rf"|d'){{0,3}}{_CAP}"
            rf"(?: {_CAP}){{0,3}}",
            re.IGNORECASE,
        ),
        _always,
    ),
    (
        Identifier.ADDRESS,
        re.compile(
            r"(?<![\w-])(?:GIR 0AA|[A-PR-UWYZ][A-HK-Y]?\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})(?![\w-])"
        ),
        _always,
    ),
    (
        Identifier.IP,
        re.compile(r"(?<![\w.])(?<!version )(?<!release )\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)"),
        _public,
    ),
    (
        Identifier.IP,
        re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}::?){2,7}[0-9A-Fa-f]{1,4}(?![\w:])"),
        _public,
    ),
    (Identifier.CARD, card_numbers.PLAIN, card_numbers.card),
    (Identifier.CARD, card_numbers.LONG, card_numbers.card),
    (
        Identifier.IBAN,
        re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
        iban,
    ),
    *((Identifier.NATIONAL_ID, pattern, check) for pattern, check in NATIONAL),
)


def identified(text: str) -> list[Identified]:
    """The identifiers in `text`, in order; two that overlap count as one.

    >>> [(one.kind.value, one.start) for one in identified("write to ana@mail.example")]
    [('e-mail', 9)]
    """
    plain = Visible.of(text)
    found = sorted(
        _candidates(plain), key=lambda one: (one.start, -one.end, list(Identifier).index(one.kind))
    )
    kept: list[Identified] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end > kept[-1].end:
            kept[-1] = replace(kept[-1], end=one.end)
    return kept


def _candidates(plain: Visible) -> Iterator[Identified]:
    if not any(sign.isdigit() or sign == "@" for sign in plain.text):
        return
    for kind, pattern, check in _SHAPES:
        for match in pattern.finditer(plain.text):
            group = next(filter(pattern.groupindex.__contains__, ("it", "secret")), 0)
            if match[group] and check(match[group]):
                start, end = match.span(group)
                yield Identified(start=plain.place(start), end=plain.end(end), kind=kind)
