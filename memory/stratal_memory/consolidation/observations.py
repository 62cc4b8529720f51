"""Facts that belong together told in one sentence that cites them.

Without a model those that begin alike are told as a list: "The user likes jazz", "... tea" and
"... hiking" become one line. With one, facts of one neighbourhood are told in its words. A fact
stays what it was; recall shows the observation in its place while that stands.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import and_

from stratal_memory.consolidation.deriving import Derived, derived
from stratal_memory.consolidation.grouping import Bundle, bundles
from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.observing_model import observe_by_model
from stratal_memory.consolidation.operations import facts_of
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.model_answer import ModelAnswerError
from stratal_memory.records import Form, Kind, ScopeKind, Status
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

PAGE = 32  # lines embedded at once


def plan(night: Night) -> Plan:
    """An item for each bundle that is not told, or not as it is now."""
    scope = night.store.reach.principal.scope(ScopeKind.USER)
    mine = and_(table.c.scope_kind == scope.kind, table.c.scope_id == scope.id)
    with night.read() as connection:
        facts = facts_of(night, connection)
        live = and_(visible(night.store.reach, forms=(Form.OBSERVATION,)), mine)
        told = memories.select_memories(connection, live)
    active = [fact for fact in facts if fact.status is Status.ACTIVE]
    seen = [fact for fact in active if fact.recorded_at <= night.at]
    how = "rules" if night.asking.model is None else "model"
    return Plan(items=_items(night, bundles(seen, told)), looked_at=len(seen), how=how)


def _items(night: Night, found: Sequence[Bundle]) -> Iterator[Item]:
    """Told and embedded as they are asked for: one by one by a model, many at once by rules."""
    page = PAGE if night.asking.model is None else 1
    for start in range(0, len(found), page):
        some = found[start : start + page]
        told = [_text(night, bundle) for bundle in some]
        rows = night.embed([text for text, _ in told])
        yield from (
            _item(night, bundle, words, row)
            for bundle, words, row in zip(some, told, rows, strict=True)
        )


def _item(night: Night, bundle: Bundle, words: tuple[str, str], row: Vectors | None) -> Item:
    text, failure = words
    made = Derived(
        form=Form.OBSERVATION,
        kind=Kind.SEMANTIC,
        facet=bundle.name,
        text=text,
        of=bundle.facts,
        olds=(bundle.old,) if bundle.old is not None else (),
        failure=failure,
    )
    return derived(night, made, vector=row, reason=f"{len(bundle.facts)} facts in one line")


def _text(night: Night, bundle: Bundle) -> tuple[str, str]:
    """The model's sentence where there is a model; else the list, and why the model's is none."""
    if night.asking.model is None:
        return bundle.text, ""
    try:
        return observe_by_model(night.asking, [fact.text for fact in bundle.facts]), ""
    except ModelAnswerError as error:
        return bundle.text, str(error)
