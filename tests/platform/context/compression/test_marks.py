import pytest

from stratal.context.compression.marks import marks


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The build of v1.2.3 broke INV-1234 and #77.", ["v1.2.3", "INV-1234", "#77"]),
        ("set API_KEY_NAME, fooBar and max_tokens", ["API_KEY_NAME", "fooBar", "max_tokens"]),
        ("see ~/notes/a.md or src/app.py", ["~/notes/a.md", "src/app.py"]),
        ("C:\\Users\\ann it was", ["C:\\Users\\ann"]),
        ("it is at https://a.example/b?c=1.", ["https://a.example/b?c=1"]),
        ("write to ann@example.org", ["ann@example.org"]),
        ("it costs $40 or 12% for 3 days", ["$40", "12%", "3 days"]),
        ("we met on 8 May 2023 and May 9th", ["8 May 2023", "May 9th"]),
        ("due 2026-11-20 at 10am", ["2026-11-20", "10am"]),
        ("INV-9 is due.", ["INV-9"]),
        ("commit deadbeef12 is good", ["deadbeef12"]),
        ("We saw Anna Berg, Otto and the BBC.", ["Anna Berg", "Otto", "BBC"]),
        ('{"path": "src/a.py", "lines": 30}', ["src/a.py", "30"]),
        ("会議は30分でTanakaさんと", ["30", "Tanaka"]),
    ],
)
def test_what_has_the_shape_of_a_name_a_number_or_an_identifier_is_found(
    sentence: str, found: list[str]
) -> None:
    assert [mark.text for mark in marks(sentence)] == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Painting is fun.",
        "I think he/she and/or they like it, and I'm glad.",
        "there are 3",
        "THIS IS SHOUTED",
        "",
        "… ?! - '",
    ],
)
def test_plain_words_are_no_marks(sentence: str) -> None:
    assert marks(sentence) == []


def test_an_endless_word_is_data_and_no_mark() -> None:
    assert marks("key A" + "a1" * 50_000 + " and Bob") == marks("key and Bob")


@pytest.mark.parametrize(
    "hostile", ["a_", "a.", "/a", "1.,", "A b ", "@", "([", "$1", "Aa", "\ud800"]
)
def test_hostile_text_ends(hostile: str) -> None:
    assert isinstance(marks(hostile * 50_000), list)
