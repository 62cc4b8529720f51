from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from stratal_procedures.disclosure import activated, available_skills, procedure
from stratal_procedures.listing import NO_FILES, Listed
from stratal_procedures.skill import Skill


def words(text: str) -> int:
    """One token a word, so a test can be checked by eye."""
    return len(text.split())


def skill(
    name: str, *, text: str = "1. Do it.", about: str = "How to.", priority: int = 0
) -> Skill:
    return Skill(
        name=name,
        description=about,
        body=text,
        folder=Path("skills") / name,
        content_hash="",
        priority=priority,
    )


def test_a_procedure_that_fits_is_shown_whole() -> None:
    # covers O3
    shown = procedure(skill("bake"), count=words, cap=5)

    assert shown.text == "[Procedure: bake]\n1. Do it."
    assert (shown.tokens, shown.whole, shown.why) == (5, True, "")


def test_one_token_over_the_cap_leaves_a_pointer_and_no_half_step() -> None:
    long = skill("bake", text="step " * 100)  # 2 + 100 words

    assert procedure(long, count=words, cap=102).whole
    shown = procedure(long, count=words, cap=101)

    assert shown.text == (
        "[Procedure: bake]\nHow to.\nThe steps are too long to stand here. "
        'Before acting, call load_skill with "bake"; do not guess them.'
    )
    assert not shown.whole
    assert shown.why == "its 102 tokens are over the cap of 101: only a pointer"


def test_without_a_reading_tool_the_pointer_names_the_file() -> None:
    shown = procedure(skill("bake", text="step " * 100), count=words, cap=50, reader="")

    assert "ask for skills/bake/SKILL.md" in shown.text


def test_when_not_even_the_pointer_fits_nothing_is_shown_and_it_says_so() -> None:
    shown = procedure(skill("bake", text="step " * 100), count=words, cap=3)

    assert (shown.text, shown.tokens, shown.whole) == ("", 0, False)
    assert shown.why == "its 102 tokens are over the cap of 3, and so is a pointer to it"


def test_the_list_names_and_describes_each_skill() -> None:
    # covers Zs6
    listing = available_skills([skill("bake"), skill("a<b", about="x & y")], count=words)

    assert listing.text == (
        "<available_skills>\n"
        '<skill name="bake">How to.</skill>\n'
        '<skill name="a&lt;b">x &amp; y</skill>\n'
        "</available_skills>"
    )
    assert listing.left_out == ()


def test_what_has_no_room_in_the_list_is_counted_and_named() -> None:
    skills = [skill("low"), skill("high", priority=1), skill("last"), skill("least")]

    listing = available_skills(skills, count=words, cap=12)  # 2 tags, 3 an entry, 6 for the rest

    assert listing.text == (
        "<available_skills>\n"
        '<skill name="high">How to.</skill>\n'
        "(3 more have no room here)\n"
        "</available_skills>"
    )
    assert listing.left_out == ("low", "last", "least")


def test_long_descriptions_are_shortened_before_a_skill_is_left_out() -> None:
    def characters(text: str) -> int:
        return len(text)

    skills = [skill(name, about="x" * 1_000) for name in ("a", "b")]

    whole = available_skills(skills, count=characters, cap=2_200)
    shorter = available_skills(skills, count=characters, cap=800)
    shortest = available_skills(skills, count=characters, cap=400)

    assert "x" * 1_000 in whole.text
    assert f">{'x' * 299}…<" in shorter.text
    assert f">{'x' * 119}…<" in shortest.text
    assert (whole.left_out, shorter.left_out, shortest.left_out) == ((), (), ())


def test_a_skill_that_only_a_person_starts_is_not_in_the_list() -> None:
    listing = available_skills(
        [skill("bake"), replace(skill("deploy"), automatic=False)], count=words
    )

    assert "deploy" not in listing.text
    assert "bake" in listing.text


def test_an_activated_skill_comes_whole_and_with_the_names_of_its_files() -> None:
    # covers Zs6
    files = Listed(files=(("references/a.md", 1_200),), more=2)

    assert activated(skill("a&b"), files) == (
        '<activated_skill name="a&amp;b">\n1. Do it.\n</activated_skill>\n'
        "Files of this skill, for read_skill_file: references/a.md (1,200 bytes) and 2 more."
    )
    assert activated(skill("bake"), NO_FILES).endswith("</activated_skill>")


def test_without_skills_there_is_no_list() -> None:
    assert available_skills([], count=words).text == ""


@given(
    st.lists(st.text(alphabet="ab ", max_size=40), max_size=8),
    st.integers(min_value=0, max_value=60),
)
def test_neither_section_goes_over_its_cap(texts: list[str], cap: int) -> None:
    skills = [skill(f"s{at}", text=text, about=text) for at, text in enumerate(texts)]

    listing = available_skills(skills, count=words, cap=cap)
    shown = [procedure(each, count=words, cap=cap) for each in skills]

    assert words(listing.text) == listing.tokens <= cap
    assert all(words(each.text) == each.tokens <= cap for each in shown)
    inside = [each.name for each in skills if f'name="{each.name}"' in listing.text]
    assert sorted([*inside, *listing.left_out]) == [each.name for each in skills]
