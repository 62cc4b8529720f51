"""An episode is shown where nothing says it more closely, and without what has ended."""

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.gate import take_in
from stratal_memory.recall.recall import Recollection, recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.truth import messages
from tests.memory.worlds import World, begin, say

ANY = RecallSettings(minimum_similarity=0.0)


def asked(store: Store, text: str) -> Recollection:
    return recall(store, text, settings=ANY, count=len, nonce="n")


def shown(found: Recollection, *forms: Form) -> str:
    kept = (one.memory.text for one in found.candidates if one.is_in and one.memory.form in forms)
    return " | ".join(kept)


def reasons(found: Recollection, form: Form) -> set[str]:
    return {one.reason for one in found.candidates if one.memory.form is form and not one.is_in}


def test_an_episode_is_needless_beside_the_message_it_tells_of(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    take_in(store, session, say(store, session, "The heron came back to the lake."))
    consolidate(store)

    found = asked(store, "Where did the heron come back?")

    assert "heron" in shown(found, Form.MESSAGE)
    assert shown(found, Form.EPISODE) == ""
    assert any("alone says it" in reason for reason in reasons(found, Form.EPISODE))


def test_an_episode_is_told_without_what_has_ended(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    said = say(store, session, "I live in Lisbon.")
    take_in(store, session, said)
    said = say(store, session, "The heron came back to the lake.")
    with store.write() as journal:  # its raw words can't be recalled: the episode alone tells it
        messages.mark_remembered(journal.connection, [said[0].id])
    consolidate(store)
    world.clock.pass_(days=2)
    later = begin(store)
    take_in(store, later, say(store, later, "I moved to Porto."))

    now = asked(store, "Lisbon heron lake")
    past = asked(store, "Where did I live before, Lisbon? And the heron at the lake?")

    assert "heron" in shown(now, Form.EPISODE)
    assert "Lisbon" not in shown(now, Form.EPISODE)
    assert "Lisbon" in shown(past, Form.EPISODE, Form.FACT, Form.MESSAGE)


def test_a_week_is_told_when_a_time_is_asked_for(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    for text in ("The heron came back to the lake.", "The printer jams on thick paper."):
        session = begin(store)
        said = say(store, session, text)
        with store.write() as journal:
            messages.mark_remembered(journal.connection, [said[0].id])
        world.clock.pass_(days=1)
    consolidate(store)
    world.clock.pass_(days=20)
    consolidate(store)

    plain = asked(store, "Tell me about the heron and the printer")
    timed = asked(store, "What did we talk about last month, the heron and the printer?")

    assert "They talked about" not in shown(plain, Form.EPISODE)
    assert "tells of a time, and none was asked for" in reasons(plain, Form.EPISODE)
    assert "They talked about" in shown(timed, Form.EPISODE)
