"""The circuit of an endpoint, with a clock that a test turns and with threads that race."""

import logging
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Event

import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from stratal.agent import Agent
from stratal.context.request import Request
from stratal.engines import counter_of
from stratal.errors import (
    CircuitOpen,
    ContextOverflow,
    InvalidRequest,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
)
from stratal.options import Options
from stratal.providers.circuit import Circuit, CircuitPolicy, Circuits, Guarded, is_outage
from stratal.providers.models import model_info, parse_model
from stratal.providers.opening import ProviderKeys, open_provider
from stratal.providers.provider import Completion, TextDelta, complete
from stratal.providers.retry import Retrying
from stratal.providers.scripted import Interrupted, ScriptedProvider, Step
from stratal.settings import Settings, load_settings
from stratal.writers import Writers
from stratal_memory.consolidation.night import Asking, Model, Paused
from stratal_memory.learning.model_reading import OUTAGE
from stratal_memory.records import Message, Role
from tests.fakes import wire_anthropic
from tests.fakes.wire_server import html_reply

HELLO = Request(model="m", system=(), messages=(Message(role=Role.USER, text="Hello"),))
DOWN = ProviderUnavailable("HTTP 503", status=503)
LIMITED = ProviderUnavailable("HTTP 429", status=429, retry_after=7.0)
HI = Completion(text="Hi")
TWICE = CircuitPolicy(failures=2, first_wait=30.0, longest_wait=100.0)


class Turned:
    """A clock that stands until it is turned."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Yielding(Turned):
    """Lets the other threads run each time it is read, so that nothing is safe by chance."""

    def __call__(self) -> float:
        Event().wait(0.001)
        return self.now


@pytest.fixture
def clock() -> Turned:
    return Turned()


@pytest.fixture(autouse=True)
def no_waiting() -> Generator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


def guarded(
    *script: Step, clock: Turned, policy: CircuitPolicy = TWICE
) -> tuple[ScriptedProvider, Guarded]:
    inner = ScriptedProvider(script)
    return inner, Guarded(inner, Circuit("scripted", policy, clock=clock))


def fails(provider: Guarded, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(ProviderUnavailable) as caught:
            complete(provider, HELLO)
        assert not isinstance(caught.value, CircuitOpen)


def given_up(_: Request) -> Completion:
    raise InvalidRequest("ours")


def refused(provider: Guarded) -> CircuitOpen:
    with pytest.raises(CircuitOpen) as caught:
        complete(provider, HELLO)
    return caught.value


def test_after_as_many_failed_calls_in_a_row_no_call_is_made(clock: Turned) -> None:
    inner, provider = guarded(DOWN, DOWN, clock=clock)

    fails(provider, 2)
    clock.now += 9.5
    error = refused(provider)

    assert len(inner.requests) == 2
    assert (error.provider, error.failures, error.last) == ("scripted", 2, "HTTP 503")
    assert (error.retryable, error.retry_after) == (True, 20.5)
    assert str(error) == (
        "scripted is out: 2 calls in a row failed, and it is tried again in 21 seconds; "
        "the last failure: HTTP 503"
    )
    assert "another model" in error.hint
    assert "stratal doctor" in error.hint


def test_an_answer_in_between_begins_the_row_anew(clock: Turned) -> None:
    inner, provider = guarded(DOWN, HI, DOWN, HI, clock=clock)

    for _ in range(2):
        fails(provider)
        assert complete(provider, HELLO).text == "Hi"

    assert len(inner.requests) == 4


def test_what_was_tried_three_times_is_one_failed_call(clock: Turned) -> None:
    inner = ScriptedProvider([DOWN] * 6)
    provider = Guarded(Retrying(inner), Circuit("scripted", TWICE, clock=clock))

    fails(provider, 2)
    refused(provider)

    assert len(inner.requests) == 6


def test_a_stream_that_is_always_cut_counts_though_text_came(clock: Turned) -> None:
    cut = Interrupted(text="Half", error=ProviderUnavailable("cut"))
    _, provider = guarded(cut, cut, clock=clock)

    fails(provider, 2)

    refused(provider)


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        *((ProviderUnavailable("?", status=status), True) for status in (500, 502, 503, 529)),
        *((ProviderUnavailable("?", status=status), True) for status in (408, 424, 498)),
        (ProviderUnavailable("connection, timeout or cut stream"), True),
        (ProviderUnavailable("busy", status=503, retry_after=5.0), True),
        *((ProviderUnavailable("?", status=status), False) for status in (409, 425, 429)),
        (LIMITED, False),
        *((ProviderRejected("?", status=status), False) for status in (400, 401, 403, 404)),
        (ContextOverflow("too long", status=413), False),
    ],
)
def test_only_what_is_the_providers_fault_is_an_outage(error: ProviderError, outage: bool) -> None:
    assert is_outage(error) is outage


def test_what_is_not_the_providers_fault_never_opens_it(clock: Turned) -> None:
    inner, provider = guarded(*[ProviderRejected("key")] * 3, *[LIMITED] * 3, HI, clock=clock)

    for _ in range(6):
        with pytest.raises(ProviderError):
            complete(provider, HELLO)

    assert complete(provider, HELLO).text == "Hi"
    assert len(inner.requests) == 7


def test_a_limit_in_between_does_not_end_the_row(clock: Turned) -> None:
    _, provider = guarded(DOWN, LIMITED, DOWN, clock=clock)

    fails(provider, 3)

    refused(provider)


def test_the_first_call_after_the_wait_closes_it_by_succeeding(clock: Turned) -> None:
    inner, provider = guarded(DOWN, DOWN, HI, HI, DOWN, HI, clock=clock)
    fails(provider, 2)

    clock.now += 30.0

    assert complete(provider, HELLO).text == "Hi"
    assert complete(provider, HELLO).text == "Hi"
    fails(provider)  # one is not yet a row
    assert complete(provider, HELLO).text == "Hi"
    assert len(inner.requests) == 6


def test_the_wait_doubles_up_to_the_longest_and_begins_anew_after_a_success(clock: Turned) -> None:
    _, provider = guarded(*[DOWN] * 6, HI, DOWN, DOWN, clock=clock)
    waits: list[float | None] = []

    fails(provider)
    for _ in range(5):
        fails(provider)
        waits.append(refused(provider).retry_after)
        clock.now += waits[-1] or 0.0
    complete(provider, HELLO)
    fails(provider, 2)

    assert waits == [30.0, 60.0, 100.0, 100.0, 100.0]
    assert refused(provider).retry_after == 30.0


@pytest.mark.parametrize(("asked", "waits"), [(10.0, 30.0), (45.0, 45.0), (3_600.0, 100.0)])
def test_a_provider_that_names_a_longer_wait_gets_it(
    clock: Turned, asked: float, waits: float
) -> None:
    busy = ProviderUnavailable("busy", status=503, retry_after=asked)
    _, provider = guarded(busy, busy, clock=clock)

    fails(provider, 2)

    assert refused(provider).retry_after == waits


def test_while_one_call_tries_it_the_others_are_refused(clock: Turned) -> None:
    others: list[CircuitOpen] = []

    def meanwhile(_: Request) -> Completion:
        others.append(refused(provider))
        return HI

    inner, provider = guarded(DOWN, DOWN, meanwhile, clock=clock)
    fails(provider, 2)
    clock.now += 30.0

    assert complete(provider, HELLO).text == "Hi"

    assert len(others) == 1
    assert "another call is trying it now" in str(others[0])
    assert others[0].retry_after is None
    assert len(inner.requests) == 3


def test_it_is_closed_as_soon_as_the_answer_begins(clock: Turned) -> None:
    """The rest of a long answer keeps nobody waiting."""
    inner = ScriptedProvider([DOWN, DOWN, Completion(text="abcd"), HI], size=2)
    provider = Guarded(inner, Circuit("scripted", TWICE, clock=clock))
    fails(provider, 2)
    clock.now += 30.0

    answer = iter(provider.stream(HELLO))

    assert next(answer) == TextDelta(text="ab")
    assert complete(provider, HELLO).text == "Hi"


def test_an_answer_that_refuses_the_request_closes_it_too(clock: Turned) -> None:
    _, provider = guarded(DOWN, DOWN, ProviderRejected("no such model"), HI, clock=clock)
    fails(provider, 2)
    clock.now += 30.0

    with pytest.raises(ProviderRejected):
        complete(provider, HELLO)

    assert complete(provider, HELLO).text == "Hi"


def test_a_call_that_is_given_up_leaves_the_trying_to_the_next(clock: Turned) -> None:
    inner, provider = guarded(DOWN, DOWN, given_up, HI, clock=clock)
    fails(provider, 2)
    clock.now += 30.0

    with pytest.raises(InvalidRequest):
        complete(provider, HELLO)

    assert complete(provider, HELLO).text == "Hi"
    assert len(inner.requests) == 4


def test_a_call_that_hangs_keeps_the_others_waiting_no_longer_than_the_longest_wait(
    clock: Turned,
) -> None:
    circuit = Circuit("scripted", TWICE, clock=clock)
    down = Guarded(ScriptedProvider([DOWN, DOWN]), circuit)
    fails(down, 2)
    clock.now += 30.0
    hanging = circuit.call()
    hanging.__enter__()

    clock.now += 99.0
    refused(down)
    clock.now += 1.0
    other = Guarded(ScriptedProvider([HI, HI]), circuit)

    assert complete(other, HELLO).text == "Hi"
    hanging.__exit__(DOWN.__class__, DOWN, None)  # it fails at last, and that is old news
    assert complete(other, HELLO).text == "Hi"


def test_the_end_of_a_call_that_hung_is_not_that_of_the_one_that_tries_now(clock: Turned) -> None:
    circuit = Circuit("scripted", TWICE, clock=clock)
    provider = Guarded(ScriptedProvider([DOWN, DOWN, HI]), circuit)
    fails(provider, 2)
    hanging, trying = circuit.call(), circuit.call()
    clock.now += 30.0
    hanging.__enter__()
    clock.now += 100.0
    heard = trying.__enter__()

    hanging.__exit__(None, None, None)  # given up, and it never was told anything

    assert "another call is trying it now" in str(refused(provider))
    heard(HI)
    trying.__exit__(None, None, None)
    assert complete(provider, HELLO).text == "Hi"


def test_calls_that_began_before_it_opened_change_nothing_when_they_end(clock: Turned) -> None:
    circuit = Circuit("scripted", TWICE, clock=clock)
    late = [circuit.call() for _ in range(2)]
    heard = [call.__enter__() for call in late]
    provider = Guarded(ScriptedProvider([DOWN, DOWN]), circuit)
    fails(provider, 2)

    heard[0](HI)
    late[1].__exit__(DOWN.__class__, DOWN, None)

    assert refused(provider).retry_after == 30.0
    assert refused(provider).failures == 2


def test_without_a_number_of_failures_it_never_opens(clock: Turned) -> None:
    inner, provider = guarded(*[DOWN] * 20, clock=clock, policy=CircuitPolicy(failures=0))

    fails(provider, 20)

    assert len(inner.requests) == 20


def test_of_many_threads_exactly_one_tries_it() -> None:
    threads, clock = 16, Yielding()
    together, over = Barrier(threads), Event()
    circuit = Circuit("scripted", TWICE, clock=clock)
    fails(Guarded(ScriptedProvider([DOWN, DOWN]), circuit), 2)
    clock.now += 30.0

    def waits(_: Request) -> Completion:
        assert over.wait(timeout=30)
        return HI

    inner = ScriptedProvider([waits])  # one request more would be a `ScriptExhausted`
    provider = Guarded(inner, circuit)

    def race(_: int) -> str:
        together.wait(timeout=30)
        try:
            return complete(provider, HELLO).text
        except CircuitOpen:
            refusals.append(1)
            if len(refusals) == threads - 1:
                over.set()
            return "refused"

    refusals: list[int] = []
    with ThreadPoolExecutor(threads) as pool:
        came = sorted(pool.map(race, range(threads)))

    assert came == ["Hi", *["refused"] * (threads - 1)]
    assert len(inner.requests) == 1


HAPPENING = st.sampled_from(["works", "down", "limited", "rejected", "given up"]) | st.floats(
    min_value=0.0, max_value=150.0
)


class Rules:
    """What the circuit promises, written down once more without threads, eras and streams."""

    def __init__(self) -> None:
        self.failures, self.wait, self.until = 0, 30.0, -1.0
        self.open = False

    def lets(self, now: float) -> bool:
        return not self.open or now >= self.until

    def saw(self, outcome: str, now: float) -> None:
        if outcome == "given up":
            return
        if outcome == "down":
            self._saw_an_outage(now)
        elif self.open:
            self.open, self.failures = False, 0
        elif outcome != "limited":
            self.failures = 0

    def _saw_an_outage(self, now: float) -> None:
        self.failures += 1
        if self.open:
            self.wait = min(self.wait * 2, 100.0)
        elif self.failures >= 2:
            self.open, self.wait = True, 30.0
        self.until = now + self.wait


@given(st.lists(HAPPENING, max_size=40))
def test_whatever_happens_one_after_the_other_it_follows_the_rules(
    happens: list[str | float],
) -> None:
    clock, rules = Turned(), Rules()
    circuit = Circuit("scripted", TWICE, clock=clock)
    steps: dict[str, Step] = {
        "works": HI,
        "down": DOWN,
        "limited": LIMITED,
        "rejected": ProviderRejected("no"),
        "given up": given_up,
    }

    for one in happens:
        if not isinstance(one, str):
            clock.now += one
            continue
        inner = ScriptedProvider([steps[one]])
        lets = rules.lets(clock.now)
        with suppress(ProviderError, InvalidRequest):
            complete(Guarded(inner, circuit), HELLO)
        assert len(inner.requests) == lets
        if lets:
            rules.saw(one, clock.now)


def test_opening_and_closing_are_one_line_each(
    clock: Turned, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="stratal.providers.circuit")
    _, provider = guarded(DOWN, DOWN, DOWN, HI, HI, clock=clock)

    fails(provider, 2)
    refused(provider)
    clock.now += 30.0
    fails(provider)
    clock.now += 60.0
    complete(provider, HELLO)
    complete(provider, HELLO)

    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        (
            "WARNING",
            "scripted: 2 calls in a row failed, it is left alone for 30 seconds; "
            "the last: HTTP 503",
        ),
        ("INFO", "scripted answers again, after 3 failed calls"),
    ]


def test_there_is_one_for_each_provider_and_endpoint() -> None:
    circuits = Circuits()

    one = circuits.of("openai-chat", endpoint="http://a/v1")

    assert circuits.of("openai-chat", endpoint="http://a/v1/ ") is one
    assert circuits.of("openai-chat", endpoint="http://b/v1") is not one
    assert circuits.of("openai", endpoint="http://a/v1") is not one
    assert circuits.of("openai", endpoint=None) is circuits.of("openai", endpoint="")
    assert Circuits().of("openai-chat", endpoint="http://a/v1") is not one


def test_a_count_is_refused_while_it_is_open_and_neither_opens_nor_tries(clock: Turned) -> None:
    inner, provider = guarded(DOWN, DOWN, HI, clock=clock)
    count: Callable[[Request], int] = provider.checked(lambda _: 7)
    assert count(HELLO) == 7
    fails(provider, 2)

    with pytest.raises(CircuitOpen):
        count(HELLO)
    clock.now += 30.0

    assert count(HELLO) == 7
    assert complete(provider, HELLO).text == "Hi"
    assert len(inner.requests) == 3


def test_the_settings_say_when_it_opens() -> None:
    chosen = load_settings(
        environment={
            "STRATAL_PROVIDERS__CIRCUIT_FAILURES": "3",
            "STRATAL_PROVIDERS__CIRCUIT_SECONDS": "1.5",
            "STRATAL_PROVIDERS__CIRCUIT_LONGEST_SECONDS": "6",
        }
    )

    assert load_settings(environment={}).providers.circuit() == CircuitPolicy()
    assert chosen.providers.circuit() == CircuitPolicy(failures=3, first_wait=1.5, longest_wait=6.0)


def test_a_model_that_is_out_pauses_the_night(clock: Turned) -> None:
    _, provider = guarded(DOWN, DOWN, clock=clock)
    fails(provider, 2)
    asking = Asking(model=Model(complete=lambda prompt: complete(provider, HELLO).text))

    assert issubclass(CircuitOpen, OUTAGE)
    with pytest.raises(Paused, match=r"CircuitOpen: scripted is out"):
        asking.ask("Which of these belong together?")


def down_settings(data: Path, url: str) -> Settings:
    """Two failed calls are an outage, and the endpoint counts tokens, too."""
    return load_settings(
        {"data": data, "model": "anthropic:claude-opus-5-5"},
        environment={
            "ANTHROPIC_API_KEY": wire_anthropic.KEY,
            "ANTHROPIC_BASE_URL": url,
            "STRATAL_PROVIDERS__CIRCUIT_FAILURES": "2",
            "STRATAL_EMBEDDING__MODEL": "none",
            "STRATAL_SUMMARY__MODEL": "same",
            "STRATAL_LEARNING__MODEL": "none",
        },
    )


def test_the_third_turn_of_an_outage_asks_nobody_and_its_message_is_kept(tmp_path: Path) -> None:
    """The same goes for another agent and for summaries: they share what was found out."""
    down = [html_reply(503, "<h1>Down for maintenance</h1>")] * 20
    with wire_anthropic.anthropic_server(*down) as server:
        settings = down_settings(tmp_path / "data", server.url)
        circuits = Circuits(settings.providers.circuit(), clock=Turned())
        options = Options(user="alice")
        with Agent.open_with(options, settings, circuits=circuits) as agent:
            for _ in range(2):
                with pytest.raises(ProviderUnavailable, match="maintenance"):
                    agent.send("Hello?")
            asked = len(server.seen)

            with pytest.raises(CircuitOpen, match=r"anthropic is out: 2 calls .* 30 seconds"):
                agent.send("Still there?")

            said = [message.text for message in agent.messages(agent.session())]
        with (
            Agent.open_with(Options(user="bob"), settings, circuits=circuits) as other,
            pytest.raises(CircuitOpen),
        ):
            other.send("Hello?")
        model = parse_model(settings.model)
        summarise = Writers(settings, circuits=circuits).complete(model, role="You.", most=100)
        with pytest.raises(CircuitOpen):
            summarise("What was said?")

    assert asked == 2 * 3  # each call with its retries
    assert len(server.seen) == asked
    assert said == ["Hello?", "Hello?", "Still there?"]


def test_the_providers_own_count_is_not_asked_either(tmp_path: Path) -> None:
    with wire_anthropic.anthropic_server(*[html_reply(503, "Down")] * 20) as server:
        settings = down_settings(tmp_path, server.url)
        counting = settings.context.model_copy(update={"counter": "provider"})
        settings = settings.model_copy(update={"context": counting})
        model = parse_model(settings.model)
        circuits = Circuits(settings.providers.circuit(), clock=Turned())
        provider = open_provider(model, keys=settings.keys(), circuits=circuits)
        counter = counter_of(settings, model_info(model.provider, model.name), provider=provider)
        for _ in range(2):
            with pytest.raises(ProviderUnavailable):
                complete(provider, HELLO)
        asked = len(server.seen)

        with pytest.raises(CircuitOpen):
            counter.count("How many?")

    assert len(server.seen) == asked


def test_providers_opened_apart_share_nothing() -> None:
    with wire_anthropic.anthropic_server(*[html_reply(503, "Down")] * 40) as server:
        key = SecretStr(wire_anthropic.KEY)
        keys = ProviderKeys(anthropic=key, anthropic_url=server.url)
        one, other = (open_provider(parse_model("anthropic:m"), keys=keys) for _ in range(2))
        for _ in range(5):
            with pytest.raises(ProviderUnavailable):
                complete(one, HELLO)
        with pytest.raises(CircuitOpen):
            complete(one, HELLO)
        with pytest.raises(ProviderUnavailable, match="Down"):
            complete(other, HELLO)

    assert len(server.seen) == 5 * 3 + 3
