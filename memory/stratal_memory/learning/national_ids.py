"""The numbers states give to people: patterns, and the check digits where there are any."""

import re
from collections.abc import Callable


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdecimal()]


def _ssn(text: str) -> bool:
    """A US social security number: no area 000, 666 or 9xx, no group 00, no serial 0000."""
    area, group, serial = text.split("-")
    return area not in {"000", "666"} and area[0] != "9" and group != "00" and serial != "0000"


def _dni(text: str) -> bool:
    """A Spanish DNI or NIE: the letter is the number's remainder by 23."""
    plain = text.replace("-", "").upper()
    number = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdecimal() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == plain[-1]


def _nir(text: str) -> bool:
    """A French social security number: the key is 97 less the remainder by 97."""
    plain = text.replace(" ", "").replace("2A", "19").replace("2B", "18")
    return plain.isdecimal() and 97 - int(plain[:13]) % 97 == int(plain[13:])


_ODD = (
    1,
    0,
    5,
    7,
    9,
    13,
    15,
    17,
    19,
    21,
    2,
    4,
    18,
    20,
    11,
    3,
    6,
    8,
    12,
    14,
    16,
    10,
    22,
    25,
    24,
    23,
)


def _codice(text: str) -> bool:
    """An Italian codice fiscale: the last letter is a weighed sum by 26."""
    signs = [int(sign, 36) - (0 if sign.isdecimal() else 10) for sign in text.upper()]
    total = sum(_ODD[sign] if place % 2 == 0 else sign for place, sign in enumerate(signs[:-1]))
    return total % 26 == signs[-1]


def _cpf(text: str) -> bool:
    """A Brazilian CPF: two check digits by 11."""
    digits = _digits(text)
    if len(set(digits)) == 1:
        return False
    for count in (9, 10):
        rest = sum(digit * (count + 1 - i) for i, digit in enumerate(digits[:count])) * 10 % 11 % 10
        if rest != digits[count]:
            return False
    return True


def _bsn(text: str) -> bool:
    """A Dutch BSN: the weighed sum is divisible by 11."""
    digits = _digits(text)
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return len(digits) == 9 and sum(a * b for a, b in zip(digits, weights, strict=True)) % 11 == 0


def _pesel(text: str) -> bool:
    """A Polish PESEL: the weighed sum is divisible by 10."""
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)
    return sum(a * b for a, b in zip(_digits(text), weights, strict=True)) % 10 == 0


def _personnummer(text: str) -> bool:
    """A Swedish personnummer: the last ten digits pass Luhn's check."""
    digits = _digits(text)[-10:]
    return sum(sum(divmod(d * (2 - i % 2), 10)) for i, d in enumerate(digits)) % 10 == 0


def _always(_: str) -> bool:
    return True


def _called(names: str, number: str) -> re.Pattern[str]:
    """The number where one of its names stands before it."""
    return re.compile(
        rf"\b(?:{names})(?: (?:number|no|nr)\.?)?(?: is|:| =)? ?(?P<it>{number})(?!\w)",
        re.IGNORECASE,
    )


NATIONAL: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"), _ssn),
    (re.compile(r"(?<![\w-])(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z](?![\w-])"), _dni),
    (
        re.compile(r"(?<![\w-])[12] ?\d\d ?[01]\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\w-])"),
        _nir,
    ),
    (re.compile(r"(?<!\w)[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?!\w)"), _codice),
    (re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])"), _cpf),
    (
        re.compile(r"(?<!\w)[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?!\w)"),
        _always,  # a British national insurance number has no check digit
    ),
    (_called("bsn|burgerservicenummer", r"\d{3}[. ]?\d{3}[. ]?\d{3}"), _bsn),
    (_called("pesel", r"\d{11}"), _pesel),
    (re.compile(r"(?<![\w-])(?:19|20)?\d{6}[-+]\d{4}(?![\w-])"), _personnummer),
    (
        _called(
            "ssn|social security|sin|social insurance|aadhaar|cpf|nino|national id|id card"
            "|tax id|steuer-?id"
            r"|personalausweis|ahv|dni|nie",
            r"[A-Z0-9][A-Z0-9 .-]{5,18}\d[A-Z0-9]?",
        ),
        lambda text: sum(sign.isdecimal() for sign in text) >= 6,
    ),
    (
        _called("passport", r"[A-Z0-9]{6,10}"),
        lambda text: sum(sign.isdecimal() for sign in text) >= 5,
    ),
)
