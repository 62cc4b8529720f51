import pytest

from stratal.cli.streams import printable


@pytest.mark.parametrize("sign", ["\x1b", "\u202e", "\u2066", "\u2069", "\u200e", "\u200f"])
def test_what_would_steer_a_terminal_or_turn_a_name_around_is_replaced(sign: str) -> None:
    assert printable(f"invoice{sign}fdp.exe\n") == "invoice\N{REPLACEMENT CHARACTER}fdp.exe\n"


def test_the_joiners_that_scripts_need_stay() -> None:
    assert printable("\u0646\u200c\u0647\t\n") == "\u0646\u200c\u0647\t\n"
