import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_procedures.yaml_text import LONGEST, NotYaml, as_text, read, sources


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("a: 1.10", "1.10"),
        ("a: 0x1F", "0x1F"),
        ("a: 2026-11-21", "2026-11-21"),
        ("a: yes", "yes"),
        ("a: !!binary aGk=", "aGk="),
        ("a: |\n  one\n  two\n", "one\ntwo\n"),
        ("a: >-\n  one\n  two\n", "one two"),
        ("a: one\n  two", "one two"),
        ("a: 'it''s'", "it's"),
        ('a: "\\u00e9\\n"', "é\n"),
        ("? a\n: x", "x"),
        ("a: &x y\nb: *x", "y"),
        ("{a: x}", "x"),
        ("a: 日本語 🦊", "日本語 🦊"),
    ],
)
def test_every_scalar_is_the_text_that_was_written(header: str, value: str) -> None:
    found = read(header)

    assert found.values["a"] == value
    assert found.mended == ()


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("a: Use it when: asked\nb: x", "Use it when: asked"),
        ("a: [one] [two]\nb: x", "[one] [two]"),
        ("a: *.md files\nb: x", "*.md files"),
        ("a: @me\nb: x", "@me"),
        ("a: `code` it\nb: x", "`code` it"),
        ('a: "He said "no" twice"\nb: x', 'He said "no" twice'),
        ("a: when: one\n  and: two\nb: x", "when: one\n and: two"),
        ("a: |\n    far\n  near: x: y\nb: x", "far\n  near: x: y"),
    ],
)
def test_what_is_no_yaml_is_the_text_behind_its_name(header: str, value: str) -> None:
    found = read(header)

    assert " ".join(str(found.values["a"]).split()) == " ".join(value.split())
    assert found.values["b"] == "x"
    assert found.mended == ("a",)


def test_indents_of_tabs_are_read() -> None:
    assert read("metadata:\n\tauthor: Ann\nname: x").values == {
        "metadata": {"author": "Ann"},
        "name": "x",
    }


@pytest.mark.parametrize(
    "header", ["steps: [a\nname: x", "enabled: [x\nname: y", "- a: [", ": [\nname: x", "[" * 20_000]
)
def test_what_nobody_can_mend_is_refused(header: str) -> None:
    with pytest.raises(NotYaml):
        read(header)


def test_each_field_comes_with_its_lines() -> None:
    header = "# a comment\nname: x\nsteps:\n  - one: 1\n  - two\n\nlast: |\n  y"

    assert list(sources(header)) == [
        ("", "# a comment"),
        ("name", "name: x"),
        ("steps", "steps:\n  - one: 1\n  - two\n"),
        ("last", "last: |\n  y"),
    ]


def test_an_endless_value_is_cut() -> None:
    doubled = "\n".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))
    bomb = read(f"a0: &a0 boom\n{doubled}").values["a59"]

    assert len(as_text(bomb)) == LONGEST + 1
    assert as_text({"a": ["b", {"c": "d"}]}) == "{a: [b, {c: d}]}"


@given(st.text(max_size=200))
def test_any_text_gives_fields_or_is_no_yaml(header: str) -> None:
    try:
        found = read(header)
    except NotYaml:
        return

    assert all(isinstance(key, str) for key in found.values)
