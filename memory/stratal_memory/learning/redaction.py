"""Secrets of known shape in a text, found by our own patterns, and the text without them.

detect-secrets is not used: on 200,000 characters four of its detectors (JWT, npm, OpenAI,
Cloudant) need more than 8 seconds, it loads requests, and it says what it found but not where.
Every pattern here has bounded repeats or a literal it can't begin again in, so time is linear.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stratal_memory.learning.wordlist import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Where a secret stands, in characters, and what it is: "GitHub token", "password"."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text without its secrets, and the kinds found, in order of their place."""

    text: str
    kinds: tuple[str, ...] = ()


def _luhn(number: str) -> bool:
    """Whether the last digit of a card number checks (ISO/IEC 7812-1, annex B)."""
    digits = [int(sign) for sign in number if sign.isdecimal()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _iban(number: str) -> bool:
    """Whether an IBAN's check digits are right (ISO 13616: remainder 1 by 97)."""
    plain = number.replace(" ", "").upper()
    moved = plain[4:] + plain[:4]
    return 15 <= len(plain) <= 34 and int("".join(str(int(s, 36)) for s in moved)) % 97 == 1


# The words a sentence about passwords goes on with; none of them is one.
_NO_PASSWORD = words(
    """
    a about again also already always an and any as asked at bad because been being better
    broken changed correct default different down easy empty encrypted expired expiring
    fine forgotten good gone hard hashed here hidden important in incorrect invalid it its
    kept known leaked locked long lost managed missing my needed needs never new no not
    now often ok okay old on only optional out outdated probably protected really required
    reset right safe salted same saved secret secure set short so something somewhere
    still stored strong stuck super supposed taped terrible that the there this to too
    unique unknown unsafe updated very visible weak what where working written wrong your
    """
)


def _password(word: str) -> bool:
    """Whether the word after "password is" can be one."""
    plain = word.strip("\"'`“”‘’.,;:!?()*")
    return len(plain) >= 4 and plain.casefold() not in _NO_PASSWORD


def _always(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Shape:
    """A secret's look: the group `secret` where there is one, else the whole match."""

    kind: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] = _always


def _key(pattern: str) -> re.Pattern[str]:
    """`pattern` where a word begins; the prefix can't be the middle of something longer."""
    return re.compile(rf"(?<![A-Za-z0-9_-]){pattern}")


# Separators people write between the name of a secret and the secret itself.
_IS = r"\s{0,3}(?:is|was|=|:)?\s{0,3}"
_SAID = r"\s{0,3}(?:(?:is|was)(?: now| still)?\s{0,3}:?|[=:])\s{0,3}"
_QUOTED = r"[\"'`“‘][^\n\"'`“”‘’]{4,100}[\"'`”’]"
_ARMOR = r"[A-Za-z0-9+/=\s:,.-]"
_PASSWORD = (
    r"\b(?:password|passwd|passphrase|passcode|pwd|login code|pin code)"
    r"(?: (?:for|of|to|on|at|in) [^\n.:=]{1,40}?)?"
)
# After "is" a plain word is a password only where the clause ends with it: "is hard to guess".
_PLAIN_END = r"(?=[\s.!?,;)]{0,3}(?:\Z|\n|(?<=[.!?,;)\n])|(?:and|but|so)\b))"

_SHAPES: tuple[_Shape, ...] = (
    _Shape(
        "private key",
        # A key cut off by the end of the message is one too. The last branch only consumes what
        # the first has read in vain, so that many heads without a tail stay linear.
        re.compile(
            r"-----BEGIN (?P<label>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----(?:"
            rf"{_ARMOR}{{0,20000}}?(?:-----END (?P=label)-----|\Z|(?=[^A-Za-z0-9+/=\s:,.-]))"
            rf"|{_ARMOR}{{20000}})"
        ),
    ),
    _Shape("Anthropic key", _key(r"sk-ant-[A-Za-z0-9_-]{16,300}")),
    _Shape("OpenRouter key", _key(r"sk-or-[A-Za-z0-9_-]{16,300}")),
    _Shape("OpenAI key", _key(r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,300}")),
    _Shape("OpenAI key", _key(r"sk-[A-Za-z0-9]{20,100}(?![A-Za-z0-9_-])")),
    _Shape("Google key", _key(r"AIza[A-Za-z0-9_-]{30,40}")),
    _Shape("Google OAuth secret", _key(r"GOCSPX-[A-Za-z0-9_-]{20,40}")),
    _Shape("Hugging Face token", _key(r"hf_[A-Za-z0-9]{20,60}")),
    _Shape("xAI key", _key(r"xai-[A-Za-z0-9_-]{20,120}")),
    _Shape("Groq key", _key(r"gsk_[A-Za-z0-9]{20,80}")),
    _Shape("Perplexity key", _key(r"pplx-[A-Za-z0-9]{20,80}")),
    _Shape(
        "GitHub token", _key(r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})")
    ),
    _Shape(
        "GitLab token",
        _key(r"gl(?:pat|dt|ft|soat|rt|cbt|ptt|agent|imt|oas)-[A-Za-z0-9_.-]{20,300}"),
    ),
    _Shape("AWS key id", _key(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])")),
    _Shape(
        "AWS secret key",
        re.compile(
            r"(?i:aws|secret)[ _-]?(?i:secret|access)[ _-]?(?i:access[ _-]?)?(?i:key)[\"']?"
            + _IS
            + r"[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"
        ),
    ),
    _Shape("Slack token", _key(r"xox[abeoprs]-[A-Za-z0-9-]{10,250}")),
    _Shape("Slack token", _key(r"xapp-\d-[A-Za-z0-9-]{10,250}")),
    _Shape(
        "Slack webhook",
        re.compile(
            r"https://hooks\.slack\.com/services/[A-Za-z0-9]{5,20}/[A-Za-z0-9]{5,20}/[A-Za-z0-9]{10,40}"
        ),
    ),
    _Shape("Stripe key", _key(r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,120}")),
    _Shape("SendGrid key", _key(r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}")),
    _Shape("npm token", _key(r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])")),
    _Shape("PyPI token", _key(r"pypi-[A-Za-z0-9_-]{50,400}")),
    _Shape("DigitalOcean token", _key(r"do[opr]_v1_[a-f0-9]{64}")),
    _Shape("Telegram bot token", _key(r"\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    _Shape(
        "Discord bot token",
        _key(r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ),
    _Shape("Twilio key", _key(r"(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])")),
    _Shape("Azure storage key", re.compile(r"AccountKey=(?P<secret>[A-Za-z0-9+/=]{40,100})")),
    _Shape(
        "JSON web token",
        _key(r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"),
    ),
    _Shape(
        "password in a URL",
        re.compile(
            r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s/@]{1,200})@"
        ),
    ),
    _Shape(
        "bearer token",
        re.compile(r"\b[Bb]earer\s{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{20,2000})"),
    ),
    _Shape(
        "password",
        re.compile(
            rf"{_PASSWORD}\s{{0,3}}[=:]\s{{0,3}}(?!\[secret:)(?P<secret>{_QUOTED}|[^\s\"'`“”‘’,;]{{4,200}})",
            re.IGNORECASE,
        ),
        _password,
    ),
    _Shape(
        "password",
        re.compile(
            rf"{_PASSWORD}\s{{0,3}}(?:is|was)(?: now| still)?\s{{1,3}}"
            rf"(?!\[secret:)(?P<secret>{_QUOTED}"
            r"|(?=[A-Za-z]{0,60}[\d@#$%^&*_+=~!][^\s,;]|[A-Za-z]{0,60}\d|[A-Za-z]{0,60}[a-z](?-i:[A-Z]))"
            rf"[^\s\"'`“”‘’,;]{{4,200}}|[A-Za-z]{{4,60}}{_PLAIN_END})",
            re.IGNORECASE,
        ),
        _password,
    ),
    _Shape(
        "password",
        re.compile(
            r"\bPIN(?: (?:for|of|to) [^\n.:=]{1,40}?)?" + _SAID + r"(?P<secret>\d{4,8})\b",
            re.IGNORECASE,
        ),
    ),
    _Shape(
        "key",
        re.compile(
            r"\b(?:api|access|secret|auth|client|private|encryption|license)[ _-]?"
            r"(?:key|token|secret)(?: (?:for|of|to) [^\n.:=]{1,40}?)?[\"']?"
            + _SAID
            + r"[\"'`]?(?P<secret>(?=[^\s\d]{0,200}\d)[A-Za-z0-9_./+=-]{12,200})",
            re.IGNORECASE,
        ),
    ),
    _Shape(
        "card number", re.compile(r"(?<![\d.,-])(?<!\d )[2-6](?:[ -]?\d){12,18}(?![ -]?\d)"), _luhn
    ),
    _Shape(
        "IBAN",
        re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
        _iban,
    ),
)


def find_secrets(text: str) -> list[Secret]:
    """The secrets in `text` in order; of two that overlap the first, then the longer.

    >>> [(s.start, s.kind) for s in find_secrets("my password is hunter2, right?")]
    [(15, 'password')]
    """
    found = sorted(_candidates(text), key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:
            # Two overlap: the rest of the later one is a secret too.
            kept.append(Secret(start=kept[-1].end, end=secret.end, kind=secret.kind))
    return kept


def _candidates(text: str) -> Iterator[Secret]:
    for shape in _SHAPES:
        for match in shape.pattern.finditer(text):
            group = "secret" if "secret" in shape.pattern.groupindex else 0
            if shape.check(match[group]):
                yield Secret(start=match.start(group), end=match.end(group), kind=shape.kind)


def redact(text: str) -> Redacted:
    """`text` with each secret replaced by `[secret: KIND]`; a second pass finds nothing more.

    >>> redact("The key is ghp_" + "a1B2" * 9).text
    'The key is [secret: GitHub token]'
    """
    parts: list[str] = []
    position = 0
    secrets = find_secrets(text)
    for secret in secrets:
        parts += (text[position : secret.start], f"[secret: {secret.kind}]")
        position = secret.end
    return Redacted(
        text="".join((*parts, text[position:])), kinds=tuple(secret.kind for secret in secrets)
    )
