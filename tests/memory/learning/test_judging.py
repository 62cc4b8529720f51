from dataclasses import replace

import pytest

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.injections import Injected, Injections
from stratal_memory.learning.judging import judged, nothing_in
from stratal_memory.learning.privacy import Policy, Privacy, hidden
from stratal_memory.learning.worth import Verdict

MESSAGE = "My sister Ana lives in Porto, her mail is ana@mail.example"
SISTER = Found(
    text="The user's sister Ana lives in Porto.",
    value="Porto",
    span=(0, 28),
    quote=MESSAGE[:28],
    rule="test",
    facet="family.sister.home",
)
MAIL = replace(
    SISTER,
    text="The user's sister has the mail ana@mail.example.",
    value="ana@mail.example",
    span=(30, len(MESSAGE)),
    quote=MESSAGE[30:],
)


def test_a_plain_fact_passes_with_its_reason() -> None:
    one = judged(SISTER, MESSAGE, privacy=Privacy())

    assert one.verdict is Verdict.ACCEPT
    assert (one.quote, one.restated) == (SISTER.quote, None)
    assert "family" in one.worth.reason


def test_a_fact_of_nothing_but_an_identifier_stays_in_the_episode() -> None:
    privacy = Privacy()

    one = judged(MAIL, MESSAGE, stretches=hidden(MESSAGE, privacy), privacy=privacy)

    assert one.verdict is Verdict.EPISODE
    assert "e-mail" in one.worth.reason
    assert "mail.example" not in f"{one.found.text} {one.found.value} {one.quote}"


def test_a_fact_with_an_identifier_in_it_is_kept_without_it() -> None:
    privacy = Privacy()
    both = replace(MAIL, value="ana@mail.example in Porto")

    one = judged(both, MESSAGE, stretches=hidden(MESSAGE, privacy), privacy=privacy)

    assert one.verdict is Verdict.ACCEPT
    assert one.found.value == "[e-mail] in Porto"
    assert one.quote == "her mail is [e-mail]"


def test_the_policy_may_keep_or_block() -> None:
    keep, block = Privacy(email=Policy.KEEP), Privacy(email=Policy.BLOCK)

    kept = judged(MAIL, MESSAGE, stretches=hidden(MESSAGE, keep), privacy=keep)
    blocked = judged(MAIL, MESSAGE, stretches=hidden(MESSAGE, block), privacy=block)

    assert (kept.verdict, kept.found.value) == (Verdict.ACCEPT, "ana@mail.example")
    assert (blocked.verdict, blocked.worth.reason) == (
        Verdict.EPISODE,
        "it holds e-mail, which the policy blocks",
    )


def test_what_restates_a_memory_names_it_and_what_restates_us_names_nothing() -> None:
    memory = Injected("My sister Ana lives in Porto", "mem_1")

    known = judged(SISTER, MESSAGE, injected=Injections([memory]), privacy=Privacy())
    prompt = Injections([Injected(memory.text)])
    ours = judged(SISTER, MESSAGE, injected=prompt, privacy=Privacy())

    assert (known.verdict, known.restated) == (Verdict.EPISODE, "mem_1")
    assert (ours.restated, "a text of ours" in ours.worth.reason) == ("", True)


def test_evidence_that_was_not_said_is_refused() -> None:
    one = judged(replace(SISTER, quote="My sister John"), MESSAGE, privacy=Privacy())

    assert one.verdict is Verdict.EPISODE
    assert "are not" in one.worth.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hi!", "a greeting or an acknowledgement"),
        ("ok cool, thank you", "a greeting or an acknowledgement"),
        ("", "it is empty"),
        ("ping", "a heartbeat"),
        ("Why is the sky blue?", "a question"),
        ("Make it shorter.", "it states nothing lasting about the user"),
    ],
)
def test_what_nothing_comes_of_has_a_reason(text: str, reason: str) -> None:
    assert nothing_in(text) == reason


@pytest.mark.parametrize("piece", ["hi ", "ok", "test ", "!", "a "])
def test_a_megabyte_is_no_greeting_for_long(piece: str) -> None:
    assert nothing_in(piece * (1_000_000 // len(piece)))
