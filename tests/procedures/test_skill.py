import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_procedures.errors import SkillError
from stratal_procedures.skill import MAX_BYTES, Parameter, Step, load, parse

FILE = Path("skills/bake/SKILL.md")
WHOLE = """\
---
name: bake-bread
description: Bake a loaf.
version: 1.10
author: Priya
priority: 3
tags: [oven, bread]
triggers:
  - '\\bbake\\b'
parameters:
  - loaf
  - name: minutes
    description: how long
    required: false
steps:
  - Heat the oven.
  - instruction: Bake {{loaf}} for {{ minutes }}.
    tool: timer
    arguments: {minutes: "{{minutes}}"}
    condition: the lamp is green
    optional: yes
---

Never open the door early.
"""


def skill_with(field: str, *, body: str = "Do it.") -> bytes:
    return f"---\nname: bake\ndescription: Bake it.\n{field}\n---\n{body}\n".encode()


def test_a_whole_skill_is_read() -> None:
    # covers Os17, Zs6
    skill = parse(WHOLE.encode(), file=FILE)

    assert (skill.name, skill.description) == ("bake-bread", "Bake a loaf.")
    assert (skill.version, skill.author, skill.priority) == ("1.10", "Priya", 3)
    assert [trigger.pattern for trigger in skill.triggers] == [r"\bbake\b"]
    assert skill.parameters == (
        Parameter(name="loaf"),
        Parameter(name="minutes", description="how long", required=False),
    )
    assert skill.steps == (
        Step(instruction="Heat the oven."),
        Step(
            instruction="Bake {{loaf}} for {{ minutes }}.",
            tool="timer",
            arguments=(("minutes", "{{minutes}}"),),
            condition="the lamp is green",
            optional=True,
        ),
    )
    assert skill.tags == ("oven", "bread")
    assert skill.enabled
    assert skill.folder == Path("skills/bake")
    assert skill.content_hash == hashlib.sha256(WHOLE.encode()).hexdigest()


def test_the_model_reads_numbered_steps_and_then_the_text() -> None:
    skill = parse(WHOLE.encode(), file=FILE)

    assert skill.instructions() == (
        "1. Heat the oven.\n"
        "2. Bake {{loaf}} for {{ minutes }}. [tool: timer(minutes={{minutes}})]"
        " (only if the lamp is green) (optional)\n\n"
        "Never open the door early."
    )


def test_two_fields_and_a_text_are_enough() -> None:
    skill = parse(b"---\nname: bake\ndescription: Bake it.\n---\n# How\n\nDo it.", file=FILE)

    assert skill.instructions() == "# How\n\nDo it."
    assert (skill.version, skill.priority, skill.enabled) == ("1.0.0", 0, True)


def test_fields_of_other_programs_are_left_alone() -> None:
    skill = parse(
        skill_with("license: MIT\nallowed-tools: Read Bash(git:*)\nmetadata:\n  a: {b: [1]}"),
        file=FILE,
    )

    assert skill.name == "bake"


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    content = b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode()

    assert parse(content, file=FILE).body == "Never open the door early."


@pytest.mark.parametrize(
    ("content", "field", "problem"),
    [
        (b"", "frontmatter", "does not begin with it"),
        (b"# Bake\n\nno frontmatter", "frontmatter", "does not begin with it"),
        (b"text\n---\nname: a\n---\n", "frontmatter", "does not begin with it"),
        (b"---\nname: bake\ndescription: x\n", "frontmatter", "never closed"),
        (b"---\n---\nDo it.", "frontmatter", "holds no fields"),
        (b"---\n- name\n---\nDo it.", "frontmatter", "holds no fields"),
        (b"---\na: " + b"x" * 32_000 + b"\n---\nDo it.", "frontmatter", "32,000 are allowed"),
        (b"---\ndescription: x\n---\nDo it.", "name", "missing or empty"),
        (b"---\nname: ~\ndescription: x\n---\nDo it.", "name", "missing or empty"),
        (b"---\nname: [a]\ndescription: x\n---\nDo it.", "name", "it is a list"),
        (b"---\nname: a]b\ndescription: x\n---\nDo it.", "name", "holds other characters"),
        (b"---\nname: " + b"a" * 201 + b"\n---\nDo it.", "name", "201 characters, 200 are allowed"),
        (b"---\nsteps: [a\ndescription: x\n---\nDo it.", "frontmatter", "not YAML"),
        (b"---\njust words\n---\nDo it.", "frontmatter", "holds no fields"),
        (b'---\nname: "a\\tb"\n---\nDo it.', "description", "missing or empty"),
        (b'---\nname: "a\\eb"\n---\nDo it.', "name", "holds other characters"),
        (b"---\nname: bake\n---\nDo it.", "description", "missing or empty"),
        (b"---\nname: bake\ndescription: {a: b}\n---\nx", "description", "it is a mapping"),
        (skill_with("enabled: perhaps"), "enabled", "neither true nor false"),
        (skill_with("steps: [" + "a," * 201 + "]"), "steps", "201 entries, 200 are allowed"),
        (skill_with("steps: [[a]]"), "steps", "entry 1 is a list"),
        (skill_with("steps: [a, {tool: t}]"), "steps[2].instruction", "missing or empty"),
        (skill_with("steps: [{instruction: a, arguments: b}]"), "steps[1].arguments", "a blank"),
        (skill_with("steps: ['Bake {{loaf}}.']"), "steps", "step 1 uses {{loaf}}"),
        (skill_with("", body=""), "body", "nothing to do"),
        ("---\nname: bäke\n".encode("utf-16"), "file", "not UTF-8"),
        ("---\nname: bäke\n".encode("latin-1"), "file", "not UTF-8 (byte 11)"),
        (skill_with("", body="a\0b"), "file", "NUL"),
    ],
)
def test_a_broken_skill_names_the_file_the_field_and_the_fix(
    content: bytes, field: str, problem: str
) -> None:
    with pytest.raises(SkillError) as caught:
        parse(content, file=FILE)

    assert caught.value.field == field
    assert problem in str(caught.value)
    assert str(FILE) in str(caught.value)
    assert caught.value.hint


def test_aliases_can_not_make_a_small_file_large() -> None:
    doubled = "\n".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 40))
    content = f"---\nname: bake\ndescription: x\na0: &a0 {{k: v}}\n{doubled}\n---\nDo it."

    assert parse(content.encode(), file=FILE).name == "bake"


def test_tags_of_yaml_never_make_objects(tmp_path: Path) -> None:
    made = tmp_path / "made"

    skill = parse(skill_with(f"tags: [!!python/object/apply:os.mkdir ['{made}']]"), file=FILE)

    assert not made.exists()
    assert skill.tags == ()


def test_the_fields_of_the_format_and_of_other_products_are_kept() -> None:
    skill = parse(
        skill_with(
            "license: MIT\ncompatibility: needs git\n"
            "metadata: {author: Ann, version: '1.0', n: [1]}\n"
            "allowed-tools: Bash(git add:*), Read Bash(jq:*)\n"
            "model: opus\nhooks:\n  after: [a, {b: c}]"
        ),
        file=FILE,
    )

    assert (skill.license, skill.compatibility) == ("MIT", "needs git")
    assert skill.metadata == (("author", "Ann"), ("version", "1.0"), ("n", "[1]"))
    assert (skill.author, skill.version) == ("Ann", "1.0")
    assert skill.allowed_tools == ("Bash(git add:*)", "Read", "Bash(jq:*)")
    assert skill.extra == (("model", "opus"), ("hooks", "{after: [a, {b: c}]}"))


def test_allowed_tools_may_be_a_list() -> None:
    skill = parse(skill_with("allowed-tools:\n  - Bash(git:*)\n  - Read"), file=FILE)

    assert skill.allowed_tools == ("Bash(git:*)", "Read")


def test_a_skill_that_the_model_may_not_start_says_so() -> None:
    assert not parse(skill_with("disable-model-invocation: true"), file=FILE).automatic
    assert not parse(skill_with("disable-model-invocation: perhaps"), file=FILE).automatic
    assert parse(skill_with(""), file=FILE).automatic


@pytest.mark.parametrize(
    ("field", "warning"),
    [
        ("priority: high", "priority: 'high' is not a whole number"),
        ("version: {a: 1}", "version: it is a mapping"),
        ("tags: {a: 1}", "tags: it is a mapping"),
        ("tags: [[a]]", "tags: it holds a list"),
        ("triggers: {on: push}", "triggers: it is a mapping"),
        ("triggers: ['(a+)+']", "triggers: '(a+)+' can match in"),
        ("triggers: ['(']", "triggers: '(' is not a regular expression"),
        ("triggers: [" + "a," * 51 + "]", "triggers: there are 51, the first 50 are used"),
        ("parameters: {type: object}", "parameters: it is a mapping"),
        ("metadata: [a]", "metadata: it is a list"),
        (f"compatibility: {'x' * 501}", "compatibility: it has 501 characters"),
        ("argument-hint: [a] [b]", "argument-hint: it is not YAML; taken as text"),
    ],
)
def test_what_means_something_else_elsewhere_is_passed_over_with_a_remark(
    field: str, warning: str
) -> None:
    skill = parse(skill_with(field), file=FILE)

    assert (skill.name, skill.body) == ("bake", "Do it.")
    assert any(said.startswith(warning) for said in skill.warnings), skill.warnings


def test_what_the_format_does_not_allow_is_used_with_a_remark() -> None:
    long = "a" * 65
    skill = parse(
        f"---\nname: {long.upper()}\ndescription: {'x ' * 600}\n---\nDo it.".encode(), file=FILE
    )

    assert skill.name == long.upper()
    assert skill.warnings == (
        "name: it has 65 characters, the format allows 64",
        "name: the format allows small letters a-z, digits and single hyphens",
        "name: its folder is called 'bake'",
        "description: it has 1,199 characters, the format allows 1,024",
    )


def test_a_skill_as_the_format_wants_it_has_no_remarks() -> None:
    assert parse(skill_with(""), file=FILE).warnings == ()


def test_one_bad_trigger_does_not_take_the_others_with_it() -> None:
    skill = parse(skill_with("triggers: ['(', 'order flour']"), file=FILE)

    assert [trigger.pattern for trigger in skill.triggers] == ["order flour"]


def test_a_small_letter_file_and_a_file_of_any_name_are_read(tmp_path: Path) -> None:
    (tmp_path / "bake").mkdir()
    (tmp_path / "bake" / "skill.md").write_bytes(skill_with(""))
    (tmp_path / "anything.md").write_bytes(skill_with(""))

    assert load(tmp_path / "bake").name == "bake"
    assert load(tmp_path / "anything.md").name == "bake"


def test_a_folder_and_its_file_give_the_same_skill(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(WHOLE, encoding="utf-8")

    assert load(tmp_path) == load(tmp_path / "SKILL.md")
    assert load(tmp_path).folder == tmp_path


def test_a_folder_without_a_skill_says_what_a_skill_is(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="no such file") as caught:
        load(tmp_path)

    assert "SKILL.md" in caught.value.hint


def test_a_file_over_256_kb_is_refused(tmp_path: Path) -> None:
    fits = skill_with("", body="x" * (MAX_BYTES - len(skill_with("", body=""))))
    (tmp_path / "SKILL.md").write_bytes(fits)
    assert load(tmp_path).name == "bake"

    (tmp_path / "SKILL.md").write_bytes(fits + b"\n")
    with pytest.raises(SkillError, match="over 256 KB"):
        load(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SKILL.md")

    with pytest.raises(SkillError, match="no such file"):
        load(tmp_path)


@given(st.binary(max_size=200) | st.text(max_size=200).map(skill_with))
def test_any_bytes_give_a_skill_or_a_skill_error(content: bytes) -> None:
    try:
        skill = parse(content, file=FILE)
    except SkillError:
        return

    assert skill.name
    assert skill.instructions()
