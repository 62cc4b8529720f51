"""Sessions settle into episodes; one that went on replaces its own."""

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.telling import LONGEST, SENTENCES
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, export, say


def episodes(store: Store, status: Status = Status.ACTIVE) -> list[Memory]:
    return Facts(store).known(forms=(Form.EPISODE,), statuses=(status,))


def test_an_episode_tells_what_was_said_and_asked_with_its_evidence(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    session = begin(store)
    [first, _] = say(store, session, "I saw a heron at the lake.", "Nice.")
    [second] = say(store, session, "Do herons sing?")

    consolidate(store)

    [episode] = episodes(store)
    assert episode.text == (
        "The user said: I saw a heron at the lake. The user asked: Do herons sing?"
    )
    assert [seen.ref for seen in episode.evidence] == [first.id, second.id]
    assert (episode.session, episode.valid_from) == (session.id, first.created)
    assert episode.value == "I saw a heron at the lake"
    assert episode.valid_to == second.created


def test_a_session_that_went_on_replaces_its_episode(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "I saw a heron at the lake.")
    consolidate(store)
    say(store, session, "It caught a silver fish.")

    report = consolidate(store)

    [now], [before] = episodes(store), episodes(store, Status.SUPERSEDED)
    assert "silver fish" in now.text
    assert (now.key, now.version, now.supersedes) == (before.key, 2, before.id)
    assert [change.action for change in report.changes if change.step == "episodes"] == ["replaced"]


def test_an_answer_alone_makes_no_new_version(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "I saw a heron at the lake.")
    consolidate(store)
    say(store, session, "", "By the way, herons do not sing.")

    before = len(episodes(store, Status.SUPERSEDED))
    consolidate(store)

    assert before == 0
    assert len(episodes(store)) == 1


def test_silence_settles_without_an_episode(world: World) -> None:
    store = world.store()
    say(store, begin(store), "   ", "Hello?")

    consolidate(store)
    settled = export(world.database)
    consolidate(store)

    assert episodes(store) == []
    assert export(world.database) == settled


def test_two_agents_keep_their_own_episodes(world: World) -> None:
    coach, main = world.store(agent="coach"), world.store(agent="main")
    say(coach, begin(coach), "I ran ten kilometres.")

    consolidate(main)
    none_yet = episodes(coach)
    consolidate(coach)

    assert none_yet == []
    assert len(episodes(coach)) == 1
    assert episodes(main) == []


def test_an_episode_of_a_huge_session_stays_short(world: World) -> None:
    store = world.store()
    say(store, begin(store), "".join(f"Sentence number {i} of word{i}. " for i in range(20_000)))

    consolidate(store)

    [episode] = episodes(store)
    assert len(episode.text) <= len("The user said: ") + SENTENCES * (LONGEST + 1)
