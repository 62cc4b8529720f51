"""What models may spend on a user's memory in a day: counted call by call, and never gone over."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from stratal.context.request import Request
from stratal.errors import ContextOverflow, ProviderRejected
from stratal.providers.prices import Prices, cost
from stratal.providers.provider import Completion, Provider, Usage, complete
from stratal_memory.errors import SpendCap
from stratal_memory.learning.model_answer import ModelAnswerError
from stratal_memory.records import Cost
from stratal_memory.store import Store
from stratal_memory.truth import spending

# Of a token, at the least, in UTF-8: what is about to be asked is counted high rather than low.
BYTES = 3
PROBE = "Answer with {}."  # whoever refuses that refuses everything


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """How much a day, for a user; None is no limit. Money counts where prices are known."""

    tokens: int | None = None
    usd: float | None = None


@dataclass(slots=True, kw_only=True)
class Metered:
    """Asks one provider, for one user, within the cap of the day.

    The most that a call may take is held before it is made, so that two who ask at once stay
    within the cap together; a process that dies while it asks leaves that counted.
    """

    provider: Callable[[], Provider]  # opened when it is first asked
    request: Callable[[str], Request]
    store: Store
    prices: Prices | None
    cap: Cap
    total: Cost = field(default=Cost())

    def complete(self, prompt: str) -> str:
        """The model's answer.

        Raises `SpendCap` before a call that would go over the cap; `ModelAnswerError` where the
        provider refuses this prompt and takes another: that is the prompt's fault and no outage.
        """
        try:
            return self._asked(self.request(prompt)).text
        except (ProviderRejected, ContextOverflow) as error:
            self._asked(self.request(PROBE))
            raise ModelAnswerError(f"the provider refuses it: {error}") from error

    def spent(self) -> Cost:
        """What this one has spent."""
        return self.total

    def _asked(self, request: Request) -> Completion:
        most = self._cost(Usage(input=_tokens(_sent(request)), output=request.max_output))
        at = self._hold(most)
        made = Cost()
        try:
            answer = complete(self.provider(), request)
            made = self._cost(_counted(request, answer))
        finally:
            with self.store.write() as journal:
                given_back = made + _negative(most)
                spending.spend(journal.connection, given_back, user=self.store.user, at=at)
        self.total = self.total + made
        return answer

    def _hold(self, most: Cost) -> datetime:
        """The day on which so much is held; `SpendCap` where it would go over."""
        user = self.store.user
        with self.store.write() as journal:
            past = spending.spent(journal.connection, user=user, at=journal.at)
            self._check(past, most)
            spending.spend(journal.connection, most, user=user, at=journal.at)
            return journal.at

    def _check(self, past: Cost, most: Cost) -> None:
        spent, more = _both(past), _both(most)
        whose = f"spent on the memory of {self.store.user}"
        if self.cap.tokens is not None and spent + more > self.cap.tokens:
            raise SpendCap(
                f"{spent:,} of {self.cap.tokens:,} tokens a day are {whose}, and one more call "
                f"may take {more:,}",
                hint="It goes on tomorrow, or raise learning.daily_tokens.",
            )
        if self.cap.usd is not None and past.usd + most.usd > self.cap.usd:
            raise SpendCap(
                f"${past.usd:.4f} of ${self.cap.usd:.2f} a day are {whose}, and one more call "
                f"may cost ${most.usd:.4f}",
                hint="It goes on tomorrow, or raise learning.daily_usd.",
            )

    def _cost(self, usage: Usage) -> Cost:
        paid = cost(usage, self.prices)
        return Cost(
            calls=1,
            input_tokens=usage.input,
            output_tokens=usage.output,
            usd=float(paid.total) if paid else 0.0,
        )


def _sent(request: Request) -> str:
    system = (block.text for block in request.system)
    return "\n".join([*system, *(message.text for message in request.messages)])


def _tokens(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // BYTES


def _counted(request: Request, answer: Completion) -> Usage:
    """The usage of an answer; as it was guessed where the server does not count."""
    if answer.usage.input or answer.usage.output:
        return answer.usage
    return Usage(input=_tokens(_sent(request)), output=_tokens(answer.text))


def _both(one: Cost) -> int:
    return one.input_tokens + one.output_tokens


def _negative(one: Cost) -> Cost:
    return Cost(
        calls=-one.calls,
        input_tokens=-one.input_tokens,
        output_tokens=-one.output_tokens,
        usd=-one.usd,
    )
