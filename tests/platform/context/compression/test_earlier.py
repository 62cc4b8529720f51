from stratal.context.compression.earlier import earlier_named, told_in

SUMMARY = """\
- rule of the user: Use tabs.
- earlier: user: They flew to Oslo with Rex.
- tool read_file: "a.py" gave: ok
- earlier also named: Anna Berg, INV-7
a line of a model's"""


def test_each_line_is_told_with_its_label_and_rules_are_left_out() -> None:
    assert list(told_in(SUMMARY)) == [
        ("user: ", "They flew to Oslo with Rex."),
        ("tool read_file: ", '"a.py" gave: ok'),
        ("earlier also named: ", "Anna Berg, INV-7"),
        ("", "a line of a model's"),
    ]


def test_what_was_named_is_found_again_each_once() -> None:
    named = [one.text for one in earlier_named(f"{SUMMARY}\n- user: to Oslo")]

    assert named == ["Oslo", "Rex", "a.py", "Anna Berg", "INV-7"]


def test_nothing_earlier_names_nothing() -> None:
    assert earlier_named("") == ()
    assert list(told_in("")) == []
