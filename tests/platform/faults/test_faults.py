"""The loop against servers that fail: nothing is lost, nothing done twice, little asked twice."""

from collections.abc import Generator
from pathlib import Path

import pytest
import stamina

from stratal.context.request import Request
from stratal.errors import ContextOverflow, ProviderError
from stratal.providers.provider import Provider, complete
from stratal_memory.records import Message, Role
from tests.platform.faults.wires import WIRES, Wire
from tests.platform.faults.world import WORDINGS, Fault, drive

TURNS = 40  # of each API; scripts/bench_faults.py makes thousands


@pytest.fixture(autouse=True)
def no_waiting() -> Generator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.model.partition(":")[0])
def test_a_fifth_of_all_answers_may_fail(wire: Wire, tmp_path: Path) -> None:
    # covers X6, D3
    plain = drive(wire, tmp_path / "plain", turns=TURNS, share=0.0, seed=7)
    faulty = drive(wire, tmp_path / "faulty", turns=TURNS, share=0.2, seed=7)

    assert plain.finished == TURNS
    assert 3 * TURNS <= plain.calls <= 3 * TURNS + 2  # a busy machine may let an answer time out
    assert faulty.other == []
    assert faulty.ended_well >= 0.99
    assert faulty.calls <= 1.5 * plain.calls
    assert (faulty.lost, faulty.doubled, faulty.double_effects) == (0, 0, 0)
    assert len(faulty.paid) == TURNS  # and everything was done
    assert sum(faulty.faults.values()) > 0.1 * plain.calls


def test_the_faults_are_all_there() -> None:
    assert len(Fault) == 17
    assert len(WORDINGS) > 20


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.model.partition(":")[0])
def test_every_wording_of_an_overflow_is_one_whichever_api_says_it(wire: Wire) -> None:
    """Proxies hand on the refusals of other makers."""
    replies = iter([one.reply() for one in WORDINGS])
    hello = Request(model="m", system=(), messages=(Message(role=Role.USER, text="Hello?"),))
    server = wire.serve(lambda view: next(replies))

    with server:
        provider = wire.provider(server.url, silence=20.0)
        missed = [one for one in WORDINGS if not _overflows(provider, hello)]
        provider.close()

    assert missed == []


def _overflows(provider: Provider, request: Request) -> bool:
    try:
        complete(provider, request)
    except ContextOverflow:
        return True
    except ProviderError:
        return False
    return False
