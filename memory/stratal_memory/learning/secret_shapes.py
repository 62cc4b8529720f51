"""What secrets look like: the key formats of providers, and how people write passwords.

Every pattern has bounded repeats or a literal it can't begin again in, so time is linear.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from stratal_memory.learning import card_numbers
from stratal_memory.learning.wordlist import words


def iban(number: str) -> bool:
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


def always(_: str) -> bool:
    """True: the shape alone is enough."""
    return True


@dataclass(frozen=True, slots=True)
class Shape:
    """A secret's look: the group `secret` where there is one, else the whole match."""

    kind: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] = always


def _key(pattern: str) -> re.Pattern[str]:
    """`pattern` where a word begins; the prefix can't be the middle of something longer."""
    return re.compile(rf"(?<![A-Za-z0-9_-]){pattern}")


# Separators people write between the name of a secret and the secret itself.
_BE = r"(?:is|was|ist|war|lautet|es|est|era|était|è|é)"
_IS = rf"\s{{0,3}}(?:{_BE}|=|:)?\s{{0,3}}"
_SAID = rf"\s{{0,3}}(?:{_BE}(?: now| still)?\s{{0,3}}:?|[=:])\s{{0,3}}"
_QUOTED = r"[\"'`“‘][^\n\"'`“”‘’]{4,100}[\"'`”’]"
_ARMOR = r"[A-Za-z0-9+/=\s:,.-]"
_PASSWORD = (
    r"\b(?:password|passwd|passphrase|passcode|pwd|login code|pin code|(?:pass|network|router) ?key"
    r"|(?:wi-?fi|wlan|wpa2?)[ -](?:key|code|pass|pw|schlüssel)|alarm code|(?:door|gate|lock) code"
    r"|(?:\w{1,20}-?)?(?:passwort|kennwort)|contrase[ñn]a|mot de passe|senha|palavra-passe"
    r"|wachtwoord|l[öo]senord|adgangskode|has[łl]o|парол[ья])"
    r"(?: (?:for|of|to|on|at|in|für|von|para|de|du|pour|per) [^\n.:=]{1,40}?)?"
)
# After "is" a plain word is a password only where the clause ends with it: "is hard to guess".
_PLAIN_END = r"(?=[\s.!?,;)]{0,3}(?:\Z|\n|(?<=[.!?,;)\n])|(?:and|but|so)\b))"

# Keys that are known by the letters they begin with; formats as of November 2026.
_PREFIXED: tuple[tuple[str, str], ...] = (
    ("Google OAuth token", r"ya29\.[A-Za-z0-9_-]{20,500}"),
    ("Google key", r"AQ\.Ab[A-Za-z0-9_-]{30,120}"),
    ("AWS Bedrock key", r"ABSK[A-Za-z0-9+/]{60,200}={0,2}"),
    ("Azure key", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}"),
    ("Replicate token", r"r8_[A-Za-z0-9]{30,50}"),
    ("Fireworks key", r"fw_[A-Za-z0-9]{20,40}"),
    ("Together key", r"tgp_v1_[A-Za-z0-9_-]{30,60}"),
    ("Cerebras key", r"csk-[a-z0-9]{40,60}"),
    ("NVIDIA key", r"nvapi-[A-Za-z0-9_-]{50,80}"),
    ("Jina key", r"jina_[A-Za-z0-9_-]{40,80}"),
    ("Tavily key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,50}"),
    ("ElevenLabs key", r"sk_[a-f0-9]{48}(?![A-Za-z0-9])"),
    ("Pinecone key", r"pcsk_[A-Za-z0-9_]{40,120}"),
    ("LangSmith key", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    ("Notion token", r"ntn_[A-Za-z0-9]{40,60}"),
    ("Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,70}"),
    ("Figma token", r"fig[dou]_[A-Za-z0-9_-]{30,60}"),
    ("Databricks token", r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("Shopify token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("Sentry token", r"sntry[su]_[A-Za-z0-9+/=_-]{40,300}"),
    ("Vault token", r"hv[sbr]\.[A-Za-z0-9_-]{20,300}"),
    ("Atlassian token", r"ATATT3x[A-Za-z0-9_=-]{100,250}"),
    ("Supabase key", r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60})"),
    ("PlanetScale token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,70}"),
    ("Docker token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,60}"),
    ("Grafana token", r"gl(?:sa|c)_[A-Za-z0-9+/=_]{30,400}"),
    ("Postman key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("New Relic key", r"NRAK-[A-Z0-9]{27}"),
    ("Mailgun key", r"key-[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("Mapbox token", r"sk\.eyJ[A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{15,40}"),
    ("Square token", r"(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,50}|EAAA[A-Za-z0-9_-]{60})"),
    ("RubyGems key", r"rubygems_[a-f0-9]{48}"),
    ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("Heroku key", r"HRKU-[A-Za-z0-9_-]{36,70}"),
)

SHAPES: tuple[Shape, ...] = (
    Shape(
        "private key",
        # A key cut off by the end of the message is one too. The last branch only consumes what
        # the first has read in vain, so that many heads without a tail stay linear.
        re.compile(
            r"-----BEGIN (?P<label>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----(?:"
            rf"{_ARMOR}{{0,20000}}?(?:-----END (?P=label)-----|\Z|(?=[^A-Za-z0-9+/=\s:,.-]))"
            rf"|{_ARMOR}{{20000}})"
        ),
    ),
    Shape("Anthropic key", _key(r"sk-ant-[A-Za-z0-9_-]{16,300}")),
    Shape("OpenRouter key", _key(r"sk-or-[A-Za-z0-9_-]{16,300}")),
    Shape("OpenAI key", _key(r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,300}")),
    Shape("OpenAI key", _key(r"sk-[A-Za-z0-9]{20,100}(?![A-Za-z0-9_-])")),
    Shape("Google key", _key(r"AIza[A-Za-z0-9_-]{30,40}")),
    Shape("Google OAuth secret", _key(r"GOCSPX-[A-Za-z0-9_-]{20,40}")),
    Shape("Hugging Face token", _key(r"hf_[A-Za-z0-9]{20,60}")),
    Shape("xAI key", _key(r"xai-[A-Za-z0-9_-]{20,120}")),
    Shape("Groq key", _key(r"gsk_[A-Za-z0-9]{20,80}")),
    Shape("Perplexity key", _key(r"pplx-[A-Za-z0-9]{20,80}")),
    Shape(
        "GitHub token", _key(r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})")
    ),
    Shape(
        "GitLab token",
        _key(r"gl(?:pat|dt|ft|soat|rt|cbt|ptt|agent|imt|oas)-[A-Za-z0-9_.-]{20,300}"),
    ),
    Shape("AWS key id", _key(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])")),
    Shape(
        "AWS secret key",
        re.compile(
            r"(?i:aws|secret)[ _-]?(?i:secret|access)[ _-]?(?i:access[ _-]?)?(?i:key)[\"']?"
            + _IS
            + r"[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"
        ),
    ),
    Shape("Slack token", _key(r"xox[abeoprs]-[A-Za-z0-9-]{10,250}")),
    Shape("Slack token", _key(r"xapp-\d-[A-Za-z0-9-]{10,250}")),
    Shape(
        "Slack webhook",
        re.compile(
            r"https://hooks\.slack\.com/services/[A-Za-z0-9]{5,20}/[A-Za-z0-9]{5,20}/[A-Za-z0-9]{10,40}"
        ),
    ),
    Shape("Stripe key", _key(r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,120}")),
    Shape("SendGrid key", _key(r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}")),
    Shape("npm token", _key(r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])")),
    Shape("PyPI token", _key(r"pypi-[A-Za-z0-9_-]{50,400}")),
    Shape("DigitalOcean token", _key(r"do[opr]_v1_[a-f0-9]{64}")),
    Shape("Telegram bot token", _key(r"\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    Shape(
        "Discord bot token",
        _key(r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ),
    Shape("Twilio key", _key(r"(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])")),
    Shape("Azure storage key", re.compile(r"AccountKey=(?P<secret>[A-Za-z0-9+/=]{40,100})")),
    *(Shape(kind, _key(pattern)) for kind, pattern in _PREFIXED),
    Shape(
        "JSON web token",
        _key(r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"),
    ),
    Shape(
        "password in a URL",
        re.compile(
            r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s/@]{1,200})@"
        ),
    ),
    Shape(
        "bearer token",
        re.compile(r"\b[Bb]earer\s{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{20,2000})"),
    ),
    Shape(
        "password",
        re.compile(
            rf"{_PASSWORD}\s{{0,3}}[=:]\s{{0,3}}(?!\[secret:)(?P<secret>{_QUOTED}"
            rf"|[^\s\"'`“”‘’,;]{{4,200}})",
            re.IGNORECASE,
        ),
        _password,
    ),
    Shape(
        "password",
        re.compile(
            rf"{_PASSWORD}\s{{0,3}}{_BE}(?: now| still)?:?\s{{1,3}}"
            rf"(?!\[secret:)(?P<secret>{_QUOTED}"
            r"|(?=[A-Za-z]{0,60}[\d@#$%^&*_+=~!][^\s,;]|[A-Za-z]{0,60}\d"
            r"|[A-Za-z]{0,60}[a-z](?-i:[A-Z])|[A-Za-z]{2,30}(?:-[A-Za-z]{2,30}){2})"
            rf"[^\s\"'`“”‘’,;]{{4,200}}|[A-Za-z]{{4,60}}{_PLAIN_END})",
            re.IGNORECASE,
        ),
        _password,
    ),
    Shape(
        "password",
        re.compile(
            r"\b(?:PIN|PUK|Geheimzahl)(?: (?:number|for|of|to|für|de|del) ?[^\n.:=]{0,40}?)?"
            + _SAID
            + r"(?P<secret>\d{4,8})\b",
            re.IGNORECASE,
        ),
    ),
    Shape(
        "key",
        re.compile(
            r"\b(?:api|access|secret|auth|client|private|encryption|license)[ _-]?"
            r"(?:key|token|secret)(?: (?:for|of|to) [^\n.:=]{1,40}?)?[\"']?"
            + _SAID
            + r"[\"'`]?(?P<secret>(?=[^\s\d]{0,200}\d)[A-Za-z0-9_./+=-]{12,200})",
            re.IGNORECASE,
        ),
    ),
    Shape("card number", card_numbers.PLAIN, card_numbers.card),
    Shape("card number", card_numbers.LONG, card_numbers.card),
    Shape(
        "IBAN",
        re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
        iban,
    ),
)
