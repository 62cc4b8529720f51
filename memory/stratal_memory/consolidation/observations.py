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
from stratal_memory.consolidation.operations import own
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.learning.model_answer import ModelAnswerError
from stratal_memory.records import Form, Kind, ScopeKind, Status
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table


def plan(night: Night) -> Plan:
    """An item for each bundle that is not told, or not as it is now."""
    scope = night.store.reach.principal.scope(ScopeKind.USER)
    mine = and_(table.c.scope_kind == scope.kind, table.c.scope_id == scope.id)
    with night.read() as connection:
        active = and_(own(night.store), table.c.status == Status.ACTIVE)
        facts = memories.select_memories(connection, active)
        live = and_(visible(night.store.reach, forms=(Form.OBSERVATION,)), mine)
        told = memories.select_memories(connection, live)
    seen = [fact for fact in facts if fact.recorded_at <= night.at]
    how = "rules" if night.asking.model is None else "model"
    return Plan(items=_items(night, bundles(seen, told)), looked_at=len(seen), how=how)


def _items(night: Night, found: Sequence[Bundle]) -> Iterator[Item]:
    for bundle in found:
        text, failure = _text(night, bundle)
        made = Derived(
            form=Form.OBSERVATION,
            kind=Kind.SEMANTIC,
            facet=bundle.name,
            text=text,
            of=bundle.facts,
            olds=(bundle.old,) if bundle.old is not None else (),
            failure=failure,
        )
        [vector] = night.embed([made.text])
        yield derived(night, made, vector=vector, reason=f"{len(bundle.facts)} facts in one line")


def _text(night: Night, bundle: Bundle) -> tuple[str, str]:
    """The model's sentence where there is a model; else the list, and why the model's is none."""
    if night.asking.model is None:
        return bundle.text, ""
    try:
        return observe_by_model(night.asking, [fact.text for fact in bundle.facts]), ""
    except ModelAnswerError as error:
        return bundle.text, str(error)
