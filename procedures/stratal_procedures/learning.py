"""Learning from practice: episodes are noted, and the third of a task becomes a draft."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from stratal_memory.records import ScopeKind, new_id
from stratal_memory.store import Store
from stratal_memory.text import text_hash
from stratal_memory.truth import practised
from stratal_memory.truth import procedures as rows
from stratal_memory.truth.practised import Outcome, PractisedTurn, Used
from stratal_memory.truth.procedures import Origin, State, StoredProcedure, digest_of
from stratal_procedures.drafting import Beside, draft, words_of
from stratal_procedures.episode import Episode
from stratal_procedures.errors import SkillError
from stratal_procedures.generalising import General, generalised, unusable
from stratal_procedures.past import Past
from stratal_procedures.rewording import Complete
from stratal_procedures.scoring import THRESHOLDS
from stratal_procedures.shelf import detail_of, parsed
from stratal_procedures.signature import Bucket, nearest, steps_json

COMPARED = 30  # latest episodes with the same tools that a new one is compared with
MOST = 8  # latest episodes that one draft is drawn from
OPEN = (State.DRAFT, State.PROBATION, State.ACTIVE, State.REJECTED)  # a person's word stands

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Learning for one principal's agent; nobody else's turns are looked at."""

    store: Store
    aside: frozenset[str] = frozenset()  # tools that look something up for the model alone
    taken: frozenset[str] = frozenset()  # names other skills have, in small letters
    complete: Complete | None = None  # a model that words drafts, if any

    def note(self, episode: Episode, *, ok: bool | None, why: str) -> str:
        """The signature of the bucket that `episode` falls in; it is kept, and how it ended."""
        known = [one for one in self._of_tools(episode.tools) if one.turn != episode.turn]
        near = nearest(episode, self._buckets(known))
        with self.store.write() as journal:
            noted = PractisedTurn(
                turn=episode.turn,
                tools=episode.tools,
                signature=near or new_id("sig"),
                steps=steps_json(episode),
                ok=ok,
                why=why,
                at=journal.at,
            )
            practised.note_episode(journal.connection, noted)
        return noted.signature

    def draft(self, signature: str) -> StoredProcedure | None:
        """A new draft, when three distinct good episodes of a task ask for one; else None.

        Where a version is a draft, in use or rejected, a person's word stands and nothing is
        drafted; where it was demoted, episodes since then make the next version.
        """
        before = self._before(signature)
        if any(one.state in OPEN for one in before if not one.retired_at):
            return None
        fresh = self._fresh(signature, before)
        general = self._usable(fresh)
        if general is None:
            return None
        try:
            new = self._made(general, signature, before)
        except SkillError as error:
            log.warning("no draft could be made of %s: %s", signature, error)
            return None
        with self.store.write() as journal:
            now = rows.of_signature(journal.connection, self.store.reach, signature)
            if len(now) != len(before):  # another process was faster
                return None
            new = replace(new, recorded_at=journal.at)
            rows.add(journal.connection, new)
            reason = f"{len(general.episodes)} good episodes of one task"
            journal.note("procedure.drafted", reason=reason, detail=detail_of(new))
        return new

    def _of_tools(self, tools: str) -> list[PractisedTurn]:
        who = self.store.reach.principal
        with self.store.read() as connection:
            return practised.of_tools(
                connection, user=who.user, agent=who.agent, tools=tools, limit=COMPARED
            )

    def _buckets(self, noted: Sequence[PractisedTurn]) -> list[Bucket]:
        signature = {one.turn: one.signature for one in noted}
        found: dict[str, list[Episode]] = {}
        for one in Past(self.store, self.aside).bare(noted):
            found.setdefault(signature[one.turn], []).append(one)
        return [Bucket(signature=name, episodes=tuple(some)) for name, some in found.items()]

    def _before(self, signature: str) -> list[StoredProcedure]:
        with self.store.read() as connection:
            return rows.of_signature(connection, self.store.reach, signature)

    def _fresh(self, signature: str, before: Sequence[StoredProcedure]) -> list[PractisedTurn]:
        """The good episodes that no version was drawn from, each request of a session once."""
        used = {turn for one in before for turn in one.evidence}
        who = self.store.reach.principal
        with self.store.read() as connection:
            every = practised.of_signature(
                connection, user=who.user, agent=who.agent, signature=signature
            )
        return [one for one in every if one.ok and one.turn not in used][-COMPARED:]

    def _usable(self, noted: Sequence[PractisedTurn]) -> General | None:
        """The steps of the latest distinct episodes into which nothing untrusted went."""
        past = Past(self.store, self.aside)
        known = [one for one in distinct(past.bare(noted)) if not one.flaw]
        if len(known) < THRESHOLDS.episodes:
            return None
        episodes = [past.in_context(one) for one in known[-2 * MOST :]]
        while len(episodes) >= THRESHOLDS.episodes:
            general = generalised(episodes[-MOST:])
            refused = unusable(general)
            if not refused:
                return general
            self._refuse(refused)
            episodes = [one for one in episodes if one.turn not in refused]
        return None

    def _refuse(self, refused: dict[str, str]) -> None:
        with self.store.write() as journal:
            for turn, why in refused.items():
                practised.refuse_episode(journal.connection, turn, why=why)
                journal.note("episode.refused", reason=why, detail=(("turn", turn),))
                log.info("turn %s is not learned from: %s", turn, why)

    def _made(
        self, general: General, signature: str, before: Sequence[StoredProcedure]
    ) -> StoredProcedure:
        last = before[-1] if before else None
        version = last.version + 1 if last else 1
        text = draft(general, self._beside(general, signature, last), complete=self.complete)
        text = self.store.private(text)
        principal = self.store.reach.principal
        key = last.key if last else new_id("prc")
        return StoredProcedure(
            key=key,
            version=version,
            scope=principal.scope(ScopeKind.USER),
            agent=principal.agent,
            name=parsed(text).name,
            text=text,
            digest=digest_of(text),
            origin=Origin.LEARNED,
            author=self.store.user,
            recorded_at=self.store.clock(),
            state=State.DRAFT,
            signature=signature,
            evidence=tuple(one.turn for one in general.episodes),
        )

    def _beside(self, general: General, signature: str, last: StoredProcedure | None) -> Beside:
        with self.store.read() as connection:
            stored = rows.find(connection, self.store.reach)
            used = practised.outcomes_of(connection, last.key) if last else list[Used]()
        names = {one.name.casefold() for one in stored if last is None or one.key != last.key}
        failures = Counter(one.why for one in used if one.outcome is Outcome.FAILURE)
        return Beside(
            name=last.name if last else "",
            taken=self.taken | names,
            others=self._others(general, signature),
            uses=len(used),
            failures=failures,
            version=last.version + 1 if last else 1,
        )

    def _others(self, general: General, signature: str) -> tuple[str, ...]:
        """The words of other tasks that are done with the same tools."""
        noted = [one for one in self._of_tools(general.tools) if one.signature != signature]
        words = words_of(general)
        return tuple(
            word
            for bucket in self._buckets(noted)
            if len(bucket.episodes) > 1  # one alone has no words in common
            for word in words_of(generalised(bucket.episodes))
            if word not in words
        )


def distinct(episodes: Iterable[Episode]) -> list[Episode]:
    """The episodes in their order without replays: a request counts once a conversation."""
    seen: dict[tuple[str, str], Episode] = {}
    for one in episodes:
        seen.setdefault((one.session, text_hash(one.request)), one)
    return list(seen.values())
