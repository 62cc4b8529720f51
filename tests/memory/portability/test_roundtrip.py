"""An export taken in elsewhere is the same export again, and nobody else's rows are touched."""

import json
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.backlog import embed_missing
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.findings import Rule
from stratal_memory.incoming import NewDocument
from stratal_memory.learning.gate import take_in
from stratal_memory.lint import lint
from stratal_memory.portability import rows
from stratal_memory.portability.export import export
from stratal_memory.portability.reading import LONGEST, lines
from stratal_memory.portability.report import Imported
from stratal_memory.portability.restoring import restore
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Memory, Passage, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import recalls, summaries
from stratal_memory.truth.summaries import Cut
from stratal_memory.truth.tables import metadata
from tests.memory.worlds import World, begin, opened, say, texts
from tests.memory.worlds import export as digest

ANY = RecallSettings(minimum_similarity=0.0)


def full(world: World, user: str = "alice", *, lines_: tuple[str, ...] = ()) -> Store:
    store = world.store(user, embedder=HashEmbedder(64))
    session = begin(store)
    said = []
    for text in lines_ or ("I live in Porto.", "I moved to Lisbon.", "My sister is called Eva."):
        kept = say(store, session, text, "I see.")
        take_in(store, session, kept)
        said += kept
    Facts(store).add("My bicycle is red.")
    Documents(store).put(
        NewDocument(path="/a.md", title="A", format="markdown", content_hash="0", characters=5),
        [Passage(text="Ovens need care.", ordinal=0, start=0, end=5, heading=("A", "B"))],
    )
    with store.write() as journal:
        first, last = said[0].seq, said[-2].seq
        summaries.keep_summary(
            journal.connection,
            session.id,
            first=first,
            last=last,
            text="all of it",
            method="note",
            at=journal.at,
        )
        cut = Cut(after=last, aged=first, summary="short", reason="full")
        summaries.move_cut(journal.connection, session.id, cut, at=journal.at)
        turn = journal.connection.execute(metadata.tables["turns"].select()).first()
        assert turn is not None
        recalls.keep_recalls(journal.connection, turn.id, [("mem_x", 0.25)])
    consolidate(store)
    return store


def taken(store: Store, text: str, *, dry_run: bool = False, of: str | None = None) -> Imported:
    return restore(store, lines(BytesIO(text.encode())), dry_run=dry_run, of=of)


def test_every_table_has_lines_or_a_reason_to_have_none() -> None:
    assert {spec.table.name for spec in rows.SPECS} | set(rows.LEFT_OUT) == set(metadata.tables)


def test_an_export_is_the_same_again_after_an_import(world: World, tmp_path: Path) -> None:
    """Complaint 25 of MEMORY section 3: lock-in; what goes out comes in again, whole."""
    first = "".join(export(full(world)))
    other = opened(tmp_path / "other")
    store = other.store("alice", embedder=HashEmbedder(64))

    report = taken(store, first)

    assert (report.refused, report.unchanged.total()) == (0, 0), report.refusals
    assert "".join(export(store)) == first
    assert Profile(store).render()
    drift = [one.message for one in lint(store).findings if one.rule is Rule.DRIFT]
    assert [one for one in drift if "words" in one or "no more" in one] == []
    embed_missing(other.database, HashEmbedder(64), generation=store.generation)
    assert search(store, "Where do I live?", settings=ANY)[0].memory.text.startswith("The user")
    other.close()


def test_a_second_import_changes_nothing(world: World, tmp_path: Path) -> None:
    first = "".join(export(full(world)))
    other = opened(tmp_path / "other")
    store = other.store("alice")
    taken(store, first)
    before = digest(other.database, with_runs=True)

    report = taken(store, first)

    assert (report.added.total(), report.refused) == (0, 0)
    assert report.unchanged.total() == len(first.splitlines()) - 2
    assert digest(other.database, with_runs=True) == before
    other.close()


texts_ = st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4).map(tuple)
_folders = count()


@settings(max_examples=15)
@given(texts_)
def test_any_text_survives_the_way_there_and_back(said: tuple[str, ...]) -> None:
    with TemporaryDirectory() as folder:
        one, other = opened(Path(folder) / "one"), opened(Path(folder) / "other")
        first = "".join(export(full(one, lines_=said)))
        store = other.store("alice")

        report = taken(store, first)

        assert report.refused == 0, report.refusals
        assert "".join(export(store)) == first
        one.close()
        other.close()


def learn(world: World, store: Store, number: int) -> None:
    session = begin(store)
    take_in(store, session, say(store, session, f"My sister is called Eva{number}.", "Noted."))


def move(world: World, store: Store, number: int) -> None:
    Facts(store).add(f"I live in Town{number}.")
    world.clock.pass_(days=1)


def contest(world: World, store: Store, number: int) -> None:
    for _ in range(2):
        Facts(store).add(f"I live in Town{number}.")


def hold(world: World, store: Store, number: int) -> None:
    Facts(store).add(f"The user owns boat {number}.", status=Status.QUARANTINED)


def merge(world: World, store: Store, number: int) -> None:
    Facts(store).add(f"The user likes tea {number % 2}.")
    Facts(store).add(f"the user likes TEA {number % 2}")
    consolidate(store)


def edit(world: World, store: Store, number: int) -> None:
    for one in settled(store, number):
        Editing(store).edit(one.id, f"The user said number {number}.")


def pin(world: World, store: Store, number: int) -> None:
    for one in settled(store, number):
        Editing(store).pin(one.id, pinned=not one.pinned)


def forget(world: World, store: Store, number: int) -> None:
    for one in settled(store, number):
        Editing(store).forget(one.id)


def undo(world: World, store: Store, number: int) -> None:
    for one in settled(store, number):
        with suppress(UndoRefused, NotFound):
            Versions(store).undo(Versions(store).history(one.id).events[-1].id)


def settled(store: Store, number: int) -> list[Memory]:
    """One of the facts that nothing contests, if there is any."""
    known = [one for one in Facts(store).known() if one.status is not Status.CONTESTED]
    return known[number % len(known) :][:1] if known else []


ACTS = (learn, move, contest, hold, merge, edit, pin, forget, undo)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(ACTS), min_size=1, max_size=12))
def test_any_history_survives_the_way_there_and_back(
    acts: list[Callable[[World, Store, int], None]],
) -> None:
    with TemporaryDirectory() as folder:
        one, other = opened(Path(folder) / "one"), opened(Path(folder) / "other")
        mine = one.store("alice")
        for number, act in enumerate(acts):
            act(one, mine, number)
        first = "".join(export(mine))
        store = other.store("alice")

        report = taken(store, first)

        assert report.refused == 0, report.refusals
        assert "".join(export(store)) == first
        assert texts(Facts(store).known()) == texts(Facts(mine).known())
        one.close()
        other.close()


def test_many_rows_are_taken_in_few_statements(world: World, tmp_path: Path) -> None:
    """A row took two milliseconds; a batch is one transaction and a handful of statements."""
    mine = world.store("alice")
    for number in range(60):
        Facts(mine).add(f"The user owns book number {number}.")
    first = "".join(export(mine))
    other = opened(tmp_path / "other")
    store = other.store("alice")
    ran: list[str] = []
    event.listen(other.database.engine, "before_cursor_execute", lambda *told: ran.append(told[2]))

    report = taken(store, first)

    assert (report.added["memory"], report.added["event"]) == (60, 60)
    assert len([one for one in ran if "full_text" not in one]) < 40
    assert "".join(export(store)) == first
    other.close()


def test_without_the_log_events_and_runs_stay_here(world: World) -> None:
    kinds = {json.loads(line)["record"] for line in export(full(world), log=False)}

    assert kinds.isdisjoint({"event", "run"})
    assert {"session", "turn", "message", "summary", "cut", "recall"} <= kinds


def test_a_dry_run_tells_the_same_and_stores_nothing(world: World, tmp_path: Path) -> None:
    first = "".join(export(full(world)))
    other = opened(tmp_path / "other")
    store = other.store("alice")
    empty = digest(other.database, with_runs=True)

    tried = taken(store, first, dry_run=True)

    assert digest(other.database, with_runs=True) == empty
    assert tried == taken(store, first)
    other.close()


def test_what_differs_from_what_is_here_is_refused_and_stays(world: World) -> None:
    store = full(world)
    changed = "".join(export(store)).replace("My bicycle is red.", "My bicycle is blue.")

    report = taken(store, changed)

    assert {one.reason for one in report.refusals} == {
        "it differs from what is here under the same id, which stays"
    }
    assert "My bicycle is red." in [fact.text for fact in Facts(store).known()]


def test_the_memory_of_another_user_is_refused_whole(world: World, tmp_path: Path) -> None:
    first = "".join(export(full(world)))
    other = opened(tmp_path / "other")
    bob = other.store("bob")
    empty = digest(other.database)

    report = taken(bob, first)

    assert report.added.total() == 0
    assert "memory of 'alice', not of 'bob'" in report.refusals[0].reason
    assert digest(other.database) == empty
    other.close()


def test_the_memory_of_another_user_becomes_ones_own_when_that_is_said(
    world: World, tmp_path: Path
) -> None:
    first = "".join(export(full(world)))
    other = opened(tmp_path / "other")
    bob = other.store("bob", embedder=HashEmbedder(64))

    report = taken(bob, first, of="alice")
    again = taken(bob, first, of="alice")

    assert (report.refused, again.added.total(), again.refused) == (0, 0, 0), report.refusals
    assert [json.loads(line) for line in export(bob)] == [
        {
            name: "bob" if name in ("user", "added_by", "scope_id") and value == "alice" else value
            for name, value in json.loads(line).items()
        }
        for line in first.splitlines()
    ]
    assert {str(one.scope) for one in Facts(bob).known()} == {"user:bob"}
    assert Facts(other.store("alice")).known() == []
    other.close()


def test_only_the_named_users_memory_becomes_ones_own(world: World, tmp_path: Path) -> None:
    """The rows of a third one, and of a project one has no part in, are refused."""
    owner = world.store("alice", project="bakery")
    Facts(owner).add("The oven is hot.", scope=ScopeKind.PROJECT)
    Facts(owner).add("The user keeps bees.")
    first = "".join(export(owner))
    other = opened(tmp_path / "other")
    bob = other.store("bob")

    wrong = taken(bob, first, of="carol")
    report = taken(bob, first, of="alice")

    assert wrong.added.total() == 0
    assert "memory of 'alice', not of 'carol'" in wrong.refusals[0].reason
    assert {one.reason for one in report.refusals} == {
        "it lies in project:bakery, which this import does not stand in"
    }
    assert texts(Facts(bob).known()) == ["The user keeps bees."]
    other.close()


def test_beside_the_one_it_was_exported_of_nothing_is_taken_over(world: World) -> None:
    alice = full(world)
    first = "".join(export(alice))

    report = taken(world.store("bob"), first, of="alice")

    assert report.added.total() == 0
    assert "".join(export(alice)) == first


def forged(first: str) -> list[str]:
    """Lines of alice's export as bob would write them to reach what is hers."""
    found = [json.loads(line) for line in first.splitlines()]
    head, made = {**found[0], "user": "bob"}, [json.dumps({**found[0], "user": "bob"})]
    assert head
    for row in found[1:-1]:
        made.append(json.dumps(row))
        if "user" in row:
            made.append(json.dumps({**row, "user": "bob"}))
        if "scope_id" in row:
            mine = {**row, "scope_kind": "user", "scope_id": "bob"}
            made.append(json.dumps(mine))
            made.append(json.dumps({**mine, "id": f"{row['id']}b"}))
            for id in ("*", "%", "", "alice ", "alic", "alice2"):
                made.append(json.dumps({**row, "scope_id": id, "id": f"{row['id']}c"}))
    return made


def test_no_forged_line_reaches_another_user(world: World) -> None:
    alice = full(world)
    bob = world.store("bob", embedder=HashEmbedder(64))
    first = "".join(export(alice))
    before = "".join(export(alice))

    report = taken(bob, "\n".join(forged(first)))

    assert "".join(export(alice)) == before
    seen = json.dumps([memory.text for memory in Facts(bob).known()])
    assert report.refused > 30
    assert {"its id is taken", "its key is taken"} <= {one.reason for one in report.refusals}
    # What he wrote himself is his; nothing of it joins a memory, a turn or a document of hers.
    with world.database.read() as connection:
        table = metadata.tables["memories"]
        owners = connection.execute(table.select()).all()
    keys: dict[str, set[str]] = {}
    for row in owners:
        keys.setdefault(row.key, set()).add(row.scope_id)
    assert all(len(scopes) == 1 for scopes in keys.values()), seen


HOSTILE = (
    "not json",
    "[]",
    "null",
    '{"record":"memory"}',
    '{"record":"nothing"}',
    '{"record":["memory"]}',
    '{"record":"session","id":"*","user":"alice"}',
    '{"record":"turn","id":1}',
    '{"record":"memory","id":"m","text":{"$ne":1}}',
    '{"record":"message","id":"m","session":"nobody","turn":"nobody","role":"system","text":"x",'
    '"created":"2026-01-01T00:00:00+00:00"}',
    '{"record":"session","id":"s","user":"alice","agent":"main","started":"yesterday",'
    '"last_active":"2026-01-01T00:00:00+00:00"}',
    '{"record":"session","id":"s","user":"alice","agent":"main","started":"2026-01-01T00:00:00",'
    '"last_active":"2026-01-01T00:00:00+00:00"}',
    '{"record":"event","id":"e","at":"2026-01-01T00:00:00+00:00","kind":"k","user":"alice",'
    '"reason":"r","detail":"text"}',
    "[" * 100_000,
    '{"record":"cut","session":"x","at":"2026-01-01T00:00:00+00:00"}',
    '{"record":"run","id":"r","kind":"k","user":"alice","started":"9999-12-31T23:59:59-23:59"}',
)


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_line_is_a_refused_row(world: World, line: str) -> None:
    store = full(world)
    before = "".join(export(store))
    head = before.splitlines()[0]

    report = taken(store, f'{head}\n{line}\n{{"record":"end"}}')

    assert report.refused == 1
    assert report.refusals[0].where == "line 2"
    assert "".join(export(store)) == before


def test_lone_surrogates_are_shown_as_replacement_characters(world: World) -> None:
    store = full(world)
    found = [json.loads(line) for line in export(store)]
    memory = next(row for row in found if row.get("text") == "My bicycle is red.")
    odd = {**memory, "id": "mem_odd", "key": "key_odd", "text": "odd \ud800 text"}

    report = taken(store, "\n".join(map(json.dumps, [found[0], odd, found[-1]])))

    assert report.refused == 0, report.refusals
    assert "odd \N{REPLACEMENT CHARACTER} text" in [fact.text for fact in Facts(store).known()]


def test_a_line_of_any_length_is_passed_over_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        for _ in range(LONGEST // 1024 + 2):
            file.write(b"x" * 1024)
        file.write(b'\n{"record":"end"}\n')

    with path.open("rb") as file:
        found = list(lines(file))

    assert [where for where, _ in found] == ["line 1", "line 2"]
    assert "longer than 64 MiB" in str(found[0][1])


def test_a_file_that_ends_early_is_told(world: World, tmp_path: Path) -> None:
    whole = "".join(export(full(world))).splitlines()
    other = opened(tmp_path / "other")

    report = taken(other.store("alice"), "\n".join(whole[:-5]))

    assert "ends early" in report.refusals[-1].reason
    other.close()
