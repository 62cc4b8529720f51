from stratal_memory.outcomes import NOTHING, Counts


def test_what_replaced_a_corrected_version_is_not_held_to_account() -> None:
    counts = Counts(used=2, ignored=1, corrected=3, wrong="mem_old")

    assert counts.of("mem_old") is counts
    assert counts.of("mem_new") == Counts(used=2, ignored=1)
    assert NOTHING.of("mem_any") is NOTHING
