"""Numbers of a spreadsheet as a person reads them: dates, percent, the cents."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

Show = Callable[[float], str]

_EPOCH, _MAC_EPOCH = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 2_958_466  # 10000-01-01, which no format can show
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_BRACKETS = re.compile(r"\[(?!\$)[^\]]*\]")  # colours and conditions; [$€-407] is a currency
_CURRENCY = re.compile(r'\[\$([^\]-]*)[^\]]*\]|"?\s?([$€£¥₹])\s?"?')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_DIGITS = 12  # significant ones; beyond them a binary fraction begins to show

# The formats every file may use without naming them (ECMA-376 part 1, 18.8.30).
BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00"},
    **{14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss"},
    **{20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0"},
    **{39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "0.0E+0"},
    **dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}


def plain_number(number: float) -> str:
    """`number` without what binary fractions add to it.

    >>> plain_number(0.1 + 0.2), plain_number(3.0), plain_number(1e21)
    ('0.3', '3', '1e+21')
    """
    if number.is_integer() and abs(number) < 10**15:
        return str(int(number))
    return f"{number:.{_DIGITS}g}"


def show(code: str, *, since_1904: bool = False) -> Show:
    """How numbers look under a format code; no thousands separators, dates in ISO 8601.

    >>> show("0.0%")(0.1234), show("[$€-407] #,##0.00")(1234.5), show("dd/mm/yy")(45292)
    ('12.3%', '€1234.5', '2024-01-01')
    """
    section = code.partition(";")[0]
    if _ELAPSED.search(section):
        return _duration
    bare = _BRACKETS.sub("", _LITERAL.sub("", section)).lower()
    bare = _CURRENCY.sub("", bare)
    if "general" not in bare and re.search(r"[ymdhs]", bare):
        return _dates(bare, _MAC_EPOCH if since_1904 else _EPOCH)
    return _amounts(section, bare)


def _amounts(section: str, bare: str) -> Show:
    found = _CURRENCY.search(section)
    symbol = (found[1] or found[2] or "") if found else ""
    percent = "%" in bare
    decimals = len(re.match(r"[0#?]*", bare.partition(".")[2])[0])  # type: ignore[index]
    fixed = "e" not in bare and "/" not in bare and re.search(r"[0#?]", bare)

    def amount(number: float) -> str:
        scaled = number * 100 if percent else number
        if not fixed or abs(scaled) >= 10**15:
            return f"{symbol}{plain_number(number)}"
        rounded = plain_number(round(scaled, decimals))
        return f"{symbol}{rounded}{'%' if percent else ''}"

    return amount


def _dates(bare: str, epoch: datetime) -> Show:
    dated = re.search(r"[yd]", bare) or ("m" in bare and not re.search(r"[hs]", bare))
    timed = re.search(r"[hs]", bare)

    def moment(number: float) -> str:
        if not 0 <= number < _LAST_DAY:
            return plain_number(number)
        shown = epoch + timedelta(days=number)
        # Half a second more: a binary fraction of a day falls just short of its second.
        shown = (shown + timedelta(milliseconds=500)).replace(microsecond=0)
        if dated and timed:
            return shown.strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")
        return shown.strftime("%Y-%m-%d" if dated else "%H:%M:%S")

    return moment


def _duration(number: float) -> str:
    if abs(number) >= _LAST_DAY:
        return plain_number(number)
    seconds = round(abs(number) * 86400)
    return f"{'-' if number < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
