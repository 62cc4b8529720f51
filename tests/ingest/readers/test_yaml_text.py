import pytest

from stratal_ingest.errors import CorruptDocument, LimitExceeded
from stratal_ingest.readers.registry import read

PAGE = b"""# who may
users:
  - name: alice   # first
    since: 2024-01-01
  # the other
  - {name: bob, admin: yes}
text: |
  # no comment
  line
---
n: ~
# end
"""


def test_every_value_has_its_path_and_comments_stay() -> None:
    assert [block.text for block in read(PAGE, "a.yaml").blocks] == [
        "# who may\nusers[0].name: alice\nusers[0].since: 2024-01-01\n"
        "# the other\nusers[1].name: bob\nusers[1].admin: yes",
        "text: # no comment\nline",
        "n: ~",
        "# end",
    ]


def test_tags_of_python_make_no_object() -> None:
    assert read(b"a: !!python/object/apply:os.system [ls]", "a.yaml").text == "a[0]: ls"


def test_aliases_of_aliases_are_counted_before_they_are_billions() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    with pytest.raises(LimitExceeded):
        read("\n".join(lines).encode(), "a.yaml")


@pytest.mark.parametrize("data", [b"a: [", b"a: &a [*a]", b"[" * 50_000, b"a: b: c"])
def test_what_is_no_yaml_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        read(data, "a.yaml")
