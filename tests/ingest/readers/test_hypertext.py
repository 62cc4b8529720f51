import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.document import BlockKind
from stratal_ingest.readers.hypertext import read_page
from stratal_ingest.readers.registry import read

PAGE = b"""<html><head><title> Our
 handbook</title><style>p{}</style></head><body><nav>Home</nav>
<h1>Leave</h1><p>Thirty <b>days</b>
 a&nbsp;year.<br>More.</p><script>alert(1)</script>
<ul><li>call</li><li>rest</li></ul>
<table><tr><th>who<th>weeks<tr><td>all</td><td><p>12</p></td></tr></table>
<h2>Code</h2><pre>if x:
    y()</pre><p hidden>secret</p>tail</body></html>"""


def texts(body: str) -> list[str]:
    return [block.text for block in read(f"<html><body>{body}".encode(), "a.html").blocks]


def test_a_page_is_read_as_a_person_sees_it() -> None:
    document = read(PAGE, "page.html")

    assert document.title == "Our handbook"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Leave",), "Leave"),
        (BlockKind.PROSE, ("Leave",), "Thirty days a year.\nMore."),
        (BlockKind.PROSE, ("Leave",), "- call\n- rest"),
        (BlockKind.TABLE, ("Leave",), "who\tweeks\nall\t12"),
        (BlockKind.HEADING, ("Leave", "Code"), "Code"),
        (BlockKind.CODE, ("Leave", "Code"), "if x:\n    y()"),
        (BlockKind.PROSE, ("Leave", "Code"), "tail"),
    ]


def test_links_of_a_navigation_are_left_out_and_its_sentences_are_not() -> None:
    menu = "<nav><h2>Menu</h2><ul><li><a href=a>All our pages are here</a></ul>"
    told = "<p>This page was moved to <a href=b>a new place</a></p></nav>"

    assert texts(menu + told + "<p>The article.") == [
        "This page was moved to a new place",
        "The article.",
    ]


@pytest.mark.parametrize(
    "banner",
    [
        "<div id='cookie-banner'><p>We use cookies. <button>Accept</button></div>",
        "<div class='x onetrust-pc-sdk'>We use cookies.</div>",
        "<aside class='gdpr_consent_popup'>We use cookies.</aside>",
        "<div style='DISPLAY : none'>We use cookies.</div>",
    ],
)
def test_a_cookie_banner_is_left_out(banner: str) -> None:
    assert texts(banner + "<p>The article.") == ["The article."]


MAIN = "The duck is a bird that lives at the water. " * 5
AROUND = """<a href=#c>Jump to content</a><header><a href=/>Our site</a><h1>Duck</h1>
<p>Read <a href=/n>the news</a> of this year<button>hide it</button></header>
<div class=side><h2>Menu</h2><ul><li><a href=/a>All our pages are here</a></ul></div>"""
BELOW = "<footer><p>Text is free for everybody.</p><a href=/p>Privacy policy of us</a></footer>"


@pytest.mark.parametrize("opening", ["<main>", "<div role=main>", "<article>"])
def test_around_what_a_page_is_about_only_sentences_and_the_title_are_read(opening: str) -> None:
    about = f"{opening}<h2>Life</h2><p>{MAIN}</p><ul><li><a href=/w>Water</a></ul>"
    closing = f"</{opening[1:].split()[0].rstrip('>')}>"

    assert texts(AROUND + about + closing + BELOW) == [
        "Duck",
        "Read the news of this year",
        "Life",
        MAIN.strip(),
        "- Water",
        "Text is free for everybody.",
    ]


def test_a_main_that_holds_little_of_the_page_changes_nothing() -> None:
    links = "<p><a href=a>A link with many words</a></p>" * 9

    assert len(texts(f"{links}<main><p>Short.</p></main>")) == 10


def test_a_button_that_is_a_heading_or_a_question_stays() -> None:
    asked = "<h3><button>Opening hours</button></h3><button>When are you open today?</button>"

    assert texts(f"{asked}<p>At nine.<p><button>Send</button><a href=#x>Skip to x</a>") == [
        "Opening hours",
        "When are you open today?",
        "At nine.",
    ]


def test_an_article_is_never_lost() -> None:
    words = "The whole article about cookies and how to bake them. " * 3

    assert texts(f"<div class='cookie-bar'><h1>Baking</h1><p>{words}</div>")[0] == "Baking"
    assert texts(f"<div style='display:none'><p>{words}</div><p>x") == [words.strip(), "x"]
    assert texts("<nav><a href=a>One page</a> <a href=b>and another</a></nav>") == [
        "One page and another"
    ]


def test_a_page_that_only_scripts_fill_says_what_it_is_about() -> None:
    page = b"<html><head><meta name=description content='All about leave.'></head><body><div>"

    assert read(page, "a.html").text == "All about leave."


def test_lists_keep_their_depth_and_numbers() -> None:
    made = "<ol start=3><li>three<ul><li>inner<li><p>more</p><p>and more</p></ul><li>four</ol>end"

    assert texts(made) == ["3. three\n  - inner\n  - more\n    and more\n4. four", "end"]


def test_details_alternative_texts_and_two_breaks_are_read() -> None:
    made = (
        "<details><summary>Sum</summary>Hidden until clicked</details>"
        "<img alt='A map of Bern'><img alt='photo.jpg'>one<br>two<br><br>three"
    )

    assert texts(made) == ["Sum", "Hidden until clicked", "A map of Bern one\ntwo", "three"]


def test_furigana_and_soft_hyphens_do_not_part_a_word() -> None:
    assert texts("<p><ruby>東京<rp>(</rp><rt>とうきょう</rt></ruby>都 Donau&shy;dampf") == [
        "東京都 Donaudampf"
    ]


def test_a_table_that_only_places_things_is_no_table() -> None:
    layout = "<table><tr><td><h2>News</h2><p>One.</p><td><table><tr><td>a<td>b</table></table>"

    document = read(f"<html><body>{layout}".encode(), "a.html")

    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, "News"),
        (BlockKind.PROSE, "One."),
        (BlockKind.TABLE, "a\tb"),
    ]


def test_two_columns_of_paragraphs_are_no_table() -> None:
    left, right = "word " * 100, "other " * 100

    assert texts(f"<table><tr><td>{left}<td>{right}</table>") == [left.strip(), right.strip()]


def test_merged_cells_keep_the_columns_in_place() -> None:
    made = (
        "<table><caption>Leave</caption><tr><th>who<th>from<th>to<tr><td rowspan=2>all<td>1<td>2"
        "<tr><td>3<td>4<tr><td colspan=2>sum<td>6</table>"
    )

    assert texts(made) == ["Leave\nwho\tfrom\tto\nall\t1\t2\n3\t4\nsum\t\t6"]


def test_empty_elements_of_xhtml_swallow_nothing() -> None:
    page = b"""<?xml version="1.0" encoding="windows-1251"?><html><head><title/></head>
<body><p>\xcf\xf0\xe8<a id="x"/>\xe2\xe5\xf2</p><script src="a"/><p>end</p></body></html>"""

    assert [block.text for block in read(page, "a.xhtml").blocks] == ["Привет", "end"]


def test_a_page_in_a_declared_charset_is_read_in_it() -> None:
    page = "<html><meta charset='iso-8859-1'><p>–déjà vu…</p>".encode("cp1252")

    assert read(page, "page.html").text == "–déjà vu…"


@pytest.mark.parametrize("charset", ["nonsense", "rot13", "base64"])
def test_a_charset_that_is_none_is_guessed(charset: str) -> None:
    page = f"<html><meta charset='{charset}'><p>–déjà vu…</p>".encode("cp1252")

    assert read(page, "page.html").text == "–déjà vu…"


def test_a_page_that_lies_about_its_charset_is_guessed() -> None:
    words = "Съешь ещё этих мягких французских булок, да выпей же чаю."
    page = f"<html><meta charset=utf-8><p>{words}</p>".encode("cp1251")

    assert read(page, "page.html").text == words


def test_nesting_without_end_and_tags_never_closed_are_read() -> None:
    page = b"<html>" + b"<div>" * 3_000 + b"deep<table><tr><td>cell<p><b>bold<ul><li>item"

    text = read(page, "page.html").text

    assert all(word in text for word in ("deep", "cell", "bold", "item"))


TAGS = ("table", "tr", "td", "th", "ul", "ol", "li", "p", "h2", "pre", "nav", "a", "caption", "br")
PARTS = [*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "<td colspan=3 rowspan=2>"]


@given(st.lists(st.sampled_from(PARTS) | st.text("ab c\n\0&", max_size=4), max_size=40))
def test_whatever_the_tags_no_word_outside_of_a_navigation_is_lost(parts: list[str]) -> None:
    made = "".join(part for part in parts if "nav" not in part)

    text = read_page(f"<html><body>{made}<p>closing</p>").text

    assert text.count("a") == sum(part.count("a") for part in parts if "<" not in part)
    assert "closing" in text
