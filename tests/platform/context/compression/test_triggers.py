from dataclasses import replace

import pytest

from stratal.context.compression.triggers import Fill, Measure, Triggers, fired
from stratal.errors import ConfigError
from tests.platform.context.compression.of_presets import triggers_of

EMPTY = Fill(used=0, history=0, messages=0, window=131_072)


def test_no_mark_never_fires() -> None:
    assert fired(Triggers(), Fill(used=9_999, history=9_999, messages=999, window=1)) == ""


def test_picoclaw_summarises_above_twenty_messages() -> None:  # covers P17, Ps5
    assert fired(triggers_of("picoclaw"), replace(EMPTY, messages=20)) == ""
    assert fired(triggers_of("picoclaw"), replace(EMPTY, messages=21)) == "21 messages, above 20"


def test_picoclaw_summarises_at_three_quarters_of_its_window() -> None:  # covers P17, Ps5
    assert fired(triggers_of("picoclaw"), replace(EMPTY, used=98_303)) == ""
    assert fired(triggers_of("picoclaw"), replace(EMPTY, used=98_304)) == (
        "98,304 tokens, at least 98,304 (75% of a window of 131,072)"
    )


def test_octo_summarises_at_70_percent_or_100_000_tokens_or_above_100_messages() -> None:
    # covers C6, C22
    octo = triggers_of("octo")
    small, large = replace(EMPTY, window=128_000), replace(EMPTY, window=200_000)

    assert fired(octo, replace(small, used=89_599)) == ""
    assert fired(octo, replace(small, used=89_600)).startswith(
        "89,600 tokens, at least 89,600 (70%"
    )
    assert fired(octo, replace(large, used=99_999)) == ""
    assert fired(octo, replace(large, used=100_000)) == "100,000 tokens, at least 100,000"
    assert fired(octo, replace(small, messages=100)) == ""
    assert fired(octo, replace(small, messages=101)) == "101 messages, above 100"


def test_zeus_summarises_at_85_percent_of_the_largest_input() -> None:  # covers Z20
    assert fired(triggers_of("zeus"), replace(EMPTY, used=54_399, window=64_000)) == ""
    assert fired(triggers_of("zeus"), replace(EMPTY, used=54_400, window=64_000))


def test_the_mark_is_compared_with_everything_the_window_holds() -> None:  # covers P39
    full = Fill(used=98_304, history=1_000, messages=4, window=131_072)

    assert fired(triggers_of("picoclaw"), full)
    assert fired(triggers_of("picoclaw"), full, measure=Measure.HISTORY) == ""


def test_a_fraction_is_not_off_by_a_rounding_error() -> None:
    assert fired(Triggers(fraction=0.55), Fill(used=55, history=0, messages=0, window=100))


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan")])
def test_a_fraction_outside_its_range_is_refused(fraction: float) -> None:  # covers C22
    with pytest.raises(ConfigError):
        Triggers(fraction=fraction)


def test_negative_marks_are_refused() -> None:
    with pytest.raises(ConfigError, match="-1"):
        Triggers(tokens=-1)
    with pytest.raises(ConfigError, match="-2"):
        Triggers(messages=-2)
