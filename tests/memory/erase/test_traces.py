"""Many byte strings looked for at once are found exactly where a plain search finds them."""

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.erase.traces import Traces, forms

NEEDLES = st.lists(st.binary(min_size=8, max_size=40), max_size=20)
ALIKE = st.lists(  # many that begin and end alike, of few letters: anchors collide
    st.text("ab", min_size=8, max_size=24).map(lambda text: f"same{text}end".encode()),
    max_size=20,
)


def plain(needles: list[bytes], data: bytes) -> set[tuple[int, bytes]]:
    return {
        (at, one)
        for one in needles
        for at in range(len(data) - len(one) + 1)
        if data.startswith(one, at)
    }


@given(NEEDLES | ALIKE, st.data())
def test_every_place_of_every_needle_is_found(needles: list[bytes], drawn: st.DataObject) -> None:
    parts = drawn.draw(st.lists(st.sampled_from(needles) if needles else st.binary(), max_size=8))
    data = b"".join(drawn.draw(st.binary(max_size=9)) + part for part in parts)

    assert set(Traces(needles).find(data)) == plain(needles, data)


@given(NEEDLES, st.lists(st.binary(max_size=60), max_size=10))
def test_what_values_hold_is_what_each_of_them_holds(
    needles: list[bytes], values: list[bytes]
) -> None:
    values = [*values, *(b"x" + one for one in needles[::2])]
    each = {one for one in needles for value in values if one in value}

    assert each <= Traces(needles).held(values)
    assert all(one in b"\0\xff\0".join(values) for one in Traces(needles).held(values))


def test_shorter_needles_are_left_out_and_none_is_nothing() -> None:
    assert not Traces([b"seven_b"])
    assert list(Traces([]).find(b"anything at all")) == []
    assert Traces([]).held([b"anything at all"]) == set()


@given(st.text(min_size=12, max_size=60), st.integers(0, 5))
def test_a_text_is_found_in_every_form_it_takes(text: str, before: int) -> None:
    found = Traces(forms(text))
    around = b"x" * before

    for data in (
        text.encode("utf-8", "surrogatepass"),
        text.encode("utf-16-le", "surrogatepass"),
        json.dumps({"said": text}).encode(),
        base64.b64encode(around + text.encode("utf-8", "surrogatepass") + b"tail"),
    ):
        assert any(found.find(around + data))
