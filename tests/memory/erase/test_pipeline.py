"""Erase leaves no byte of the text in any file, nor anything made of it, and can be cut off."""
# covers E1, E2, I2

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text, update

from stratal.context.unpacking import unpack
from stratal.errors import InputError
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase import job, removal, residue
from stratal_memory.erase.pipeline import erase, plan, resume
from stratal_memory.erase.receipt import Receipt
from stratal_memory.erase.target import EraseFailed, Target, What
from stratal_memory.erase.traces import Traces, forms
from stratal_memory.errors import AccessDenied, DataDirectoryBusy, NotFound
from stratal_memory.incoming import NewDocument
from stratal_memory.learning.gate import take_in
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Message, Passage, Scope, ScopeKind, Session
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import access, ledgers, recalls, runs, summaries
from stratal_memory.truth.schema import events, memories, messages, metadata, state, turns
from stratal_memory.truth.summaries import Cut
from stratal_memory.truth.turns import abort_turn
from tests.memory.worlds import World, begin, export, opened, say

ANY = RecallSettings(minimum_similarity=0.0)
# The ten texts that must be nowhere afterwards: every kind of row that keeps one.
CANARIES = (
    "I live in Quixhaven by the Velzor sea.",
    "My sister is called Wilmarinth Ostrakova.",
    'Zéphyrine «kürbis» "quoted" canary \U0001f41d of mine',
    "The answer mentioned Brambleforth Castle twice.",
    "Passage about the Xanadric protocol of Umberholm.",
    "Passages of Ulmenweiler, chapter nineteen",
    "remember that my locker is by the Fjordgate hall",
    "The summary spoke of Grimmelshausen orchards.",
    "a cut that quotes Thistlewick lanes at length",
    "inline ledger quote of Pemberlaine avenue",
)


def talk(store: Store) -> tuple[Session, list[Message]]:
    """A conversation with everything that a conversation leaves behind."""
    session = begin(store)
    said: list[Message] = []
    for line, answer in (
        (CANARIES[0], CANARIES[3]),
        (CANARIES[1], "Noted."),
        (CANARIES[2], "I see."),
        (CANARIES[6], "Kept."),
    ):
        kept = say(store, session, line, answer)
        take_in(store, session, kept)
        said += kept
    with store.write() as journal:
        first, last = said[0].seq, said[2].seq
        summaries.keep_summary(
            journal.connection,
            session.id,
            first=first,
            last=last,
            text=CANARIES[7],
            method="note",
            at=journal.at,
        )
        cut = Cut(after=first, summary=CANARIES[8], reason="full")
        summaries.move_cut(journal.connection, session.id, cut, at=journal.at)
        turn = journal.connection.execute(
            select(messages.c.turn).where(messages.c.id == said[2].id)
        ).scalar_one()
        ledgers.keep_ledger(
            journal.connection,
            turn,
            f'{{"packed":1,"tools":"#{"a" * 32}","note":"{CANARIES[9]}"}}',
            {"a" * 32: f"[] {CANARIES[0]}"},
        )
        known = Facts(store).known()
        recalls.keep_recalls(journal.connection, turn, [(fact.id, 0.5) for fact in known])
    return session, said


def document(store: Store) -> None:
    Documents(store).put(
        NewDocument(
            path="/papers/umberholm.md",
            title=CANARIES[5],
            format="markdown",
            content_hash="0" * 64,
            characters=60,
        ),
        [Passage(text=CANARIES[4], ordinal=0, start=0, end=60)],
    )


def full(world: World, user: str = "alice") -> Store:
    store = world.store(user, embedder=HashEmbedder(64))
    talk(store)
    document(store)
    consolidate(store)
    return store


def of(user: str, *, key: str = "", source: str = "") -> Target:
    principal = Principal(user=user)
    if key:
        return Target(what=What.KEY, name=key, principal=principal)
    if source:
        return Target(what=What.SOURCE, name=source, principal=principal)
    return Target.everything_of(principal)


def left_in_files(folder: Path, texts: tuple[str, ...]) -> dict[str, int]:
    """A second look, by another way than the one under test: every form of every text."""
    found: dict[str, int] = {}
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        count = sum(data.count(form) for text in texts for form in forms(text))
        if count:
            found[path.name] = count
    return found


def test_every_table_is_dealt_with() -> None:
    assert set(removal.TABLES) == set(metadata.tables)


def test_nothing_of_an_erased_user_is_left_in_any_file(world: World) -> None:
    """Complaint 24 of MEMORY section 3 as well: what was forgotten is still recalled."""
    store = full(world)
    folder = world.database.folder
    assert store.door is not None
    store.door.check()
    store.close()
    (folder / "logs").mkdir()
    (folder / "logs" / "crash.log").write_text(f"Traceback: {CANARIES[1]}")
    (folder / "users" / "alice").mkdir(parents=True)
    (folder / "users" / "alice" / "result.txt").write_text(CANARIES[3])
    assert set(left_in_files(folder, CANARIES)) >= {"stratal.db-wal", "crash.log", "result.txt"}

    receipt = erase(world.database, of("alice"), clock=world.clock)

    assert left_in_files(folder, CANARIES) == {}
    data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"quixhaven" not in data.lower()  # nor as a term of full text
    with world.database.read() as connection:
        assert connection.execute(text("PRAGMA freelist_count")).scalar() == 0
    assert (receipt.hits, receipt.shared, receipt.backups) == ((), 0, ())
    assert receipt.searched > 50
    assert dict(receipt.counts)["sessions"] == 1
    assert sorted(receipt.files_removed) == ["logs/crash.log", "users/alice/result.txt"]
    assert not job.paths(folder)[0].exists()
    again = world.store("alice", embedder=HashEmbedder(64))
    assert search(again, "Quixhaven", settings=ANY, forms=tuple(Form), gate=False) == []


def test_the_receipt_stays_without_the_name_of_the_erased(world: World) -> None:
    full(world, user="alice.wonder@example.com")

    erase(world.database, of("alice.wonder@example.com"), clock=world.clock)

    with world.database.read() as connection:
        (kept,) = runs.find(connection, user="")
    assert kept.kind == "erase"
    assert '"hits": 0' in kept.report
    assert left_in_files(world.database.folder, ("alice.wonder@example.com",)) == {}


def test_erasing_one_user_changes_nothing_of_another(world: World, tmp_path: Path) -> None:
    alone = opened(tmp_path / "alone")
    full(alone, user="bob")
    bobs = world.store("bob", embedder=HashEmbedder(64))
    Facts(bobs).add("The user keeps bees.")
    before = export(world.database)
    full(world)
    assert export(world.database) != before

    erase(world.database, of("alice"), clock=world.clock)

    assert export(world.database) == before
    alone.close()


def test_the_same_words_of_somebody_else_are_no_residue(world: World) -> None:
    full(world)
    bob = world.store("bob", embedder=HashEmbedder(64))
    fact = Facts(bob).add(CANARIES[0]).memory

    receipt = erase(world.database, of("alice"), clock=world.clock)

    assert receipt.clean
    assert receipt.shared > 0
    assert [one.id for one in Facts(bob).known()] == [fact.id]


def test_a_key_goes_with_its_words_and_all_made_of_it(world: World) -> None:
    store = full(world)
    home = next(fact for fact in Facts(store).known() if fact.facet == "home")
    assert "Quixhaven" in Profile(store).render()

    receipt = erase(world.database, of("alice", key=home.key), clock=world.clock)

    gone = ("Quixhaven", home.text, CANARIES[8])
    assert left_in_files(world.database.folder, (CANARIES[0], *gone[1:])) == {}
    assert receipt.clean
    assert "Quixhaven" not in Profile(store).render()
    assert "Wilmarinth" in Profile(store).render()
    with pytest.raises(NotFound):
        Facts(store).show(home.key)
    consolidate(store)
    everything = Facts(store).known(forms=tuple(Form))
    assert [one.text for one in everything if "Quixhaven" in one.text] == []
    assert any(one.form is Form.EPISODE for one in everything)


def test_a_source_goes_and_the_ledger_that_quoted_it_says_so(world: World) -> None:
    store = full(world)

    receipt = erase(world.database, of("alice", source="/papers/umberholm.md"), clock=world.clock)

    assert receipt.clean
    assert left_in_files(world.database.folder, CANARIES[4:6]) == {}
    assert Documents(store).live() == []
    home = next(fact for fact in Facts(store).known() if fact.facet == "home")
    erase(world.database, of("alice", key=home.key), clock=world.clock)
    with world.database.read() as connection:
        kept = connection.execute(select(turns.c.ledger).where(turns.c.ledger != "")).scalars()
        for ledger in kept.all():
            with pytest.raises(InputError, match="erased"):
                unpack(ledger, lambda digests: {})


@pytest.mark.parametrize(("attempt", "stays"), [(CANARIES[4], False), ("Well, I think", True)])
def test_the_beginning_of_an_answer_goes_when_it_quotes_what_goes(
    world: World, attempt: str, stays: bool
) -> None:
    store = full(world)
    session = begin(store)
    said = say(store, session, "What does the paper say?")
    with store.write() as journal:
        named = select(messages.c.turn).where(messages.c.id == said[0].id)
        id = journal.connection.execute(named).scalar_one()
        journal.connection.execute(update(turns).where(turns.c.id == id).values(state="open"))
        abort_turn(journal.connection, id, at=journal.at, attempt=attempt)

    receipt = erase(world.database, of("alice", source="/papers/umberholm.md"), clock=world.clock)

    assert receipt.clean
    with world.database.read() as connection:
        kept = connection.execute(select(turns.c.attempt).where(turns.c.id == id)).scalar_one()
    assert kept == (attempt if stays else None)


def test_a_fact_said_twice_is_told_by_what_is_left(world: World) -> None:
    """Derived partly from the erased conversation: made again from the other one."""
    store = world.store(embedder=HashEmbedder(64))
    ids: list[str] = []
    for line in ("I live in Porto now.", "Just so you know, I live in Porto."):
        session = begin(store)
        take_in(store, session, say(store, session, line))
        ids.append(session.id)
        world.clock.pass_(days=1)
    (home,) = Facts(store).known()
    assert home.support == 2

    erase(world.database, of("alice", source=ids[0]), clock=world.clock)

    (left,) = Facts(store).known()
    assert (left.key, left.support, len(left.evidence)) == (home.key, 1, 1)
    assert left.value == "Porto"
    assert left_in_files(world.database.folder, ("I live in Porto now",)) == {}
    erase(world.database, of("alice", source=ids[1]), clock=world.clock)
    assert Facts(store).known() == []


def test_what_an_erased_conversation_had_replaced_is_true_again(world: World) -> None:
    store = world.store(embedder=HashEmbedder(64))
    sessions: list[Session] = []
    for line in ("I live in Porto.", "I moved to Lisbon."):
        sessions.append(begin(store))
        take_in(store, sessions[-1], say(store, sessions[-1], line))
        world.clock.pass_(days=1)
    assert [fact.value for fact in Facts(store).known()] == ["Lisbon"]

    erase(world.database, of("alice", source=sessions[1].id), clock=world.clock)

    assert [fact.value for fact in Facts(store).known()] == ["Porto"]


def test_a_message_takes_its_whole_turn_with_it(world: World) -> None:
    store = world.store(embedder=HashEmbedder(64))
    session = begin(store)
    first = say(store, session, CANARIES[0], CANARIES[3])
    second = say(store, session, "And you?", "Fine.")
    take_in(store, session, [*first, *second])

    erase(world.database, of("alice", source=first[1].id), clock=world.clock)

    assert left_in_files(world.database.folder, (CANARIES[0], CANARIES[3])) == {}
    with world.database.read() as connection:
        left = connection.execute(select(messages.c.text).order_by(messages.c.seq)).scalars().all()
    assert left == ["And you?", "Fine."]


def test_a_refused_candidate_of_an_erased_conversation_goes_too(world: World) -> None:
    store = world.store(embedder=HashEmbedder(64))
    session, _ = talk(store)
    with store.write() as journal:
        for line in ("I live by the Velzor sea", "something about bees"):
            journal.note("candidate.refused", reason="too short", detail=(("text", line),))

    erase(world.database, of("alice", source=session.id), clock=world.clock)

    with world.database.read() as connection:
        kinds = connection.execute(
            select(events.c.detail).where(events.c.kind == "candidate.refused")
        )
        assert [detail for (detail,) in kinds] == ['[["text", "something about bees"]]']


def test_nobody_erases_what_is_not_theirs(world: World) -> None:
    alice = full(world)
    shared = world.store("alice", project="bakery")
    memory = Facts(shared).known()[0]
    world.store("bob", embedder=HashEmbedder(64))
    before = export(world.database)

    for target in (
        of("bob", key=memory.key),
        of("bob", key=memory.id),
        of("bob", source="/papers/umberholm.md"),
        of("bob", source=begin(alice).id),
    ):
        with pytest.raises((NotFound, AccessDenied)) as refused:
            erase(world.database, target, clock=world.clock)
        assert "Quixhaven" not in str(refused.value)
    assert len(export(world.database)) >= len(before)


@pytest.mark.parametrize("name", ["*", "%", "", " ", "alice' OR 1=1", "mem_", "key_%"])
def test_a_pattern_names_no_memory(world: World, name: str) -> None:
    full(world)
    before = export(world.database)

    with pytest.raises(NotFound):
        erase(world.database, of("alice", source=name) if name else _unnamed(), clock=world.clock)

    assert export(world.database) == before


def _unnamed() -> Target:
    return Target(what=What.KEY, name="", principal=Principal(user="alice"))


def test_a_copy_that_still_holds_it_is_listed_and_left(world: World, tmp_path: Path) -> None:
    full(world)
    folder = world.database.folder
    elsewhere = tmp_path / "backups"
    elsewhere.mkdir()
    (elsewhere / "monday.db").write_bytes(
        (folder / "stratal.db").read_bytes() + CANARIES[0].encode()
    )
    (folder / "stratal.db.bak").write_text(CANARIES[1])
    (folder / "old.zip").write_bytes(b"PK\3\4")
    (folder / "clean.bak").write_text("nothing here")

    receipt = erase(world.database, of("alice"), clock=world.clock, backups=[elsewhere])

    assert receipt.clean
    assert [Path(name).name for name, _ in receipt.backups] == [
        "old.zip",
        "stratal.db.bak",
        "monday.db",
    ]
    assert (elsewhere / "monday.db").exists()


def test_a_plan_changes_nothing_and_says_what_it_needs(world: World) -> None:
    full(world)
    before = export(world.database)

    made = plan(world.database, of("alice"))

    assert export(world.database) == before
    assert dict(made.counts)["message memories"] == 8
    assert made.bytes_needed > 0


def test_an_erase_waits_for_nobody_and_names_who_is_there(world: World) -> None:
    full(world)
    code = (
        "import sys; from pathlib import Path\n"
        "from stratal_memory.truth.database import Database\n"
        "Database.open(Path(sys.argv[1]), purpose='a chat'); print('ready', flush=True)\n"
        "sys.stdin.readline()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(world.database.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "ready\n"

    with pytest.raises(DataDirectoryBusy, match="a chat"):
        erase(world.database, of("alice"), clock=world.clock)

    other.communicate("\n", timeout=30)
    assert erase(world.database, of("alice"), clock=world.clock).clean


CHILD = """
import os, sys
from pathlib import Path
from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target
from stratal_memory.scopes import Principal
from stratal_memory.truth.database import Database

def fail(step):
    if step == sys.argv[2]:
        os._exit(9)

database = Database.open(Path(sys.argv[1]))
erase(database, Target.everything_of(Principal(user="alice")), on_step=fail)
"""
STEPS = [f"{name}{end}" for name in ("rows", "index", "files", "database") for end in ("", " done")]


@pytest.mark.parametrize("step", [*STEPS, "looking"])
def test_an_erase_that_is_killed_at_any_step_is_finished_later(tmp_path: Path, step: str) -> None:
    world = opened(tmp_path / "data")
    store = full(world)
    assert store.door is not None
    store.door.check()
    world.close()

    killed = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path / "data"), step], check=False
    )
    assert killed.returncode == 9, killed
    assert job.pending(tmp_path / "data") is not None
    world = opened(tmp_path / "data")
    receipt: Receipt | None = resume(world.database, clock=world.clock)

    assert receipt is not None
    assert receipt.clean
    assert dict(receipt.counts)["messages"] == 8
    assert left_in_files(tmp_path / "data", CANARIES) == {}
    assert resume(world.database) is None
    with world.database.read() as connection:
        assert connection.execute(select(memories.c.id)).first() is None
    world.close()


def test_a_later_erase_finishes_the_one_that_was_cut_off(world: World) -> None:
    full(world)
    bob = world.store("bob", embedder=HashEmbedder(64))
    fact = Facts(bob).add("The user keeps bees in Bergamo.").memory

    class Cut(RuntimeError):
        pass

    def fail(step: str) -> None:
        if step == "index":
            raise Cut

    with pytest.raises(Cut):
        erase(world.database, of("alice"), clock=world.clock, on_step=fail)
    erase(world.database, of("bob", key=fact.key), clock=world.clock)

    assert left_in_files(world.database.folder, (*CANARIES, fact.text)) == {}


def test_a_key_is_blanked_where_an_answer_or_a_tool_repeated_it(world: World) -> None:
    store = world.store(embedder=HashEmbedder(64))
    session = begin(store)
    take_in(store, session, say(store, session, "I live in Quixhaven.", "Noted."))
    (home,) = Facts(store).known()
    later = say(store, session, "What do you know?", f"I know this: {home.text} That is all.")
    take_in(store, session, later)

    erase(world.database, of("alice", key=home.key), clock=world.clock)

    with world.database.read() as connection:
        said = connection.execute(
            select(messages.c.text).where(messages.c.id == later[1].id)
        ).scalar_one()
    assert said.split() == ["I", "know", "this:", "[erased]", "That", "is", "all."]
    assert left_in_files(world.database.folder, (home.text,)) == {}


def test_a_profile_line_keeps_its_other_values(world: World) -> None:
    store = world.store(embedder=HashEmbedder(64))
    session = begin(store)
    for line in ("My sister is called Wilmarinth.", "My brother is called Odo."):
        take_in(store, session, say(store, session, line))
    consolidate(store)
    assert "Wilmarinth" in Profile(store).render()
    sister = next(fact for fact in Facts(store).known() if "Wilmarinth" in fact.text)

    erase(world.database, of("alice", key=sister.key), clock=world.clock)

    assert Profile(store).render() == "Family: brother: Odo"


def test_what_was_shared_stays_with_those_it_is_shared_with(world: World) -> None:
    alice = world.store("alice", project="bakery", embedder=HashEmbedder(64))
    with world.database.write() as connection:
        scope = Scope(ScopeKind.PROJECT, "bakery")
        access.grant(connection, scope, by="alice", to="bob", now=world.clock())
    Facts(alice).add("The Quixhaven oven is red.", scope=ScopeKind.PROJECT)
    paper = NewDocument(
        path="/ovens.md", title="Ovens", format="markdown", content_hash="0", characters=9
    )
    Documents(alice, ScopeKind.PROJECT).put(
        paper, [Passage(text="Ovens need daily care.", ordinal=0, start=0, end=22)]
    )
    bob = world.store("bob", project="bakery", embedder=HashEmbedder(64))
    Facts(bob).add("The flour comes on Mondays.", scope=ScopeKind.PROJECT)

    receipt = erase(world.database, of("alice"), clock=world.clock)

    assert receipt.clean
    assert [fact.text for fact in Facts(bob).known()] == ["The flour comes on Mondays."]
    assert [one.title for one in Documents(bob).live()] == ["Ovens"]
    with world.database.read() as connection:
        assert access.owner_of(connection, scope) == "bob"
    with pytest.raises(AccessDenied):
        world.store("carol", project="bakery")


def test_a_member_does_not_erase_what_the_owner_shares(world: World) -> None:
    alice = world.store("alice", project="bakery", embedder=HashEmbedder(64))
    fact = Facts(alice).add("The Quixhaven oven is red.", scope=ScopeKind.PROJECT).memory
    with world.database.write() as connection:
        scope = Scope(ScopeKind.PROJECT, "bakery")
        access.grant(connection, scope, by="alice", to="bob", now=world.clock())
    bobs = Target(what=What.KEY, name=fact.key, principal=Principal(user="bob", project="bakery"))

    with pytest.raises(AccessDenied, match="only its owner"):
        erase(world.database, bobs, clock=world.clock)

    assert [one.id for one in Facts(alice).known()] == [fact.id]


def test_an_index_that_is_held_is_no_finished_erase(world: World) -> None:
    store = full(world)
    Facts(world.store("bob", embedder=HashEmbedder(64))).add("The user keeps bees.")
    assert store.door is not None
    store.door.check()

    with pytest.raises(EraseFailed, match="in use"):
        erase(world.database, of("alice"), clock=world.clock)
    store.close()
    receipt = resume(world.database, clock=world.clock)

    assert receipt is not None
    assert receipt.clean
    assert left_in_files(world.database.folder, CANARIES) == {}


def test_a_user_nobody_knows_is_told(world: World) -> None:
    with pytest.raises(NotFound, match="nothing of 'alise'"):
        erase(world.database, of("alise"), clock=world.clock)

    assert job.pending(world.database.folder) is None


def test_what_a_crash_left_of_a_note_goes_with_the_erase(world: World) -> None:
    full(world)
    note, newer = job.paths(world.database.folder)
    newer.write_text(CANARIES[0])

    erase(world.database, of("alice"), clock=world.clock)

    assert not note.exists()
    assert not newer.exists()


def test_residue_is_found_in_every_form_and_across_blocks(tmp_path: Path) -> None:
    """The scanner can fail: each form of a text in a file of its own, one across two blocks."""
    told = 'Zéphyrine said "kürbis" twice'
    for number, form in enumerate(sorted(forms(told))):
        (tmp_path / f"{number}.bin").write_bytes(os.urandom(11 + number) + form + os.urandom(7))
    across = bytes(residue.BLOCK - 5) + told.encode() + b"end"
    (tmp_path / "across.bin").write_bytes(across)

    found = residue.scan(tmp_path, Traces(residue.needles([told], [])))

    assert len(found.hits) == len(forms(told)) + 1


def test_rows_of_a_new_kind_that_keep_the_text_are_told(world: World) -> None:
    full(world)
    with world.database.write() as connection:
        connection.execute(insert(state).values(name="odd", value=CANARIES[0]))

    receipt = erase(world.database, of("alice"), clock=world.clock)

    assert receipt.shared > 0
