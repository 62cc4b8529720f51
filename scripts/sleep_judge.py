"""What recall brought for a question, and what the kept memories rest on, judged by the truth."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from data.simulated_year.wording import Value, plain
from data.simulated_year.year import Mention, Question, Said, Year
from scripts.sleep_findings import Answers, Kept, Miss
from stratal_memory.recall.recall import Recollection
from stratal_memory.records import Form, Memory, Status

DAY = timedelta(days=1)
BY_KIND = ("partner", "course", "kid")  # facts that may be told without their value
UNTIL = re.compile(r"- [^:]* until \d{4}-")  # the head of a line that says it is over
# A memory whose own words say that it is over.
OVER = re.compile(
    r"\b(used to|no longer|not .+ any ?more|any longer|former|formerly|previous|ex|old|once|sold|"
    r"left|quit|stopped|gave up|dropped|finished|closed|died|passed away|goodbye|broke up|split up|"
    r"cancel\w*|retired|ended|gone|healed|over|was|were|had|instead of|rehomed|done with|"
    r"back from)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that was put before the model; `memory` is None for a line of the profile."""

    text: str
    memory: Memory | None


@dataclass(frozen=True, slots=True)
class Judge:
    """The truth of a year beside the ids that its messages were stored under."""

    year: Year
    stored: Mapping[str, Said]  # by message id

    def lines(self, profile: str, found: Recollection) -> list[Line]:
        """Every line that stands before the model."""
        pinned = [Line(text=text, memory=None) for text in profile.splitlines()]
        items = [item for block in found.blocks for item in block.items]
        return pinned + [Line(text=one.text, memory=one.candidate.memory) for one in items]

    def misses(
        self, question: Question, lines: Sequence[Line], found: Recollection
    ) -> Iterator[Miss]:
        """What was not brought of what holds, and what was brought of what does not."""
        for value in question.current:
            if not any(value.stands_in(line.text) for line in lines):
                yield Miss(
                    question=question.text,
                    kind=question.kind,
                    value=value.text,
                    why="missed",
                    shown=_left_out(value, found),
                )
        for value in question.outdated:
            bad = [line for line in lines if self._as_if_it_held(value, question, line)]
            if bad:
                form = bad[0].memory.form.value if bad[0].memory else "profile"
                yield Miss(
                    question=question.text,
                    kind=question.kind,
                    value=value.text,
                    why=f"stale {form}",
                    shown=bad[0].text[:160],
                )

    def _as_if_it_held(self, value: Value, question: Question, line: Line) -> bool:
        if not value.stands_in(line.text):
            return False
        if any(one.stands_in(line.text) for one in question.current):
            return False
        memory = line.memory
        if memory is None:
            return True
        if value.until is not None and f"{value.until - DAY:%B %Y}" in line.text:
            return False  # a plan with its month and year says by itself that it is over
        if UNTIL.match(line.text):
            return False
        if memory.form is Form.FACT:
            return not OVER.search(memory.text)
        told = [
            mention
            for said in self._said(memory)
            for mention in said.mentions
            if value.text == mention.value.text
        ]
        return any(mention.how != "past" for mention in told)

    def _said(self, memory: Memory) -> list[Said]:
        return [self.stored[seen.ref] for seen in memory.evidence if seen.ref in self.stored]

    def kept(self, memories: Sequence[Memory], at: datetime) -> Kept:
        """What the facts of memory rest on, at a time."""
        active = [one for one in memories if one.status is Status.ACTIVE]
        by_id = {one.id: one for one in memories}
        counts, known = Counter[str](), Counter[tuple[str, str]]()
        shown: dict[str, list[str]] = {"junk": [], "stale": [], "double": []}
        for memory in active:
            sort, of = self._support(memory, by_id, at)
            counts[sort] += 1
            if sort in shown:
                shown[sort].append(self._shown(memory))
            known.update(of if sort == "now" else ())
            shown["double"] += [self._shown(memory) for one in of if known[one] > 1]
        wanted = {(one.track, one.value.text) for one in self.year.holding(at)}
        return Kept(
            active=len(active),
            provisional=sum(one.status is Status.PROVISIONAL for one in memories),
            contested=sum(one.status is Status.CONTESTED for one in memories),
            ever=len(memories),
            supports=dict(counts),
            doubles=sum(count - 1 for count in known.values()),
            known=len(wanted & set(known)),
            junk=tuple(shown["junk"]),
            stale=tuple(shown["stale"]),
            doubled=tuple(shown["double"]),
            unlearned=tuple(sorted(f"{track}={value}" for track, value in wanted - set(known))),
        )

    def _support(
        self, memory: Memory, by_id: Mapping[str, Memory], at: datetime
    ) -> tuple[str, list[tuple[str, str]]]:
        """What a memory rests on, and the current facts it says."""
        said = self._sources(memory, by_id)
        mentions = [
            one for each in said for one in each.mentions if one.value.stands_in(memory.text)
        ]
        now = [(one.track, one.value.text) for one in mentions if self._holds(one, at)]
        if now:
            return "now", sorted(set(now))
        if mentions:
            over = OVER.search(memory.text) or memory.valid_to is not None
            return ("past" if over else "stale"), []
        told = [one for each in said for one in each.mentions]
        if any(one.how == "past" for one in told):
            return "ended", []
        if any(_partly(one, memory.text) for one in told):
            return "partly", []
        if any(
            each.whose and Value(text="", forms=(each.whose,)).stands_in(memory.text)
            for each in said
        ):
            return "other", []
        return "junk", []

    def _sources(self, memory: Memory, by_id: Mapping[str, Memory]) -> list[Said]:
        """The messages a memory rests on, through the memories it was made from."""
        found = self._said(memory)
        for seen in memory.evidence:
            if seen.ref in by_id and seen.ref != memory.id:
                found += self._said(by_id[seen.ref])
        return found

    def _holds(self, mention: Mention, at: datetime) -> bool:
        held = {(one.track, one.value.text) for one in self.year.holding(at)}
        return (mention.track, mention.value.text) in held

    def _shown(self, memory: Memory) -> str:
        said = self._said(memory)
        heard = f"  <- {said[0].category}: {said[0].text[:90]!r}" if said else ""
        return f"{memory.facet}={memory.value!r} {memory.text!r}{heard}"


def _left_out(value: Value, found: Recollection) -> str:
    """Why what says `value` was left out: of its best candidate, a fact before all others."""
    named = [one for one in found.candidates if value.stands_in(one.memory.text)]
    if not named:
        return "no candidate"
    best = min(named, key=lambda one: (one.memory.form is not Form.FACT, -one.parts.similarity))
    return f"{best.memory.form.value} {best.reason}: {best.memory.text[:100]}"


def _partly(mention: Mention, text: str) -> bool:
    """Whether a word of the value, or of what belongs to it, is told."""
    value, kind = mention.value, mention.track.partition("/")[0]
    words = plain(f"{value.text} {value.extra} {kind if kind in BY_KIND else ''}").split()
    return any(len(word) > 2 and f" {word} " in plain(text) for word in words)


Asking = Callable[[str], Recollection]


def answers(
    judge: Judge,
    questions: Sequence[Question],
    chatter: Sequence[str],
    *,
    profile: str,
    ask: Asking,
    count: Callable[[str], int],
) -> Answers:
    """What `ask` brought for every question, judged."""
    misses: list[Miss] = []
    tokens = Counter[str]()
    for question in questions:
        found = ask(question.text)
        tokens.update(_tokens(found, count))
        misses += judge.misses(question, judge.lines(profile, found), found)
    missed = sum(one.why == "missed" for one in misses)
    current = sum(len(one.current) for one in questions)
    return Answers(
        questions=len(questions),
        current=current,
        answered=current - missed,
        outdated=sum(len(one.outdated) for one in questions),
        stale=len(misses) - missed,
        profile_tokens=count(profile),
        asked_stale=len({one.question for one in misses if one.why != "missed"}),
        recall_tokens=dict(tokens),
        chatter_tokens=sum(sum(_tokens(ask(text), count).values()) for text in chatter),
        chatter=len(chatter),
        misses=tuple(misses),
    )


def _tokens(found: Recollection, count: Callable[[str], int]) -> dict[str, int]:
    return {block.name: count(block.render(block.items)) for block in found.blocks}
