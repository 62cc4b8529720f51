import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import InvalidRequest
from stratal.prompt.layers import layers
from stratal.prompt.pipeline import fifteen, system_text
from stratal.prompt.sections import SECTIONS, Layer, Mode

ORDER = [section.name for section in SECTIONS]
DYNAMIC = ORDER[6:]
STATIC = layers(mode=Mode.AGENT, tools=[], agent_name="Sol")
ALL = {name: f"the text of {name}" for name in DYNAMIC}
some_dynamic = st.dictionaries(st.sampled_from(DYNAMIC), st.text())


def test_all_fifteen_stand_in_the_order_of_zeus() -> None:
    # covers Zs1, Z6, Z2
    built = fifteen(STATIC, ALL)

    assert [layer.name for layer in built] == [
        *("CORE", "SOUL", "TOOLS", "WORKFLOW", "MEMORY", "MODE"),
        *("Time", "Skills", "Connector", "MCP Prompts"),
        *("Profile", "Memories", "Resources", "Sandbox", "Attachments"),
    ]
    assert system_text(built) == "\n\n".join(
        [layer.text for layer in STATIC] + [ALL[name] for name in DYNAMIC]
    )


def test_the_order_they_are_given_in_does_not_matter() -> None:
    # covers Z2, Zs1
    backwards = dict(reversed(ALL.items()))

    assert fifteen(STATIC[::-1], backwards) == fifteen(STATIC, ALL)


@pytest.mark.parametrize("name", DYNAMIC)
def test_one_section_can_be_left_out_without_touching_another(name: str) -> None:
    # covers Z2
    without = {key: text for key, text in ALL.items() if key != name}

    assert fifteen(STATIC, without) == tuple(x for x in fifteen(STATIC, ALL) if x.name != name)
    assert fifteen(STATIC, ALL | {name: " \n\t"}) == fifteen(STATIC, without)


def test_nothing_makes_nothing() -> None:
    assert fifteen([], {}) == ()
    assert system_text([]) == ""


@given(some_dynamic)
def test_the_static_text_is_a_prefix_of_the_whole_whatever_follows(dynamic: dict[str, str]) -> None:
    # covers Z6, Z24
    whole = system_text(fifteen(STATIC, dynamic))

    assert whole.startswith(system_text(STATIC))


@given(some_dynamic)
def test_each_text_stands_in_the_prompt_as_it_was_given(dynamic: dict[str, str]) -> None:
    built = fifteen([], dynamic)

    assert {layer.name: layer.text for layer in built} == {
        name: text.strip() for name, text in dynamic.items() if text.strip()
    }
    assert [layer.name for layer in built] == [
        name for name in ORDER if dynamic.get(name, "").strip()
    ]


@pytest.mark.parametrize("name", ["Weather", "CORE", "time", "", "x" * 10_000, "\ud800"])
def test_an_unknown_dynamic_section_is_refused(name: str) -> None:
    # covers Zs1
    with pytest.raises(InvalidRequest, match="there is no dynamic section") as caught:
        fifteen(STATIC, {name: "text"})

    assert len(str(caught.value)) < 100
    assert caught.value.hint == (
        "There are Time, Skills, Connector, MCP Prompts, Profile, Memories, Resources, Sandbox, "
        "Attachments."
    )


def test_a_static_section_is_none_of_the_dynamic_ones() -> None:
    with pytest.raises(InvalidRequest, match="there is no static section 'Profile'"):
        fifteen([Layer("Profile", "text")], {})


def test_a_section_given_twice_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="the section SOUL is given 2 times"):
        fifteen([Layer("SOUL", "warm"), Layer("SOUL", "cold")], {})
