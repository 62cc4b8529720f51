"""What models may spend on a user's memory in a day is never gone over, and counted once."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from stratal.context.request import Request
from stratal.errors import ContextOverflow, ProviderRejected, ProviderUnavailable
from stratal.metering import BYTES, PROBE, Cap, Metered
from stratal.providers.prices import Prices
from stratal.providers.provider import Completion, Provider, Usage
from stratal.providers.scripted import Interrupted, ScriptedProvider, Step
from stratal_memory.consolidation.night import Model
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.report import State
from stratal_memory.errors import SpendCap
from stratal_memory.learning.model_answer import ModelAnswerError
from stratal_memory.records import Cost, Message, Role
from stratal_memory.store import Store
from stratal_memory.truth import spending
from tests.memory.worlds import World, begin, opened, say

DOLLAR = Prices(input=Decimal(1_000), output=Decimal(2_000))  # for a million: 0.1 and 0.2 cents


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path)
    yield made
    made.close()


def answer(text: str = "{}", *, input: int = 100, output: int = 10) -> Completion:
    return Completion(text=text, usage=Usage(input=input, output=output))


def asked(prompt: str) -> Request:
    return Request(
        model="m", system=(), messages=(Message(role=Role.USER, text=prompt),), max_output=100
    )


def metered(
    store: Store, script: Sequence[Step] | Provider, *, cap: Cap, prices: Prices | None = DOLLAR
) -> Metered:
    provider = ScriptedProvider(script) if isinstance(script, Sequence) else script
    return Metered(provider=lambda: provider, request=asked, store=store, prices=prices, cap=cap)


def today(store: Store) -> Cost:
    with store.read() as connection:
        return spending.spent(connection, user=store.user, at=store.clock())


def rounded(cost: Cost) -> tuple[int, int, int, float]:
    return cost.calls, cost.input_tokens, cost.output_tokens, round(cost.usd, 9)


def test_what_a_call_took_is_counted_once(world: World) -> None:
    store = world.store()
    meter = metered(store, [answer("first"), answer("second", input=50)], cap=Cap())

    told = [meter.complete("a prompt"), meter.complete("another")]

    assert told == ["first", "second"]
    assert rounded(today(store)) == rounded(meter.spent()) == (2, 150, 20, 0.19)


def test_the_cap_of_tokens_is_reached_before_it_is_gone_over(world: World) -> None:
    store = world.store()
    script = [answer(input=150, output=50), answer()]
    meter = metered(store, script, cap=Cap(tokens=300))
    meter.complete("a" * 30)

    with pytest.raises(SpendCap) as error:
        meter.complete("a" * 30)  # 200 + 10 + 100 of an answer

    assert str(error.value).startswith("200 of 300 tokens a day are spent on the memory of alice")
    assert "one more call may take 110" in str(error.value)
    assert error.value.hint == "It goes on tomorrow, or raise learning.daily_tokens."
    assert rounded(today(store)) == (1, 150, 50, 0.25)


def test_the_cap_of_money_is_reached_before_it_is_gone_over(world: World) -> None:
    store = world.store()
    meter = metered(store, [answer(), answer()], cap=Cap(usd=0.3))
    meter.complete("hello")

    with pytest.raises(SpendCap) as error:
        meter.complete("hello")

    assert str(error.value).startswith("$0.1200 of $0.30 a day are spent")
    assert error.value.hint == "It goes on tomorrow, or raise learning.daily_usd."


def test_money_is_not_counted_where_no_prices_are_known(world: World) -> None:
    store = world.store()
    meter = metered(store, [answer()], cap=Cap(usd=0.000001), prices=None)

    meter.complete("hello")

    assert rounded(today(store)) == (1, 100, 10, 0.0)


def test_the_next_day_goes_on(world: World) -> None:
    store = world.store()
    meter = metered(store, [answer(), answer()], cap=Cap(tokens=150))
    meter.complete("hello")
    with pytest.raises(SpendCap):
        meter.complete("hello")

    world.clock.pass_(days=1)
    meter.complete("hello")

    assert today(store).calls == 1
    assert meter.spent().calls == 2


def test_each_user_has_a_cap_of_their_own(world: World) -> None:
    alice, bob = world.store(), world.store("bob")
    cap = Cap(tokens=150)
    metered(alice, [answer()], cap=cap).complete("hello")

    metered(bob, [answer()], cap=cap).complete("hello")

    with pytest.raises(SpendCap, match="of alice"):
        metered(alice, [answer()], cap=cap).complete("hello")
    assert today(alice) == today(bob)


def test_all_agents_of_a_user_share_the_cap(world: World) -> None:
    cap = Cap(tokens=150)
    metered(world.store(), [answer()], cap=cap).complete("hello")

    with pytest.raises(SpendCap):
        metered(world.store(agent="coach"), [answer()], cap=cap).complete("hello")


@pytest.mark.parametrize(
    "failure",
    [
        ProviderUnavailable("overloaded", status=503),
        Interrupted(text="half", error=ProviderUnavailable("cut off")),
    ],
)
def test_a_call_that_failed_costs_nothing(world: World, failure: Step) -> None:
    store = world.store()
    meter = metered(store, [failure, answer()], cap=Cap(tokens=150))

    with pytest.raises(ProviderUnavailable):
        meter.complete("hello")
    assert rounded(today(store)) == rounded(meter.spent()) == (0, 0, 0, 0.0)
    meter.complete("hello")

    assert rounded(today(store)) == (1, 100, 10, 0.12)


def test_two_who_ask_at_once_stay_within_the_cap_together(world: World) -> None:
    mine, hers = world.store(), world.store(agent="coach")
    cap, refused = Cap(tokens=150), list[str]()
    other = metered(hers, [answer()], cap=cap)

    def meanwhile(request: Request) -> Completion:
        with ThreadPoolExecutor(1) as pool:
            error = pool.submit(other.complete, "hello").exception()
        refused.append(str(error))
        return answer()

    metered(mine, [meanwhile], cap=cap).complete("hello")

    assert "tokens a day are spent" in refused[0]
    assert rounded(today(mine)) == (1, 100, 10, 0.12)


def test_a_server_that_does_not_count_is_counted_for(world: World) -> None:
    store = world.store()
    meter = metered(store, [Completion(text="x" * 30)], cap=Cap())

    meter.complete("字" * 60)

    assert rounded(today(store))[:3] == (1, 60, 30 // BYTES)


@pytest.mark.parametrize(
    "refusal", [ProviderRejected("content filter", status=400), ContextOverflow("too long")]
)
def test_a_prompt_that_alone_is_refused_is_no_outage(
    world: World, refusal: ProviderRejected | ContextOverflow
) -> None:
    provider = ScriptedProvider([refusal, answer()])

    with pytest.raises(ModelAnswerError, match="the provider refuses it"):
        metered(world.store(), provider, cap=Cap()).complete("poison")

    assert [one.messages[0].text for one in provider.requests] == ["poison", PROBE]


def test_a_key_that_is_refused_is_an_outage(world: World) -> None:
    wrong = ProviderRejected("wrong key", status=401)

    with pytest.raises(ProviderRejected, match="wrong key"):
        metered(world.store(), [wrong, wrong], cap=Cap()).complete("hello")


@pytest.mark.parametrize("text", ["", "\ud800", "a" * 100_000, "\x00{}"])
def test_any_prompt_can_be_metered(world: World, text: str) -> None:
    meter = metered(world.store(), [answer()], cap=Cap(usd=1_000.0))

    assert meter.complete(text) == "{}"


def test_a_run_that_reaches_the_cap_goes_on_the_next_day_and_costs_what_was_spent(
    world: World,
) -> None:
    store = world.store()
    for place in range(3):
        say(store, begin(store), f"I saw heron number {place} at the lake.")
    meter = metered(store, [answer('{"facts": []}') for _ in range(30)], cap=Cap(tokens=1_100))
    model = Model(complete=meter.complete, spent=meter.spent)

    paused = consolidate(store, model=model)
    world.clock.pass_(days=1)
    spent_before = meter.spent()
    done = consolidate(store, model=model)
    while done.state is State.PAUSED:
        world.clock.pass_(days=1)
        done = consolidate(store, model=model)

    [step] = [step for step in paused.steps if step.name == "episodes"]
    assert paused.state is State.PAUSED
    assert "It goes on tomorrow" not in step.note
    assert "tokens a day are spent on the memory of alice" in step.note
    assert paused.cost == spent_before
    assert (done.state, done.run) == (State.DONE, paused.run)
    assert rounded(done.cost) == rounded(meter.spent())
    assert sum(change.step == "episodes" for change in done.changes) == 3
