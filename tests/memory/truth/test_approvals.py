from datetime import UTC, datetime

from stratal_memory.truth import approvals
from stratal_memory.truth.approvals import Decision, Verdict
from tests.memory.worlds import World

AT = datetime(2026, 11, 21, tzinfo=UTC)


def decision(digest: str, *, verdict: Verdict = Verdict.APPROVED, note: str = "") -> Decision:
    return Decision(
        name="bake", folder="/skills/bake", digest=digest, verdict=verdict, note=note, by="alice"
    )


def test_every_word_is_kept_newest_first_and_for_its_user_alone(world: World) -> None:
    said = [decision("a"), decision("b"), decision("a", verdict=Verdict.REJECTED, note="no")]
    with world.database.write() as connection:
        for one in said:
            approvals.record(connection, one, user="alice", at=AT)

    with world.database.read() as connection:
        found = approvals.of_user(connection, "alice")
        newest = approvals.of_user(connection, "alice", limit=1)
        bobs = approvals.of_user(connection, "bob")
        revisions = [approvals.revision(connection, user) for user in ("alice", "bob")]

    assert [(one.digest, one.verdict, one.note) for one in found] == [
        ("a", Verdict.REJECTED, "no"),
        ("b", Verdict.APPROVED, ""),
        ("a", Verdict.APPROVED, ""),
    ]
    assert newest == found[:1]
    assert (bobs, revisions) == ([], [3, 0])
    assert len({one.id for one in found}) == 3
    assert {one.at for one in found} == {AT}


def test_text_that_no_database_takes_is_kept_all_the_same(world: World) -> None:
    with world.database.write() as connection:
        kept = approvals.record(connection, decision("a", note="\udcffx\0"), user="alice", at=AT)

    assert kept.note == "\ufffdx\ufffd"
