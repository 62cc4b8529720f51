from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.readers.registry import read
from stratal_ingest.readers.source_code import PythonReader

MODULE = b'''"""Doc."""
import os

# why
@cached
def one():
    return 1

x = 2
class Two:
    def three(self): ...
'''


def test_python_is_parted_by_its_definitions() -> None:
    document = read(MODULE, "a.py")

    assert [(block.heading, block.text) for block in document.blocks] == [
        ((), '"""Doc."""\nimport os'),
        (("def one",), "# why\n@cached\ndef one():\n    return 1"),
        ((), "x = 2"),
        (("class Two",), "class Two:\n    def three(self): ..."),
    ]


def test_a_long_class_is_parted_by_its_methods() -> None:
    body = "".join(f"    def m{n}(self):\n        return {n}\n\n" for n in range(20))

    document = read(f"class Long:\n{body}".encode(), "a.py")

    assert document.blocks[-1].heading == ("class Long", "def m19")


def test_python_that_does_not_parse_is_read_as_text() -> None:
    document = read(b"def broken(:\n    pass\n\nx = 1", "a.py")

    assert document.text == "def broken(:\n    pass\n\nx = 1"


def test_other_code_is_parted_before_unindented_lines() -> None:
    document = read(b"package main\n\nfunc a() {\n\n  x()\n}\n\nfunc b() {\n}\n", "a.go")

    assert [block.heading for block in document.blocks] == [(), ("func a()",), ("func b()",)]


@given(st.lists(st.sampled_from(["def f(): pass", "x = 1", "# c", "@d", "", "class A: y = 1"])))
def test_no_line_of_python_is_lost_or_repeated(lines: list[str]) -> None:
    blocks = PythonReader().read("\n".join(lines).encode(), "a.py").blocks

    kept = [line for block in blocks for line in block.text.split("\n") if line]
    assert kept == [line for line in lines if line]
