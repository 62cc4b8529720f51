import pytest

from stratal_memory.errors import InputError
from stratal_memory.learning.privacy import Policy, Privacy, hidden, without

TEXT = "Ana is at ana@mail.example or +49 30 901820, key ghp_" + "a1B2" * 9


def test_secrets_and_identifiers_are_hidden_by_default() -> None:
    clean = without(TEXT, hidden(TEXT, Privacy()))

    assert clean == "Ana is at [e-mail] or [phone number], key [secret: GitHub token]"


def test_what_the_policy_keeps_stays_and_secrets_never_do() -> None:
    found = hidden(TEXT, Privacy(email=Policy.KEEP, phone=Policy.KEEP))

    assert [one.label for one in found] == ["[secret: GitHub token]"]
    with pytest.raises(InputError, match="secrets can't be kept"):
        Privacy(secret=Policy.KEEP)


def test_a_cut_through_an_identifier_leaves_no_half_of_it() -> None:
    found = hidden(TEXT, Privacy())
    at = TEXT.index("@")

    assert without(TEXT, found, start=0, end=at) == "Ana is at [e-mail]"
    assert without(TEXT, found, start=at, end=at + 14) == "[e-mail] "


@pytest.mark.parametrize(
    "text", ["I'm Ana from Porto, I work at Acme since 2019.", "born on 3 May"]
)
def test_what_a_user_tells_of_themselves_is_no_identifier(text: str) -> None:
    assert hidden(text, Privacy()) == []


def test_two_that_overlap_leave_nothing_of_either() -> None:
    text = "postgres://ana:pw12345@db.example.com/x"

    clean = without(text, hidden(text, Privacy()))

    assert "pw12345" not in clean
