"""What is learned from what the provider billed, refused, or cut, through whole turns."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stratal.agent import Agent
from stratal.calibrating import Calibrator
from stratal.context.request import Request
from stratal.context.usage import bar
from stratal.errors import ContextBudgetError, ContextOverflow, StorageError
from stratal.providers.provider import Completion, Usage
from stratal.tokens.calibrated import MOST_MARGIN
from stratal.turn import take_turn
from stratal_memory.records import Media, MediaKind, Message, Role, TurnState
from stratal_memory.truth import calibrations, messages, turns
from tests.platform.conftest import OpenTalker
from tests.platform.talking import MODEL, Talker, fine
from tests.platform.tokens.simulated import like_a_vocabulary

WIDE = {
    "STRATAL_CONTEXT__WINDOW": "20000",
    "STRATAL_CONTEXT__OUTPUT_RESERVE": "500",
    "STRATAL_CONTEXT__MIN_HISTORY": "500",
    "STRATAL_SUMMARY__MODEL": "none",
}
FILLING = "It was quiet there and nothing happened, says anna@example.com of 12 Mill Lane. "


def said(number: int) -> str:
    return f"In {1990 + number} we lived in City{number}. " + FILLING * 12


def real_tokens(request: Request) -> int:
    """The input tokens of a tokenizer that is nobody's."""
    texts = [block.text for block in request.system]
    for message in request.messages:
        texts += [message.text, *(call.arguments for call in message.tool_calls)]
    for tool in request.tools:
        texts += [tool.name, tool.description, tool.schema]
    return sum(like_a_vocabulary(text) + 4 for text in texts) + 3


def dearer(request: Request) -> int:
    """The same of a tokenizer that makes 1.3 times as many."""
    return round(1.3 * real_tokens(request))


def billing(count: Callable[[Request], int]) -> Callable[[Request], Completion]:
    """Answers that report `count` of the request as its input."""
    return lambda request: Completion(text="Fine.", usage=Usage(input=count(request), output=3))


def factor_of(agent: Agent) -> str:
    """The counter's name ends in the factor once one was learned."""
    return agent.conversation(agent.session()).counter.name.partition("*")[2]


# --- learning from what is billed -----------------------------------------------------------


def test_after_five_turns_the_ledger_is_within_three_percent_of_what_is_billed(
    open_talker: OpenTalker,
) -> None:
    talker = Talker(billing(dearer))
    agent = open_talker(talker)

    replies = [agent.send(said(number)) for number in range(12)]

    first, *_ = errors = [
        reply.ledger.used / dearer(request) - 1
        for reply, request in zip(replies, talker.requests, strict=True)
    ]
    assert abs(first) > 0.2  # or the model's tokenizer were ours, and there were nothing to learn
    assert max(map(abs, errors[5:])) <= 0.03


def test_an_under_count_is_corrected_at_once(open_talker: OpenTalker) -> None:
    talker = Talker(billing(lambda request: 2 * real_tokens(request)))
    agent = open_talker(talker)
    first = agent.send(said(0)).ledger

    second = agent.send(said(1)).ledger

    assert first.used < 0.75 * 2 * real_tokens(talker.requests[0])
    assert second.used >= 0.99 * 2 * real_tokens(talker.requests[1])


def test_what_was_learned_of_a_model_is_there_when_the_agent_is_opened_again(
    open_talker: OpenTalker,
) -> None:
    talker = Talker(billing(real_tokens))
    agent = open_talker(talker)
    for number in range(5):
        agent.send(said(number))
    learned = factor_of(agent)
    agent.close()

    again = Talker(billing(real_tokens))
    later = open_talker(again)
    later.start_session()
    ledger = later.send(said(9)).ledger

    assert learned
    assert abs(ledger.used / real_tokens(again.requests[0]) - 1) <= 0.05
    assert factor_of(later)


def test_what_was_learned_of_one_model_says_nothing_of_another(open_talker: OpenTalker) -> None:
    agent = open_talker(Talker(billing(real_tokens)))
    agent.send(said(0))

    other = open_talker(Talker(), model="anthropic:claude-haiku-5-5")

    assert factor_of(agent)
    assert factor_of(other) == ""


def test_the_margin_stands_in_the_ledger_and_shrinks_as_the_counts_prove_right(
    open_talker: OpenTalker,
) -> None:
    agent = open_talker(Talker(billing(real_tokens)))

    shares = [
        ledger.margin / (ledger.window - ledger.reserve)
        for ledger in (agent.send(said(number)).ledger for number in range(10))
    ]

    assert shares[0] == pytest.approx(0.05, abs=0.005)  # nothing is known yet
    assert 0 < shares[-1] < shares[0]


def test_the_caller_never_sends_more_than_the_window_whatever_the_tokenizer(
    open_talker: OpenTalker,
) -> None:
    small = {**WIDE, "STRATAL_CONTEXT__WINDOW": "9000"}
    talker = Talker(billing(real_tokens))
    agent = open_talker(talker, small)

    for number in range(26):
        agent.send(said(number))

    assert max(map(real_tokens, talker.requests)) + 500 <= 9_000


def test_usage_of_zero_teaches_nothing(open_talker: OpenTalker) -> None:
    agent = open_talker(Talker(billing(lambda request: 0)))

    agent.send(said(0))

    assert factor_of(agent) == ""
    with agent.store.read() as connection:
        counter = agent.conversation(agent.session()).counter.name
        assert calibrations.load(connection, MODEL, counter) is None


@pytest.mark.parametrize("reported", [1, 10**9])
def test_an_absurd_report_teaches_nothing(open_talker: OpenTalker, reported: int) -> None:
    agent = open_talker(Talker(billing(lambda request: reported)))

    agent.send(said(0))

    assert factor_of(agent) == ""
    assert agent.send(said(1)).ledger.used < 5_000


@pytest.mark.parametrize(
    ("preset", "model"),
    [("octopus", MODEL), ("picoclaw", MODEL), ("default", "offline:")],
)
def test_the_counters_of_the_documents_and_offline_are_never_corrected(
    open_talker: OpenTalker, preset: str, model: str
) -> None:
    # covers O17, P27
    talker = Talker(
        billing(lambda request: 3 * real_tokens(request)),
        name="offline" if model == "offline:" else "scripted",
    )
    agent = open_talker(talker, preset=preset, model=model)

    names = {agent.send(said(number)).ledger.counter for number in range(3)}

    assert len(names) == 1
    assert "*" not in names.pop()
    with agent.store.read() as connection:
        counter = agent.conversation(agent.session()).counter.name
        assert calibrations.load(connection, model, counter) is None


def test_two_conversations_of_one_model_teach_the_same_calibration(
    open_talker: OpenTalker,
) -> None:
    agent = open_talker(Talker(billing(real_tokens)))
    agent.send(said(0))
    one = factor_of(agent)
    agent.start_session()

    agent.send(said(1))

    assert one
    assert factor_of(agent)


# --- prompts that are cut without a word ----------------------------------------------------


def short_sighted(window: int) -> Callable[[Request], Completion]:
    """A server that reads the last `window` tokens and reports no more, as Ollama does."""
    return billing(lambda request: min(window, real_tokens(request)))


def test_a_prompt_that_ollama_cuts_is_told_and_not_learned(open_talker: OpenTalker) -> None:
    talker = Talker(short_sighted(4_096), name="ollama")
    agent = open_talker(talker, WIDE, model="ollama:llama3:70b")
    long = said(0) * 20

    replies = [agent.send(long), agent.send("And then?")]

    assert real_tokens(talker.requests[0]) > 6_000
    assert factor_of(agent) == ""
    for reply in replies:  # each turn says so, as long as it goes on
        (told,) = reply.warnings
        assert "ollama read 4,096 tokens of about" in told
        assert "context.window" in told


def test_a_prompt_that_was_read_whole_brings_no_warning(open_talker: OpenTalker) -> None:
    talker = Talker(short_sighted(16_000), name="ollama")
    agent = open_talker(talker, WIDE, model="ollama:llama3:70b")

    assert agent.send(said(0) * 20).warnings == ()
    assert agent.send("And then?").warnings == ()
    assert factor_of(agent)


def test_a_service_that_never_cuts_is_learned_from_also_when_it_bills_far_less(
    open_talker: OpenTalker,
) -> None:
    talker = Talker(billing(lambda request: real_tokens(request) // 2), name="anthropic")
    agent = open_talker(talker)

    replies = [agent.send(said(number)) for number in range(8)]

    assert all(reply.warnings == () for reply in replies)
    assert abs(replies[-1].ledger.used / (real_tokens(talker.requests[-1]) // 2) - 1) <= 0.1
    assert float(factor_of(agent)) < 0.6


# --- refusals -------------------------------------------------------------------------------

Worded = Callable[[int, int], str]  # tokens sent and the limit: what the provider says

WORDINGS: dict[str, Worded] = {
    "anthropic": lambda sent, limit: f"prompt is too long: {sent} tokens > {limit} maximum",
    "anthropic with output": lambda sent, limit: (
        f"input length and `max_tokens` exceed context limit: {sent} + 500 > {limit}, "
        "decrease input length or `max_tokens` and try again"
    ),
    "openai": lambda sent, limit: (
        f"This model's maximum context length is {limit} tokens. However, your messages "
        f"resulted in {sent} tokens. Please reduce the length of the messages."
    ),
    "llama.cpp": lambda sent, limit: (
        f"request ({sent} tokens) exceeds the available context size ({limit} tokens)"
    ),
    "gemini": lambda sent, limit: (
        f"The input token count ({sent}) exceeds the maximum number of tokens allowed ({limit})."
    ),
    "limit alone": lambda sent, limit: f"Reached context length of {limit} tokens with model",
}


class Server:
    """A service whose window is smaller than the settings say; it counts as nobody else does."""

    def __init__(self, worded: Worded, *, limit: int, times: int = 1) -> None:
        self.overflows = 0
        self.sent: list[int] = []
        self._worded, self._limit, self._times = worded, limit, times

    def __call__(self, request: Request) -> Completion:
        tokens = self._times * real_tokens(request)
        self.sent.append(tokens)
        if tokens + request.max_output > self._limit:
            self.overflows += 1
            raise ContextOverflow(f"test (HTTP 400): {self._worded(tokens, self._limit)}")
        return Completion(text="Fine.")  # no usage: only the refusals teach


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_refusal_with_numbers_is_met_once_and_never_again(
    open_talker: OpenTalker, wording: str
) -> None:
    # covers P15, P23, P40
    server = Server(WORDINGS[wording], limit=8_000)
    agent = open_talker(Talker(server), WIDE)

    for number in range(26):
        assert agent.send(said(number)).text == "Fine."

    if wording == "limit alone":  # how much was sent is not said: our count may still be low
        assert server.overflows <= 2
    else:
        assert server.overflows == 1


def test_what_may_not_be_left_out_is_judged_by_the_new_count_after_a_refusal(
    open_talker: OpenTalker,
) -> None:
    # covers P23, P40
    server = Server(WORDINGS["anthropic"], limit=9_600, times=2)
    agent = open_talker(Talker(server), WIDE)

    for number in range(12):
        assert agent.send(said(number)).text == "Fine."

    assert server.overflows == 1


def test_a_refusal_without_numbers_halves_what_can_be_left_out(open_talker: OpenTalker) -> None:
    # covers P23
    server = Server(lambda sent, limit: "Input is too long for requested model.", limit=8_000)
    agent = open_talker(Talker(server), WIDE)

    for number in range(30):
        agent.send(said(number))

    refused = [index for index, tokens in enumerate(server.sent) if tokens + 500 > 8_000]
    assert refused
    for index in refused:
        assert server.sent[index + 1] < 0.8 * server.sent[index]


def test_every_next_request_of_a_turn_is_smaller_and_the_third_refusal_is_an_error(
    open_talker: OpenTalker,
) -> None:
    # covers P23, P24
    refuse: list[bool] = []
    sizes: list[int] = []

    def answer(request: Request) -> Completion:
        if not refuse:
            return fine(request)
        sizes.append(real_tokens(request))
        raise ContextOverflow("Input is too long for requested model.")

    agent = open_talker(Talker(answer), WIDE)
    for number in range(10):
        agent.send(said(number))
    refuse.append(True)

    with pytest.raises(ContextOverflow):
        agent.send(said(10))

    first, second, third = sizes
    assert first > second > third
    assert agent.messages(agent.session())[-1].text == said(10)  # the message is kept


def test_a_window_that_is_too_small_for_anything_is_a_typed_error_with_the_numbers(
    open_talker: OpenTalker,
) -> None:
    server = Server(WORDINGS["anthropic"], limit=900)
    agent = open_talker(Talker(server), WIDE)

    with pytest.raises(ContextBudgetError) as caught:
        agent.send("Hello")

    assert server.overflows == 1  # no second request that can't fit
    assert caught.value.window <= 900
    assert caught.value.fixed > 900
    assert caught.value.hint


def test_the_answer_takes_a_quarter_at_most_of_a_window_that_was_named(
    open_talker: OpenTalker,
) -> None:
    reserving = {**WIDE, "STRATAL_CONTEXT__OUTPUT_RESERVE": "8000"}
    talker = Talker(Server(WORDINGS["openai"], limit=8_000))
    agent = open_talker(talker, reserving)

    reply = agent.send(said(0))

    assert reply.text == "Fine."
    assert [request.max_output for request in talker.requests] == [8_000, 2_000]


def test_a_refusal_teaches_what_the_request_really_took(open_talker: OpenTalker) -> None:
    # REQUIREMENTS section 3, rule c
    server = Server(WORDINGS["anthropic"], limit=8_000)
    talker = Talker(server)
    agent = open_talker(talker, WIDE)

    ledgers = [agent.send(said(number)).ledger for number in range(20)]

    assert server.overflows == 1
    assert factor_of(agent)
    assert abs(ledgers[-1].used / real_tokens(talker.requests[-1]) - 1) <= 0.1


def test_a_documents_counter_gets_through_a_refusal_without_learning(
    open_talker: OpenTalker,
) -> None:
    # covers P23
    server = Server(WORDINGS["anthropic"], limit=8_000)  # 8,192 are kept for the answer
    agent = open_talker(Talker(server), {"STRATAL_CONTEXT__WINDOW": "20000"}, preset="picoclaw")

    reply = agent.send(said(0))

    assert (reply.text, server.overflows) == ("Fine.", 1)
    assert reply.ledger.counter == "picoclaw"
    assert agent.conversation(agent.session()).counter.name == "picoclaw"


def store_picture(agent: Agent, picture: Media) -> None:
    """A finished turn whose message carries a picture."""
    session = agent.session()
    with agent.store.write() as journal:
        turn = turns.start_turn(
            journal.connection,
            session,
            request_id="picture",
            model=MODEL,
            owner="test",
            at=journal.at,
        )
        shown = Message(role=Role.USER, text="Look at this.", media=(picture,))
        answer = Message(role=Role.ASSISTANT, text="A cat.")
        messages.append(journal.connection, turn, [shown, answer], at=journal.at)
        turns.close_turn(journal.connection, turn.id, state=TurnState.DONE, at=journal.at, usage="")


def test_a_refusal_leaves_the_media_of_what_stays(open_talker: OpenTalker) -> None:
    # covers P41
    address = "https://example.com/cat.png"
    picture = Media(kind=MediaKind.IMAGE, source=address, width=320, height=200)
    refuse: list[bool] = []

    def answer(request: Request) -> Completion:
        if refuse:
            refuse.clear()
            raise ContextOverflow("Input is too long for requested model.")
        return fine(request)

    talker = Talker(answer)
    agent = open_talker(talker, WIDE)
    for number in range(10):
        agent.send(said(number))
    store_picture(agent, picture)
    refuse.append(True)

    agent.send("What was on it?")

    refused, retried = talker.requests[-2:]
    assert len(retried.messages) < len(refused.messages)
    for request in (refused, retried):
        assert picture in [one for message in request.messages for one in message.media]
    stored = [one for message in agent.messages(agent.session()) for one in message.media]
    assert stored == [picture]


# --- counts that are far off ----------------------------------------------------------------


def dear_to(word: str, *, times: float = 2.6) -> Callable[[Request], int]:
    """A bill that is `times` as much where the newest message holds the word."""
    return lambda request: round(
        real_tokens(request) * (times if word in request.messages[-1].text else 1)
    )


def test_one_message_that_was_counted_far_too_low_costs_no_turn_and_little_of_the_window(
    open_talker: OpenTalker,
) -> None:
    # covers P40
    talker = Talker(billing(dear_to("Rosetta")))
    agent = open_talker(talker, WIDE)
    for number in range(6):
        agent.send(said(number))

    reply = agent.send("What does the Rosetta stone say? " + FILLING * 30)
    margin = agent.conversation(agent.session()).budget.margin
    after = agent.send(said(7))
    later = open_talker(talker, WIDE)
    later.start_session()
    anew = later.send(said(8))

    assert (reply.text, after.text, anew.text) == ("Fine.",) * 3
    assert 0.05 < margin <= MOST_MARGIN == 0.15
    assert later.conversation(later.session()).budget.margin <= MOST_MARGIN


class Unlucky(Calibrator):
    """One whose disk is full when something is to be learned."""

    def learn(self, session: str, request: Request, *, reported: int) -> None:
        raise StorageError("the disk is full")


def test_the_answer_is_stored_before_anything_is_learned_from_it(open_talker: OpenTalker) -> None:
    # promise 1
    talker = Talker(billing(real_tokens))
    agent = open_talker(talker, WIDE)
    desk = agent.conversation(agent.session())
    unlucky = replace(desk, calibrator=Unlucky(agent.store, desk.counter, model=MODEL))

    with pytest.raises(StorageError):
        list(take_turn(unlucky, "Hello", request_id="r1"))
    again = agent.send("Hello", request_id="r1")

    assert [one.text for one in agent.messages(agent.session())] == ["Hello", "Fine."]
    assert (again.text, again.repeated, len(talker.requests)) == ("Fine.", True, 1)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_conversation_that_began_with_a_low_bill_leaves_no_section_below_nothing(
    open_talker: OpenTalker, share: float
) -> None:
    talker = Talker(billing(lambda request: round(share * real_tokens(request))))
    agent = open_talker(talker, WIDE)
    agent.send(said(0) * 5)
    agent.start_session()

    shown = agent.preview("Hi")
    sent = agent.send("Hi").ledger

    for ledger in (shown, sent):
        assert ledger.used > 0
        assert min(section.granted for section in ledger.sections) >= 0
        sections = [(section.name, section.granted) for section in ledger.sections]
        drawn = bar(sections, reserve=ledger.reserve, window=ledger.window, width=40)
        assert sum(len(piece.text) for piece in drawn) == 40


def test_a_limit_that_a_refusal_named_is_kept_where_counts_are_not_corrected(
    open_talker: OpenTalker,
) -> None:
    # covers P23
    server = Server(WORDINGS["anthropic"], limit=12_000)
    environment = {"STRATAL_CONTEXT__WINDOW": "40000"}
    agent = open_talker(Talker(server), environment, preset="octopus")

    for number in range(15):
        assert agent.send(said(number) * 3).text == "Fine."

    assert server.overflows == 1
    assert len(server.sent) > server.sent.index(max(server.sent)) + 4  # it went on for long
    assert agent.conversation(agent.session()).counter.name == "octopus"
