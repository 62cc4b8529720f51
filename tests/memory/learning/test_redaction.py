import base64
import random
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.redaction import find_secrets, redact

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
Make = Callable[[random.Random], str]


def _some(dice: random.Random, count: int, signs: str = WORD) -> str:
    return "".join(dice.choice(signs) for _ in range(count))


def _card(dice: random.Random) -> str:
    head = "4" + _some(dice, 14, string.digits)
    digits = next(
        head + last
        for last in string.digits
        if sum(
            sum(divmod(2 * int(sign), 10)) if place % 2 == 0 else int(sign)
            for place, sign in enumerate(head + last)
        )
        % 10
        == 0
    )
    return " ".join(digits[i : i + 4] for i in range(0, 16, 4))


def _jwt(dice: random.Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    body = part(f'{{"sub":"{_some(dice, 12)}"}}')
    head = part('{"alg":"HS256"}')
    return f"{head}.{body}.{_some(dice, 43)}"


def _private_key(dice: random.Random) -> str:
    label = dice.choice(("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"))
    body = "\n".join(_some(dice, 64, WORD + "+/") for _ in range(4))
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"


SHAPES: dict[str, Make] = {
    "Anthropic": lambda dice: f"sk-ant-api03-{_some(dice, 93, WORD + '_-')}AA",
    "OpenAI project": lambda dice: f"sk-proj-{_some(dice, 74)}T3BlbkFJ{_some(dice, 74)}",
    "OpenAI legacy": lambda dice: f"sk-{_some(dice, 48)}",
    "Google": lambda dice: f"AIza{_some(dice, 35, WORD + '_-')}",
    "Hugging Face": lambda dice: f"hf_{_some(dice, 34)}",
    "xAI": lambda dice: f"xai-{_some(dice, 80)}",
    "GitHub": lambda dice: f"{dice.choice(('ghp', 'gho', 'ghs'))}_{_some(dice, 36)}",
    "GitHub fine": lambda dice: f"github_pat_{_some(dice, 22)}_{_some(dice, 59)}",
    "GitLab": lambda dice: f"glpat-{_some(dice, 20, WORD + '_-')}",
    "AWS id": lambda dice: f"AKIA{_some(dice, 16, string.ascii_uppercase + '234567')}",
    "AWS secret": lambda dice: f"aws_secret_access_key = {_some(dice, 40, WORD + '/+')}",
    "Slack": lambda dice: f"xoxb-{_some(dice, 12, '123456789')}-{_some(dice, 24)}",
    "Stripe": lambda dice: f"sk_live_{_some(dice, 24)}",
    "SendGrid": lambda dice: f"SG.{_some(dice, 22)}.{_some(dice, 43)}",
    "Bedrock": lambda dice: f"ABSK{_some(dice, 100, WORD + '+/')}==",
    "Google OAuth": lambda dice: f"ya29.{_some(dice, 120, WORD + '_-')}",
    "Replicate": lambda dice: f"r8_{_some(dice, 37)}",
    "NVIDIA": lambda dice: f"nvapi-{_some(dice, 64, WORD + '_-')}",
    "Pinecone": lambda dice: f"pcsk_{_some(dice, 70)}",
    "LangSmith": lambda dice: f"lsv2_pt_{_some(dice, 32, HEX)}_{_some(dice, 10, HEX)}",
    "Notion": lambda dice: f"ntn_{_some(dice, 46)}",
    "Databricks": lambda dice: f"dapi{_some(dice, 32, HEX)}",
    "Shopify": lambda dice: f"shpat_{_some(dice, 32, HEX)}",
    "Vault": lambda dice: f"hvs.{_some(dice, 90, WORD + '_-')}",
    "Supabase": lambda dice: f"sbp_{_some(dice, 40, HEX)}",
    "Docker": lambda dice: f"dckr_pat_{_some(dice, 27, WORD + '_-')}",
    "Grafana": lambda dice: f"glsa_{_some(dice, 32)}_{_some(dice, 8, HEX)}",
    "ElevenLabs": lambda dice: f"sk_{_some(dice, 48, HEX)}",
    "Tavily": lambda dice: f"tvly-dev-{_some(dice, 32)}",
    "npm": lambda dice: f"npm_{_some(dice, 36)}",
    "PyPI": lambda dice: f"pypi-AgEIcHlwaS5vcmc{_some(dice, 80)}",
    "Telegram": lambda dice: f"{_some(dice, 9, '123456789')}:{_some(dice, 35)}",
    "JWT": _jwt,
    "private key": _private_key,
    "URL": lambda dice: f"postgres://app:{_some(dice, 14)}@db.example.com/main",
    "bearer": lambda dice: f"Authorization: Bearer {_some(dice, 40)}",
    "prose": lambda dice: f"my password is {_some(dice, 6)}{dice.randint(10, 99)}!",
    "prose colon": lambda dice: f"wifi password: {_some(dice, 10)}",
    "API key prose": lambda dice: f"the api key is {_some(dice, 20)}{dice.randint(0, 9)}",
    "card": _card,
    "PIN": lambda dice: f"my PIN is {_some(dice, 4, string.digits)}",
}
PLACES = ("{}", "here it is: {}", "please use {} for the job", "KEY={}\n", "({})", "`{}`", '"{}",')

SUBJECTS = ("I", "My sister", "The team", "Our neighbour", "A friend", "The old man", "Nobody")
VERBS = ("moved to", "works in", "wrote a letter about", "will visit", "dreams of", "likes")
OBJECTS = (
    "Lisbon",
    "the harbour at 10:30",
    "a town of 1,234,567 people",
    "the meeting on 2026-05-03",
    "room 4012, second floor",
    "order 1234-5678 from last week",
    "https://example.com/a/b?page=2&sort=asc",
    "the password reset page",
    "a key to the shed",
    "the secret garden",
    "an API that returns tokens",
    "version 3.11.4 of the program",
    "+49 30 901820 or +1 (555) 010-9999",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "123e4567-e89b-12d3-a456-426614174000",
    "the card game with 52 cards",
    "passwords that are hard to guess",
    "alice@example.com",
    "a pin board",
    "the bearer of bad news",
)
WHEN = (
    "",
    "Last May ",
    "On 12 March 2024 ",
    "At 9:45 ",
    "As far as I know, ",
    "It says: ",
    "No. 17: ",
    "After the key was found, ",
    "(see page 310) ",
    "In 1,000 years ",
    "They say that ",
    "- ",
)
FIXED = (
    "The password is stored in the vault.",
    "My password is too long to type.",
    "The password was wrong again, so I was locked out.",
    "The API key is missing from the settings.",
    "What is my password?",
    "I forgot the password for my mail.",
    "Is the access token required?",
    "The private key is kept on the server.",
    "Tokens cost money, keys open doors.",
    "We sk-ate on the lake, it is not a key.",
)


def _canaries() -> list[tuple[str, str]]:
    dice = random.Random(20261120)
    return [
        (name, dice.choice(PLACES).format(make(dice)))
        for name, make in SHAPES.items()
        for _ in range(25)
    ]


def _clean() -> list[str]:
    return [*FIXED] + [
        f"{when}{s} {v} {o}." for when in WHEN for s in SUBJECTS for v in VERBS for o in OBJECTS
    ]


def test_at_least_99_of_100_secrets_of_known_shape_are_found() -> None:  # covers M5
    canaries = _canaries()

    missed = [(name, text) for name, text in canaries if not find_secrets(text)]

    assert len(canaries) >= 1_000
    assert len(missed) <= len(canaries) * 0.01, missed


def test_at_most_1_of_200_clean_sentences_is_hit() -> None:  # covers M5
    clean = _clean()

    hit = [text for text in clean if find_secrets(text)]

    assert len(clean) >= 10_000
    assert len(hit) <= len(clean) * 0.005, hit


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("My password is swordfish.", "My password is [secret: password]."),
        ("postgres://bob:pw12@host/db", "postgres://bob:[secret: password in a URL]@host/db"),
        ("pay with 4111 1111 1111 1111 now", "pay with [secret: card number] now"),
        ("4111 1111 1111 1112 is no card", "4111 1111 1111 1112 is no card"),
        ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN [secret: IBAN]."),
    ],
)
def test_only_the_secret_itself_is_replaced(text: str, clean: str) -> None:
    assert redact(text).text == clean


@pytest.mark.parametrize(
    "text",
    [
        "https://web.archive.org/web/20190410102524/https://x.org",
        "Timestamp 20200626125404, order 2024000000000006",
        "https://x.org/status/4111111111111111 and x.org/photos/4111111111111111",
        "EAN 4006381333931",
        "id 550e8400-4111111111111111 and IMG_4111111111111111.jpg",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 are no card",
        "12 4111 1111 1111 1111 1234",
        "the sum is 4111111111111111.25",
    ],
)
def test_long_numbers_that_are_no_card_stay(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "number",
    [
        *("5105 1051 0510 5100", "5555-5555-5555-4444", "2223003122003222", "6011111111111117"),
        *("3782 822463 10005", "378282246310005", "3056 930902 5904", "36227206271667"),
        *("3530111333300000", "4222222222222", "6304000000000000", "6200000000000005"),
    ],
)
def test_numbers_of_every_issuer_are_found(number: str) -> None:
    assert redact(f"it is {number} 123, until 12/27").text == (
        "it is [secret: card number] 123, until 12/27"
    )
    assert redact(f"Visa,{number},https://x.org").text == (
        "Visa,[secret: card number],https://x.org"
    )


def test_signs_nobody_sees_hide_no_secret() -> None:
    token = "ghp_" + "a1B2" * 9
    hidden = f"{token[:6]}\u200b{token[6:20]}\u2060{token[20:]}"

    assert redact(f"it is {hidden}.").text == "it is [secret: GitHub token]."


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Remember: mein Passwort ist Sommer2024!", "mein Passwort ist [secret: password]"),
        ("Das WLAN-Passwort lautet: Gans77", "lautet: [secret: password]"),
        ("the wifi key is correct-horse-battery", "wifi key is [secret: password]"),
        ("my contraseña es Verano2024", "contraseña es [secret: password]"),
        ("le mot de passe est Ete2024x", "mot de passe est [secret: password]"),
        ("the passcode for the door is 77123", "door is [secret: password]"),
        ("PIN is 4921", "PIN is [secret: password]"),
        ("my PIN number is 4921", "PIN number is [secret: password]"),
        ("the alarm code is 4921", "alarm code is [secret: password]"),
    ],
)
def test_secrets_said_in_other_words_are_found(text: str, clean: str) -> None:
    assert redact(text).text.endswith(clean)


def test_full_width_letters_hide_no_key() -> None:
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in "AKIA" + "QRST" * 4)

    assert redact(f"die Schlüssel: {wide}, ja").text == "die Schlüssel: [secret: AWS key id], ja"


def test_a_private_key_goes_as_a_whole_even_when_it_is_cut_off() -> None:
    key = _private_key(random.Random(1))

    assert redact(f"a\n{key}\nb").text == "a\n[secret: private key]\nb"
    assert redact(f"a\n{key[:150]}").text == "a\n[secret: private key]"


@given(
    st.lists(st.sampled_from([text for _, text in _canaries()]) | st.text(max_size=20), max_size=4)
)
def test_nothing_is_left_to_find_and_a_second_pass_changes_nothing(pieces: list[str]) -> None:
    once = redact(" ".join(pieces))

    assert find_secrets(once.text) == []
    assert redact(once.text).text == once.text


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJaaaaaaaaa.",
        "ab://a:b",
        "password is ",
        "1 ",
        "AB12 ",
        " ",
    ],
)
def test_a_megabyte_of_near_misses_is_searched_in_one_go(piece: str) -> None:
    find_secrets(piece * (1_000_000 // len(piece)))
