"""What an import brings loses its secrets, and what the privacy policy hides."""

from dataclasses import replace

from pydantic import JsonValue

from stratal_memory.learning.privacy import Policy, Privacy
from stratal_memory.portability.cleaning import Cleaner
from stratal_memory.records import new_id
from stratal_memory.tiers.semantic import Facts
from tests.memory.portability.forging import Row, reasons, rows_of, take
from tests.memory.worlds import World, begin, say

KEY = "ghp_" + "a1B2" * 9
MAIL = "bob@example.com"
SAID = f"My key is {KEY}, write to {MAIL}."


def test_memories_and_their_quotes_come_in_without_secrets_and_identifiers(world: World) -> None:
    store = world.store()
    Facts(store).add("I live in Oslo.")
    row = rows_of(store, "memory")[0]
    log = rows_of(store, "event")[0]
    seen: Row = {"ref": "m", "start": 0, "end": 9, "quote": SAID}
    proof: JsonValue = [{**seen, "at": None, "trust": "", "source": ""}]
    made = {**row, "id": "mem_a", "key": "key_a", "facet": "", "value": MAIL, "text": SAID}
    made["evidence"] = proof
    told = {**log, "id": "evt_a", "memory": "mem_a", "key": "key_a", "reason": SAID}
    told["detail"] = [["text", SAID]]

    first, again = take(store, made, told), take(store, made, told)

    [memory] = [one for one in Facts(store).known() if one.id == "mem_a"]
    clean = "My key is [secret: GitHub token], write to [e-mail]."
    assert (memory.text, memory.value) == (clean, "[e-mail]")
    assert memory.evidence[0].quote == clean
    [event] = [one for one in rows_of(store, "event") if one["id"] == "evt_a"]
    assert (event["reason"], event["detail"]) == (clean, [["text", clean]])
    assert (first.added.total(), first.refused) == (2, 0), first.refusals
    assert (again.unchanged.total(), again.refused) == (2, 0), again.refusals


def test_the_history_and_passages_lose_secrets_and_keep_addresses(world: World) -> None:
    store = world.store()
    cleaner = Cleaner(store)
    kept = f"My key is [secret: GitHub token], write to {MAIL}."

    message = cleaner.clean(
        "message",
        {"text": SAID, "reasoning": SAID, "opaque": KEY, "tool_calls": [{"arguments": SAID}]},
    )
    passage = cleaner.clean("memory", {"id": "mem_p", "form": "chunk", "text": SAID})
    event = cleaner.clean("event", {"memory": "mem_p", "detail": [["text", SAID]]})

    assert message == {
        "text": kept,
        "reasoning": kept,
        "opaque": "",
        "tool_calls": [{"arguments": kept}],
    }
    assert passage["text"] == kept
    assert event["detail"] == [["text", kept]]
    assert cleaner.clean("session", {"title": SAID}) == {"title": kept}
    assert cleaner.clean("run", {"report": {"changes": [{"before": SAID, "id": KEY}]}}) == {
        "report": {
            "changes": [
                {"before": "My key is [secret: GitHub token], write to [e-mail].", "id": KEY}
            ]
        }
    }


def test_what_the_policy_blocks_is_refused(world: World) -> None:
    store = world.store()
    strict = replace(store.gate, privacy=Privacy(email=Policy.BLOCK))
    Facts(store).add("I live in Oslo.")
    row = {**rows_of(store, "memory")[0], "id": "mem_a", "key": "key_a", "text": f"at {MAIL}"}

    report = take(replace(store, gate=strict), row)

    assert reasons(report) == ["the privacy policy blocks what it holds"]


def test_ids_in_the_reasons_of_the_log_are_no_card_numbers(world: World) -> None:
    cleaner = Cleaner(world.store())
    reasons_ = [f"disagrees with {new_id('mem')}, which is as recent" for _ in range(2_000)]
    reasons_.append("disagrees with mem_5b2e6248861647708f3a, which is as recent")

    assert [cleaner.clean("event", {"reason": one})["reason"] for one in reasons_] == reasons_


def test_what_a_conversation_left_clean_stays_as_it_is(world: World) -> None:
    store = world.store()
    say(store, begin(store), "Write to ana@mail.example, please.", "I did.")
    cleaner = Cleaner(store)

    for kind in ("session", "turn", "message"):
        for row in rows_of(store, kind):
            assert cleaner.clean(kind, row) == row
