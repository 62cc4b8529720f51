import csv
import io
import runpy
import zipfile
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

from stratal.demo_script import ALICE, BOB, LEDGER_FOR, SESSIONS
from stratal_procedures.library import Library, SkillFolder
from stratal_procedures.matcher import match

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples"
TEXTS = ("handbook.md", "suppliers.csv", "ovens.html", "minutes-2026-10.txt")


def sample_text() -> str:
    return " ".join((SAMPLES / name).read_text(encoding="utf-8") for name in TEXTS).lower()


def said(user: str) -> str:
    return " ".join(
        line.text for session in SESSIONS for line in session.lines if session.user == user
    ).lower()


def body(docx: bytes) -> bytes:
    """The text part of a Word file: how the zip is packed depends on the zlib at hand."""
    with zipfile.ZipFile(io.BytesIO(docx)) as file:
        return file.read("word/document.xml")


def test_both_users_have_three_sessions_in_the_order_of_their_days() -> None:
    for user in (ALICE, BOB):
        assert [each.number for each in SESSIONS if each.user == user] == [1, 2, 3]
    assert all(before.day <= after.day for before, after in pairwise(SESSIONS))


def test_what_is_expected_was_said_by_that_user_or_stands_in_a_sample() -> None:
    known = sample_text()
    for session in SESSIONS:
        for line in session.lines:
            for word in line.expects:
                assert word in known + said(session.user), line.text


def test_what_bob_must_not_see_is_only_what_alice_said() -> None:
    secrets = [word for each in SESSIONS for line in each.lines for word in line.forbids]

    assert {"kiwi", "porto", "lisbon"} <= set(secrets)
    for word in secrets:
        assert word in said(ALICE)
        assert word not in said(BOB) + sample_text()


def test_a_trigger_matches_where_a_skill_is_promised_and_nowhere_else() -> None:
    skills = Library([SkillFolder(origin="built-in", path=ROOT / "data" / "skills")]).skills
    for session in SESSIONS:
        for line in session.lines:
            best = match(line.text, skills, similar=None).best

            assert (best.skill.name if best else "") == line.skill


def test_nobody_has_written_about_the_nonsense_question() -> None:
    nothing = [line for each in SESSIONS for line in each.lines if line.recalls_nothing]

    assert len(nothing) == 1
    for word in ("zorblax", "orbital", "moon"):
        assert word in nothing[0].text.lower()
        assert word not in sample_text()


def test_the_question_whose_ledger_is_shown_is_asked() -> None:
    assert LEDGER_FOR in [line.text for each in SESSIONS for line in each.lines]


def test_the_binary_samples_are_what_the_script_writes() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "make_samples.py"))

    assert script["price_list"]() == (SAMPLES / "price-list.pdf").read_bytes()
    assert body(script["onboarding"]()) == body((SAMPLES / "onboarding.docx").read_bytes())


def test_the_supplier_list_has_fifteen_whole_rows() -> None:
    rows = list(csv.reader(io.StringIO((SAMPLES / "suppliers.csv").read_text(encoding="utf-8"))))

    assert len(rows) == 16
    assert {len(row) for row in rows} == {9}


def test_the_oven_page_is_whole_html() -> None:
    opened: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag != "meta":
                opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    Tags().feed((SAMPLES / "ovens.html").read_text(encoding="utf-8"))

    assert opened == []
