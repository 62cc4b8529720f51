"""Payment card numbers: the prefixes and lengths that are issued, and how people group them.

Source: ISO/IEC 7812-1 (the check digit) and the number ranges the schemes publish, as of
November 2026. Prefix, length and check digit together leave one number in some hundreds.
"""

import re

_ISSUED = re.compile(
    r"4\d{12}(?:\d{3}|\d{6})?"  # Visa
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-59]|[689]\d)\d{11}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|(?:6011|64[4-9]\d|65\d\d)\d{12}(?:\d{3})?"  # Discover
    r"|62\d{14,17}"  # UnionPay
    r"|(?:5018|5020|5038|6304|6759|676[1-3])\d{12}"  # Maestro
    r"|220[0-4]\d{12}"  # Mir
)
_GOODS = 13  # digits of a trade item number (EAN), which has another check digit

# What a card number may not touch: letters, digits and hyphens make it a part of something longer.
_BEFORE = r"(?<![A-Za-z0-9_.-])(?<!\d[ ,])"
_AFTER = r"(?![A-Za-z0-9_]|-[A-Za-z0-9]|\.\d| \d{4}(?!\d))"
_ADDRESS = (  # it is passed over as a whole
    r"(?:(?<![A-Za-z0-9+.-])[A-Za-z]{2,8}://|(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/)"
    r"[^\s<>\"'|,;)\]]{1,4000}"
)


def _outside_addresses(number: str) -> re.Pattern[str]:
    return re.compile(rf"{_ADDRESS}|{_BEFORE}(?P<secret>{number}){_AFTER}")


PLAIN = _outside_addresses(
    r"[2-6](?:\d{12,18}|\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{4}|\d{3}[ -]\d{6}[ -]\d{4,5})"
)
"""Unparted, in fours, or as the cards with 14 and 15 digits have them; `secret` is the number."""

LONG = _outside_addresses(
    r"[2-6](?:\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,3}"
    r"|\d{5}[ -]\d{13}|\d{3}[ -]\d{3}[ -]\d{3}[ -]\d{3})"
)
"""In the groups of other lengths; for itself, because a card's code may follow sixteen digits."""


def card(number: str) -> bool:
    """Whether a number is one that is issued to cards, and its last digit checks."""
    digits = "".join(sign for sign in number if sign.isdecimal())
    if not digits.isascii() or not _ISSUED.fullmatch(digits) or len(set(digits)) == 1:
        return False
    if len(digits) == _GOODS and _weighed(digits, 3) % 10 == 0:
        return False
    return luhn(digits)


def luhn(digits: str) -> bool:
    """Whether the last digit checks (ISO/IEC 7812-1, annex B)."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def _weighed(digits: str, weight: int) -> int:
    return sum(map(int, digits[-1::-2])) + weight * sum(map(int, digits[-2::-2]))
