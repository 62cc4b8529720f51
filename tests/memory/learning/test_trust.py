import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.trust import CONFIDENCE, confidence
from stratal_memory.records import TRUST_ORDER, Trust, lowest_trust


@pytest.mark.parametrize("trust", list(Trust))
def test_one_statement_has_the_confidence_of_its_source(trust: Trust) -> None:
    assert confidence(trust, support=1) == pytest.approx(CONFIDENCE[trust])


@given(st.sampled_from(Trust), st.integers(1, 1000), st.integers(0, 1000))
def test_confidence_stays_within_bounds_and_follows_the_count(
    trust: Trust, support: int, against: int
) -> None:
    now = confidence(trust, support=support, contradictions=against)

    assert 0 < now < 1
    assert confidence(trust, support=support + 1, contradictions=against) > now
    assert confidence(trust, support=support, contradictions=against + 1) < now


@given(st.lists(st.sampled_from(Trust), min_size=1))
def test_what_is_derived_is_trusted_as_its_worst_source(sources: list[Trust]) -> None:
    derived = lowest_trust(*sources)

    assert derived in sources
    assert all(TRUST_ORDER.index(derived) >= TRUST_ORDER.index(one) for one in sources)
