"""Whatever way a text takes into memory, an identifier in it does not get there."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.errors import InputError
from stratal_memory.incoming import NewDocument
from stratal_memory.learning.gate import take_in
from stratal_memory.learning.privacy import Policy, Privacy
from stratal_memory.learning.settings import GateSettings
from stratal_memory.portability.importing import import_file
from stratal_memory.records import Form, Passage, Status
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.reviewing import Reviewing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.schema import events
from tests.memory.worlds import World, begin, export, say

MAIL = "quokka.ana@mail.example"
KEY = "ghp_" + "a1B2" * 9
TELLS = f"My sister Ana lives in Rome. Her mail is {MAIL}. Do write to {MAIL}."


def by_message(store: Store, folder: Path) -> None:
    session = begin(store)
    take_in(store, session, say(store, session, TELLS))


def by_episode(store: Store, folder: Path) -> None:
    session = begin(store)
    take_in(store, session, say(store, session, f"{TELLS} {MAIL}", "Fine."))
    consolidate(store, idle=timedelta(0))
    assert Facts(store).known(forms=(Form.EPISODE,))


def by_hand(store: Store, folder: Path) -> None:
    Facts(store).add(f"The landlord answers at {MAIL} only")


def by_edit(store: Store, folder: Path) -> None:
    added = Facts(store).add("The landlord answers quickly").memory
    Editing(store).edit(added.id, f"The landlord answers at {MAIL} only")


def by_a_reason(store: Store, folder: Path) -> None:
    added = Facts(store).add("The landlord answers quickly").memory
    Editing(store).forget(added.id, reason=f"he wrote so from {MAIL}")
    held = Facts(store).add("The landlord has a boat", status=Status.PROVISIONAL).memory
    Reviewing(store).reject(held.id, reason=f"he denied it from {MAIL}")


def by_import(store: Store, folder: Path) -> None:
    rows = {
        "results": [
            {"id": "1", "memory": f"Ana's mail is {MAIL} these days", "created_at": "2026-05-01"}
        ]
    }
    path = folder / "mem0.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert import_file(store, path).added["statement"] == 1


WAYS: tuple[Callable[[Store, Path], None], ...] = (
    by_message,
    by_episode,
    by_hand,
    by_edit,
    by_a_reason,
    by_import,
)


@pytest.mark.parametrize("way", WAYS)
def test_no_identifier_reaches_memory_or_its_events(
    world: World, tmp_path: Path, way: Callable[[Store, Path], None]
) -> None:
    store = world.store()

    way(store, tmp_path)

    with store.read() as connection:
        told = " ".join(
            f"{row.reason} {row.detail}" for row in connection.execute(select(events)).all()
        )
    held = export(world.database).decode()
    assert "quokka" not in held
    assert "quokka" not in told
    assert "[e-mail]" in held + told


def test_the_policy_of_what_is_typed_by_hand_is_that_of_a_message(world: World) -> None:
    store = world.store()
    keep = replace(store, gate=GateSettings(privacy=Privacy(email=Policy.KEEP)))
    block = replace(store, gate=GateSettings(privacy=Privacy(email=Policy.BLOCK)))

    kept = Facts(keep).add(f"The landlord answers at {MAIL} only").memory
    with pytest.raises(InputError, match="holds e-mail, which the privacy policy blocks"):
        Facts(block).add(f"The plumber answers at {MAIL} only")
    with pytest.raises(InputError, match="nothing is left"):
        Facts(store).add(f" {MAIL} ")

    assert MAIL in kept.text


def test_by_hand_tomorrow_is_a_day_of_the_users_zone(world: World) -> None:
    store = replace(world.store(), gate=GateSettings(zone="Pacific/Kiritimati"))

    added = Facts(store).add("I have a job interview tomorrow").memory

    day = store.gate.local(store.clock()) + timedelta(days=1)
    assert added.valid_from.astimezone(day.tzinfo).date() == day.date()


def test_the_headings_of_a_document_lose_their_secrets_too(world: World) -> None:
    store = world.store()
    document = NewDocument(
        path="a.md", title="Keys", format="markdown", content_hash="0" * 64, characters=10
    )
    passage = Passage(text="Nothing here.", ordinal=0, start=0, end=10, heading=("Keys", KEY))

    Documents(store).put(document, [passage])

    assert KEY not in export(world.database).decode()
