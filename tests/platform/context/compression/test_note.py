from stratal.context.compression.note import note, with_note


def test_the_note_counts_what_was_dropped() -> None:  # covers P26, Ps3
    said = "[Emergency compression dropped 4 oldest messages due to context limit]"

    assert note(4) == said
    assert with_note("", 4) == said
    assert with_note("They met.", 4) == f"They met.\n\n{said}"


def test_notes_do_not_pile_up() -> None:
    summary = ""
    for _ in range(50):
        summary = with_note(summary, 4)

    assert summary == note(200)
