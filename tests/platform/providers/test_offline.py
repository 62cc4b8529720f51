import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import Recalled, Request
from stratal.providers.offline import NOTHING, QUOTES, STATEMENT, OfflineProvider
from stratal.providers.provider import Completion, TextDelta, Usage, complete
from stratal_memory.records import Message, Role

BERRIES = "Alice picks blackberries in August."


def recalled(text: str, *, source: str = "conversation", form: str = "fact") -> Recalled:
    return Recalled(
        memory=f"mem_{text}", form=form, text=text, source=source, date="2026-11-03", similarity=0.8
    )


def answer(asked: str, *items: Recalled) -> str:
    messages = (
        Message(role=Role.USER, text="An earlier message?"),
        Message(role=Role.CONTEXT, text="What is quoted comes from recalled, not from here"),
        Message(role=Role.USER, text=asked),
    )
    request = Request(model="", system=(), messages=messages, recalled=items)
    return complete(OfflineProvider(), request).text


def test_a_question_gets_the_recalled_words_with_source_and_date() -> None:
    text = answer("Where do I live?", recalled("Alice lives in Graz."))

    assert text == f'{QUOTES}\n\n- "Alice lives in Graz." (conversation, 2026-11-03)'


def test_a_question_on_which_nothing_was_recalled_gets_nothing() -> None:
    assert answer("What is the capital of Atlantis?") == NOTHING
    assert NOTHING.startswith("I have nothing on that")


@pytest.mark.parametrize("asked", ["I moved to Graz.", "Ich wohne in Graz.", "我住在格拉茨。"])
def test_a_statement_is_kept_and_nothing_is_said_to_be_learned(asked: str) -> None:
    text = answer(asked, recalled("Alice lives in Linz."))

    assert text == STATEMENT
    assert "Kept in this conversation" in text
    assert "learn" not in text


def test_every_answer_says_that_no_model_is_connected() -> None:
    for text in (answer("Where?"), answer("I moved."), answer("Where?", recalled("Graz"))):
        assert "No model is connected" in text


def test_items_that_share_few_words_with_the_question_are_left_out() -> None:
    text = answer(
        "When does the train to Vienna leave?",
        recalled("The train to Vienna leaves at 9:15."),
        recalled(BERRIES),
        recalled("Vienna has a large train station where the trains leave."),
    )

    assert text.count("- ") == 2
    assert "blackberries" not in text


def test_at_most_three_items_are_quoted_in_the_order_of_recall() -> None:
    items = [recalled(f"Train {number} leaves soon.") for number in (4, 3, 2, 1)]

    text = answer("Which train leaves?", *items)

    assert [line[9] for line in text.splitlines()[2:]] == ["4", "3", "2"]


def test_where_no_word_is_shared_only_the_best_item_is_quoted() -> None:
    text = answer("Wo wohne ich?", recalled("Alice lives in Graz."), recalled(BERRIES))

    assert text.count("- ") == 1
    assert "Graz" in text


def test_repetitions_earlier_questions_and_its_own_answers_are_not_quoted() -> None:
    text = answer(
        "Where do I live?",
        recalled("where do I  live?", form="message"),
        recalled("Do I live in Linz?", form="message"),
        recalled(f"{QUOTES}\n\n- I live in Wels", form="message"),
        recalled("I live in Graz."),
        recalled("I LIVE in Graz."),
    )

    assert text.splitlines()[2:] == ['- "I live in Graz." (conversation, 2026-11-03)']


def test_only_noise_is_the_same_as_nothing() -> None:
    assert answer("Where do I live?", recalled("Where do I live?", form="message")) == NOTHING


def test_an_item_without_source_or_date_is_quoted_without_brackets() -> None:
    bare = Recalled(memory="m", form="fact", text="Graz", source="", date="", similarity=0.5)

    assert answer("Graz?", bare).endswith('- "Graz"')


def test_the_answer_comes_in_pieces_and_costs_nothing() -> None:
    request = Request(model="", system=(), messages=(Message(role=Role.USER, text="Where?"),))

    *pieces, last = OfflineProvider().stream(request)

    assert isinstance(last, Completion)
    assert len(pieces) > 1
    assert "".join(p.text for p in pieces if isinstance(p, TextDelta)) == last.text
    assert last.usage == Usage()
    assert last.quotes_only


def test_a_request_without_a_user_message_is_answered() -> None:
    assert complete(OfflineProvider(), Request(model="", system=(), messages=())).text == STATEMENT


@given(asked=st.text(max_size=60), texts=st.lists(st.text(max_size=900), max_size=4))
def test_any_text_in_any_language_has_one_answer(asked: str, texts: list[str]) -> None:
    items = [recalled(text) for text in texts]

    assert answer(asked, *items) == answer(asked, *items)
