"""What people complain of in other systems (MEMORY, section 3); versions answer theirs beside."""

from collections.abc import Sequence

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.backlog import embed_missing
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.findings import Rule
from stratal_memory.learning.gate import take_in
from stratal_memory.learning.model_reading import read_waiting
from stratal_memory.learning.review import to_review
from stratal_memory.lint import lint
from stratal_memory.recall.candidates import Verdict
from stratal_memory.recall.recall import ranking, recall, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, ScopeKind
from stratal_memory.tiers.semantic import Facts
from tests.memory.learning.answering import Scripted, answer, fact
from tests.memory.worlds import DrawnEmbedder, World, begin, say, texts

Drawn = dict[str, tuple[float, ...]]
DEFAULT = RecallSettings()
OPEN = RecallSettings(minimum_similarity=0.0)
TEA = "give me tea over coffee whenever I look sleepy"

CHATTER = (
    "What is your name?",
    "Hello!",
    "ok thanks",
    "Can you read this file for me?",
    "HEARTBEAT_OK",
    "You are a helpful assistant. Always answer in English.",
    "The build failed with exit code 1, why?",
    "Let's get started.",
    "yes please",
    "Run the tests again.",
)


def test_1_small_talk_and_boot_files_leave_no_facts(world: World) -> None:
    """mem0#4573: 97.8 % of 10,134 entries were junk; netclaw#379: "What is your name?"."""
    store = world.store()
    session = begin(store)

    for line in CHATTER:
        take_in(store, session, say(store, session, line, "I am here to help."))

    assert texts(Facts(store).known()) == []


def test_2_saying_it_again_and_again_makes_one_fact(world: World) -> None:
    """MemOS#881, #880, hindsight#1566, neural-memory#14, deja-vu#1736, companion-emergence#66."""
    store = world.store(embedder=HashEmbedder())
    for _ in range(5):
        session = begin(store)
        take_in(store, session, say(store, session, "I live in Porto. My sister is called Eva."))
        world.clock.pass_(days=1)
        consolidate(store)

    assert sorted(texts(Facts(store).known())) == [
        "The user lives in Porto.",
        "The user's sister is called Eva.",
    ]
    assert [one for one in lint(store).findings if one.rule is Rule.DUPLICATE] == []


def test_2_the_same_message_taken_in_twice_is_one(world: World) -> None:
    """netclaw#379: a retried hook stored everything again."""
    store = world.store()
    session = begin(store)
    said = say(store, session, "I live in Porto.")

    for _ in range(2):
        take_in(store, session, said)

    [home] = Facts(store).known()
    assert home.support == 1


@pytest.mark.parametrize("broken", ["", "{", '{"facts": [{"message": 1}]}', "I am sorry, but"])
def test_5_an_answer_nobody_can_read_loses_nothing(world: World, broken: str) -> None:
    """mem0#4540, #4831, #3009, #4061, #3391, #5178; ml-commons#4780: errors became empty lists."""
    store = world.store()
    session = begin(store)
    take_in(store, session, say(store, session, TEA), waits=True)

    read_waiting(store, Scripted(broken))
    waits = to_review(store).pending
    read_waiting(store, Scripted(answer([fact()])))

    assert [one.text for one in waits] == [TEA]
    assert [one.value for one in Facts(store).known()] == ["tea"]


def test_7_the_user_is_part_of_every_read_with_every_index(world: World) -> None:
    """PraisonAI#4818: the adapters of Chroma and SQLite dropped the user on reads; crewAI#2584."""
    embedder = HashEmbedder()
    for limit in (0, 30_000):  # Chroma proposes; all is scanned
        alice = world.store("alice", embedder=embedder, scan_limit=limit)
        Facts(alice).add(f"The safe of number {limit} is blue.")
        bob = world.store("bob", embedder=embedder, scan_limit=limit)

        assert search(bob, "the safe", settings=OPEN, gate=False) == []
        alice.close()
        bob.close()


class Counting(HashEmbedder):
    """Counts the texts it is given."""

    count = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.count += len(texts)
        return super().embed(texts)


def test_9_and_10_a_message_costs_the_same_however_much_is_remembered(world: World) -> None:
    """graphiti#290, #467, #186, #1516, #1275: the cost of a message grew with the graph."""
    embedder = Counting()
    store = world.store(embedder=embedder)
    session = begin(store)

    def cost(line: str) -> int:
        before = embedder.count
        take_in(store, session, say(store, session, line))
        return embedder.count - before

    first = cost("My sister is called Eva.")
    for number in range(60):
        Facts(store).add(f"The user knows street number {number}.")
    last = cost("My brother is called Tom.")

    assert first == last
    assert first <= 4


@pytest.mark.parametrize("nonsense", ["xyzzy plugh", "", "qwe asd zxc", "???"])
def test_13_nothing_is_injected_when_nothing_fits(world: World, nonsense: str) -> None:
    """netclaw#560, #582, tomcounsell#1213, stella#2289, mnemosyne#24, open-webui#30234, LaPis."""
    store = world.store(embedder=HashEmbedder())
    for number in range(30):
        Facts(store).add(f"The user knows the number {number} street.")

    found = recall(store, nonsense, settings=DEFAULT, count=len, nonce="n")

    assert [block.items for block in found.blocks] == [(), (), ()]


def test_13_the_threshold_that_is_set_is_the_one_that_counts(world: World) -> None:
    """MemOS#928: the field was read by nobody."""
    drawn: Drawn = {
        "near": (0.9, 0.4359),
        "far": (0.5, 0.8660),
        "asked": (1.0, 0.0),
    }
    store = world.store(embedder=DrawnEmbedder(drawn, dimension=4))
    for text in ("near", "far"):
        Facts(store).add(text)

    def passed(minimum: float) -> list[str]:
        settings = RecallSettings(minimum_similarity=minimum, plain_cosine=True)
        return texts([one.memory for one in search(store, "asked", settings=settings)])

    assert [passed(0.3), passed(0.7), passed(0.95)] == [["near", "far"], ["near"], []]


@pytest.mark.parametrize("scan_limit", [0, 30_000])
def test_15_a_similarity_is_one_for_the_same_and_zero_for_the_unlike(
    world: World, scan_limit: int
) -> None:
    """mem0#4999, #4453, A-mem#23: a distance stood for a similarity, everything was 1.0."""
    drawn: Drawn = {
        "same": (1.0, 0.0),
        "half": (0.6, 0.8),
        "none": (0.0, 1.0),
        "asked": (1.0, 0.0),
    }
    store = world.store(embedder=DrawnEmbedder(drawn, dimension=4), scan_limit=scan_limit)
    for text in ("none", "half", "same"):
        Facts(store).add(text)
    cosine = RecallSettings(minimum_similarity=0.0, plain_cosine=True)

    found = ranking(store, "asked", settings=cosine, forms=(Form.FACT,))

    assert texts([one.memory for one in found]) == ["same", "half", "none"]
    assert [one.parts.similarity for one in found] == pytest.approx([1.0, 0.6, 0.0], abs=1e-6)
    store.close()


def test_16_what_lay_just_below_the_gate_is_counted_and_told(world: World) -> None:
    """mcp-memory-service#487: a threshold too strict dropped the answer silently."""
    drawn: Drawn = {"the answer": (0.68, 0.7332), "asked": (1.0, 0.0)}
    store = world.store(embedder=DrawnEmbedder(drawn, dimension=4))
    Facts(store).add("the answer")
    strict = RecallSettings(minimum_similarity=0.7, plain_cosine=True)

    found = recall(store, "asked", settings=strict, count=len, nonce="n")

    assert found.just_below == 1
    [one] = found.candidates
    assert (one.verdict, one.reason) == (
        Verdict.OUT,
        "just below the gate (similarity 0.68 < 0.70)",
    )


def test_21_what_stands_in_the_history_goes_before_no_newer_word(world: World) -> None:
    """lettactl#343, #345: an old copy in the history beat the block that was updated."""
    store = world.store()
    session = begin(store)
    for line in ("I live in Lisbon.", "I moved to Porto."):
        take_in(store, session, say(store, session, line))
        world.clock.pass_(days=1)
    told = recall(store, "Where do I live?", settings=DEFAULT, count=len, nonce="n")

    shown = " ".join(item.text for block in told.blocks for item in block.items)
    assert "Porto" in shown
    assert "Lisbon" not in shown


def test_22_another_embedding_model_wipes_nothing(world: World) -> None:
    """hindsight#743, #1884, #2073, #2209; memorizer#17, #164."""
    old = world.store(embedder=HashEmbedder(32))
    Facts(old).add("The user plays the oboe.")
    old.close()

    new = world.store(embedder=HashEmbedder(64))
    at_once = texts([one.memory for one in search(new, "oboe", settings=OPEN)])
    embedder = HashEmbedder(64)
    embed_missing(world.database, embedder, generation=new.generation)

    assert at_once == ["The user plays the oboe."]
    assert texts([one.memory for one in search(new, "oboe", settings=OPEN)]) == at_once


def test_23_a_write_is_there_for_every_other_store_at_once(world: World) -> None:
    """mem0#7196, TrueMemory#256, #402: a quarter of the writes were lost."""
    stores = [world.store() for _ in range(4)]
    for number, store in enumerate(stores):
        for turn in range(5):
            Facts(store).add(f"The user keeps bee number {number} of hive {turn}.")

    assert [len(Facts(store).known()) for store in stores] == [20] * 4


def test_24_everything_works_without_a_model_and_without_a_network(world: World) -> None:
    """mem0#2432, #5081, opencode#16117. The test suite refuses every socket."""
    store = world.store(project="bakery")
    session = begin(store)
    take_in(store, session, say(store, session, "I live in Porto. My sister is called Eva."))
    Facts(store).add("The bakery opens at five.", scope=ScopeKind.PROJECT)
    world.clock.pass_(hours=2)
    report = consolidate(store)

    assert report.changes
    for question in ("Where do I live?", "What is my sister called?", "When does the bakery open?"):
        assert search(store, question, settings=DEFAULT), question


def test_24_no_message_that_was_never_remembered_is_lost_to_search(world: World) -> None:
    """hindsight#2977, hermes#32123: what was just said could not be recalled for a while."""
    store = world.store()
    session = begin(store)
    take_in(store, session, say(store, session, "The zeppelin lands on Friday."))

    found = search(store, "zeppelin", settings=DEFAULT)

    assert [one.memory.form for one in found] == [Form.MESSAGE]
