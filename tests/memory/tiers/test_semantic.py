import pytest

from stratal_memory.errors import InputError, NotFound, ScopeError
from stratal_memory.records import ScopeKind, Trust
from stratal_memory.tiers.semantic import LONGEST, Facts
from tests.memory.worlds import World, texts


@pytest.mark.parametrize("text", ["", "  \n", "\t"])
def test_nothing_is_not_remembered(world: World, text: str) -> None:
    with pytest.raises(InputError, match="the text is empty"):
        Facts(world.store()).add(text)


def test_a_book_is_no_fact(world: World) -> None:
    with pytest.raises(InputError, match="2,001 characters") as refused:
        Facts(world.store()).add("x" * (LONGEST + 1))

    assert "stratal ingest" in refused.value.hint


def test_a_secret_is_refused_and_stands_nowhere(world: World) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    with pytest.raises(InputError, match="holds a secret"):
        Facts(world.store()).add(f"my token is {secret}")

    for path in world.database.folder.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes()


def test_facts_are_listed_newest_first_and_shown_by_key_or_id(world: World) -> None:
    facts = Facts(world.store())
    first = facts.add("one fact").memory
    facts.add("another fact", trust=Trust.TOOL)

    assert texts(facts.known()) == ["another fact", "one fact"]
    assert texts(facts.known(limit=1)) == ["another fact"]
    assert facts.show(first.key) == facts.show(first.id)
    assert facts.known()[0].confidence == 0.6
    with pytest.raises(NotFound, match="no memory 'mem_unknown'"):
        facts.show("mem_unknown")


def test_a_fact_of_a_project_is_its_own(world: World) -> None:
    facts = Facts(world.store(project="bakery"))

    made = facts.add("the oven is hot", scope=ScopeKind.PROJECT)

    assert str(made.memory.scope) == "project:bakery"
    assert Facts(world.store()).known() == []
    with pytest.raises(ScopeError):
        facts.add("nobody's", scope=ScopeKind.ORG)


@pytest.mark.parametrize("text", ["a\x00b likes tea", "lone \ud800 surrogate", "🦊 likes 茶"])
def test_any_text_is_remembered(world: World, text: str) -> None:
    facts = Facts(world.store())

    facts.add(text)

    assert len(facts.known()) == 1


def test_a_facet_given_by_hand_keeps_the_value_the_rules_read(world: World) -> None:
    facts = Facts(world.store())

    named = facts.add("My name is Ana", facet="name").memory
    other = facts.add("We use PostgreSQL.", facet="decision").memory

    assert (named.facet, named.value) == ("name", "Ana")
    assert (other.facet, other.value) == ("decision", "")


def test_signs_nobody_sees_are_not_kept_in_a_fact_added_by_hand(world: World) -> None:
    facts = Facts(world.store())

    done = facts.add("I like \u202etea\u200b.")

    assert done.memory.text == "I like tea."
