from stratal_ingest.document import BlockKind
from stratal_ingest.readers.registry import read

PAGE = b"""<html><head><title> Our
 handbook</title><style>p{}</style></head><body><nav>Home</nav>
<h1>Leave</h1><p>Thirty <b>days</b>
 a&nbsp;year.<br>More.</p><script>alert(1)</script>
<ul><li>call</li><li>rest</li></ul>
<table><tr><th>who<th>weeks<tr><td>all</td><td><p>12</p></td></tr></table>
<h2>Code</h2><pre>if x:
    y()</pre><p hidden>secret</p>tail</body></html>"""


def test_a_page_is_read_as_a_person_sees_it() -> None:
    document = read(PAGE, "page.html")

    assert document.title == "Our handbook"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Leave",), "Leave"),
        (BlockKind.PROSE, ("Leave",), "Thirty days a year. More."),
        (BlockKind.PROSE, ("Leave",), "- call\n- rest"),
        (BlockKind.TABLE, ("Leave",), "who | weeks\nall | 12"),
        (BlockKind.HEADING, ("Leave", "Code"), "Code"),
        (BlockKind.CODE, ("Leave", "Code"), "if x:\n    y()"),
        (BlockKind.PROSE, ("Leave", "Code"), "tail"),
    ]


def test_a_page_in_a_declared_charset_is_read_in_it() -> None:
    page = "<html><meta charset='iso-8859-1'><p>“déjà vu”</p>".encode("cp1252")

    assert read(page, "page.html").text == "“déjà vu”"


def test_a_page_that_lies_about_its_charset_is_guessed() -> None:
    words = "Съешь ещё этих мягких французских булок, да выпей же чаю."
    page = f"<html><meta charset=utf-8><p>{words}</p>".encode("cp1251")

    assert read(page, "page.html").text == words


def test_nesting_without_end_and_tags_never_closed_are_read() -> None:
    page = b"<html>" + b"<div>" * 3_000 + b"deep<table><tr><td>cell<p><b>bold<ul><li>item"

    text = read(page, "page.html").text

    assert all(word in text for word in ("deep", "cell", "bold", "item"))
