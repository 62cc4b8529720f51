import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import ContextOverflow, ProviderRejected, ProviderUnavailable
from stratal.providers.refusal import (
    LONGEST_MESSAGE,
    Account,
    Refusal,
    cut,
    readable,
    refused,
    seconds_to_wait,
)

ACCOUNT = Account(provider="openai", variable="OPENAI_API_KEY", secret="canary")


def test_an_account_never_shows_its_secret() -> None:
    assert "canary" not in repr(ACCOUNT)


def test_an_error_says_who_what_and_what_to_do() -> None:
    error = refused(Refusal(status=404, message="The model `gpt-9` does not exist"), ACCOUNT)

    assert isinstance(error, ProviderRejected)
    assert str(error) == "openai (HTTP 404): The model `gpt-9` does not exist"
    assert error.status == 404
    assert "model's name" in error.hint


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (Refusal(status=401, message="no"), "OPENAI_API_KEY"),
        (Refusal(status=403, message="no"), "OPENAI_API_KEY"),
        (Refusal(status=400, message="Your credit balance is too low"), "credit"),
        (Refusal(status=400, message="bad"), "sending it again won't help"),
        (Refusal(status=429, message="slow down", retry_after=12.0), "12 seconds"),
        (Refusal(status=503, message="busy"), "in a minute"),
        (Refusal(message="Connection error."), "network"),
        (Refusal(status=413, message="big"), "shortened"),
    ],
)
def test_every_kind_of_refusal_has_a_hint(refusal: Refusal, words: str) -> None:
    assert words in refused(refusal, ACCOUNT).hint


def test_an_error_without_words_still_says_something() -> None:
    assert str(refused(Refusal(status=400), ACCOUNT)) == "openai (HTTP 400): no reason given"


def test_an_overflow_keeps_its_status() -> None:
    error = refused(Refusal(status=400, message="prompt is too long"), ACCOUNT)

    assert isinstance(error, ContextOverflow)
    assert error.status == 400


def test_a_cut_is_retryable_and_hides_the_secret() -> None:
    error = cut(ACCOUNT, "sent with canary")

    assert isinstance(error, ProviderUnavailable)
    assert error.retryable
    assert "canary" not in str(error)


def test_markup_and_white_space_are_taken_out_and_the_rest_is_cut() -> None:
    page = "<script>var x = 1;</script><h1>Bad\n\n gateway</h1>" + "x" * 1_000

    text = readable(page, secret="")

    assert text.startswith("Bad gateway x")
    assert len(text) == LONGEST_MESSAGE
    assert text.endswith("…")


@given(before=st.text(max_size=500), after=st.text(max_size=500))
def test_a_key_is_never_readable(before: str, after: str) -> None:
    text = readable(f"{before} my-canary-key-0123 {after}", secret="my-canary-key-0123")

    assert "canary" not in text


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "30", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Fri, 20 Nov 2026 19:00:30 GMT"}, None),
        (
            {
                "retry-after": "Fri, 20 Nov 2026 19:00:30 GMT",
                "date": "Fri, 20 Nov 2026 19:00:00 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Fri, 20 Nov 2026 18:00:00 GMT",
                "date": "Fri, 20 Nov 2026 19:00:00 GMT",
            },
            0.0,
        ),
    ],
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds_to_wait(headers) == seconds
