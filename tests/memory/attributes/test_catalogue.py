"""The attributes that are known, and the facets each is kept under."""

import pytest

from scripts.attribute_lines import lines, values
from stratal_memory.attributes.catalogue import ATTRIBUTES, BY_NAME


def test_names_and_first_facets_are_distinct() -> None:
    assert len(BY_NAME) == len(ATTRIBUTES)
    assert len({one.facet for one in ATTRIBUTES}) == len(ATTRIBUTES)


@pytest.mark.parametrize(
    ("name", "facet", "covered"),
    [
        ("pets", "pet.cat", True),
        ("pets", "petrol", False),
        ("partner", "family.wife", True),
        ("car", "possession.car", True),
        ("car", "possession.card", False),
        ("manager", "people.supervisor", True),
        ("job", "work.employer", False),
    ],
)
def test_a_facet_is_covered_with_what_is_below_it_and_what_stands_for_the_same(
    name: str, facet: str, covered: bool
) -> None:
    assert BY_NAME[name].covers(facet) is covered


def test_every_attribute_has_lines_and_values_in_the_order_of_the_weights() -> None:
    assert list(values()) == [one.name for one in ATTRIBUTES]
    written = {(one.attribute, one.kind) for one in lines()}
    assert {(one.name, kind) for one in ATTRIBUTES for kind in ("says", "asks")} <= written
    assert {("", "says"), ("", "asks")} <= written


def test_no_line_keeps_the_place_of_its_value_open() -> None:
    assert [one.text for one in lines() if one.attribute and "{" in one.text] == []
