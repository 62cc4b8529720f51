"""A simulated year of talk, with nights of consolidation and without: what memory is worth then.

    PYTHONPATH=. .venv/bin/python scripts/measure_sleep.py [--seed N] [--days D] [--json]
        [--plot FILE] [--misses] [--turns]

Every message is kept, learned from and made searchable as any is; with `--turns` the agent answers
it in whole turns, with a model that gives the answers of the year. Nothing leaves the machine.
`--misses` lists every question that missed, and the memories that are no facts of the year.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np

from data.simulated_year.generator import simulated_year
from data.simulated_year.year import START, Year
from scripts.sleep_findings import Answers, Kept
from scripts.sleep_life import KeptVectors, Run, lived
from scripts.sleep_plot import Point, picture
from stratal.engines import embedder_of
from stratal.settings import load_settings
from stratal_memory.embedding.embedder import Embedder

GOALS = {"recalled": 0.95, "stale": 0.01, "junk": 0.03, "fewer tokens": 0.30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Both runs of a year."""

    year: Year
    slept: Run
    awake: Run
    slopes: tuple[float, float]  # active memories a distinct fact, and a message

    @property
    def saved(self) -> float:
        """Share of the tokens a question that consolidation saves against none."""
        return 1 - self.slept.after.tokens / max(1.0, self.awake.after.tokens)


def measured(seed: int, *, days: int, embedder: Embedder | None, whole: bool = False) -> Measured:
    """A year with nights and the same year without."""
    year = simulated_year(seed, days=days)
    kept = KeptVectors(embedder) if embedder else None
    with tempfile.TemporaryDirectory(prefix="stratal-year-") as folder:
        if kept:
            kept.learn([text for one in year.said for text in (one.text, one.answer)])
        slept = lived(year, Path(folder) / "slept", embedder=kept, sleeps=True, whole=whole)
        awake = lived(year, Path(folder) / "awake", embedder=kept, sleeps=False, whole=whole)
    return Measured(year=year, slept=slept, awake=awake, slopes=slopes(slept.points))


def slopes(points: Sequence[Point]) -> tuple[float, float]:
    """Active memories a distinct fact and a message, by least squares over the weeks."""
    if len(points) < 3:
        return 0.0, 0.0
    rows = np.array([[one.distinct, one.messages, 1.0] for one in points])
    found, *_ = np.linalg.lstsq(rows, np.array([one.active for one in points]), rcond=None)
    return float(found[0]), float(found[1])


def table(result: Measured) -> Iterator[str]:
    """The table, the goals beside."""
    slept, awake = result.slept, result.awake
    columns = (
        (slept.before, slept.kept_before),
        (slept.after, slept.kept),
        (awake.after, awake.kept),
    )
    yield f"{'':<34}{'before':>10}{'after':>10}{'no sleep':>10}   goal"
    rows: list[tuple[str, Callable[[Answers, Kept], float], str]] = [
        ("current facts recalled", lambda a, k: a.recalled, ">= 0.95"),
        ("outdated values injected", lambda a, k: a.stale_share, "<= 0.01"),
        ("  questions that got one", lambda a, k: a.asked_stale / max(1, a.questions), ""),
        ("junk among active memories", lambda a, k: k.junk_share, "<= 0.03"),
        ("tokens a question", lambda a, k: a.tokens, "-30 %"),
        ("  of the profile", lambda a, k: a.profile_tokens, ""),
        ("  of recalled facts", lambda a, k: a.recalled_tokens("memories"), ""),
        ("  of episodes and messages", lambda a, k: a.recalled_tokens("episodes"), ""),
        ("tokens a message of chatter", lambda a, k: a.chatter_tokens / max(1, a.chatter), ""),
        ("active memories", lambda a, k: k.active, ""),
        ("  of what is so", lambda a, k: k.supports.get("now", 0), ""),
        ("  of it without the value", lambda a, k: k.supports.get("partly", 0), ""),
        ("  of what is over, saying so", lambda a, k: k.supports.get("past", 0), ""),
        ("  of an end", lambda a, k: k.supports.get("ended", 0), ""),
        ("  outdated, not saying so", lambda a, k: k.supports.get("stale", 0), ""),
        ("  of other people", lambda a, k: k.supports.get("other", 0), ""),
        ("  junk", lambda a, k: k.supports.get("junk", 0), ""),
        ("  doubles among them", lambda a, k: k.doubles, ""),
        ("provisional / contested", lambda a, k: k.provisional + k.contested / 100, ""),
        ("fact memories ever", lambda a, k: k.ever, ""),
        ("current facts with a memory", lambda a, k: k.known, ""),
    ]
    for name, number, goal in rows:
        cells = (number(one, kept) for one, kept in columns if kept is not None)
        yield f"{name:<34}" + "".join(f"{cell:>10.3f}" for cell in cells) + f"   {goal}"
    yield from _told(result)


def _told(result: Measured) -> Iterator[str]:
    slept, awake, year = result.slept, result.awake, result.year
    by_fact, by_message = result.slopes
    at = START + timedelta(days=year.days)
    facts = sum(one.category == "fact" for one in year.said)
    recalled = 1 - slept.after.recalled_tokens() / max(1.0, awake.after.recalled_tokens())
    yield (
        f"tokens saved against no sleep: {result.saved:.0%}, without the profile {recalled:.0%}"
        "   goal 30 %"
    )
    yield (
        f"active memories grow by {by_fact:.3f} a distinct fact and {by_message:.4f} a message"
        f" (of the user's and the assistant's)   goal: none a message"
    )
    yield (
        f"seed {year.seed}, {year.days} days: {len(year.said)} turns, {facts} of them with a fact,"
        f" {year.distinct(at)} distinct facts, {len(year.holding(at))} so at the end"
    )
    yield (
        f"CPU: {slept.seconds:.0f} s with nights ({slept.asleep:.1f} s asleep),"
        f" {awake.seconds:.0f} s without"
    )


def misses(run: Run) -> Iterator[str]:
    """Every question that missed at the end, and the memories that are no current facts."""
    for one in run.after.misses:
        yield f"{one.why}: {one.kind}={one.value!r} {one.question!r} {one.shown}"
    if run.kept is not None:
        yield from (f"junk: {one}" for one in run.kept.junk)
        yield from (f"stale: {one}" for one in run.kept.stale)
        yield from (f"double: {one}" for one in run.kept.doubled)
        yield from (f"unlearned: {one}" for one in run.kept.unlearned)


def as_json(result: Measured) -> str:
    """Everything that was measured."""
    runs = {"slept": asdict(result.slept), "awake": asdict(result.awake)}
    shares = {
        "recalled": result.slept.after.recalled,
        "stale": result.slept.after.stale_share,
        "junk": result.slept.kept.junk_share if result.slept.kept else None,
        "fewer tokens": result.saved,
    }
    year = {"seed": result.year.seed, "days": result.year.days}
    return json.dumps({**year, "goals": GOALS, **shares, "slopes": result.slopes, **runs})


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of one year."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--turns", action="store_true", help="whole turns: slower, recalls logged")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="an SVG picture of the growth")
    chosen = parser.parse_args(arguments)
    embedder = embedder_of(load_settings(environment={}))
    result = measured(chosen.seed, days=chosen.days, embedder=embedder, whole=chosen.turns)
    if chosen.json:
        sys.stdout.write(as_json(result) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in table(result))
    if chosen.misses:
        sys.stdout.writelines(f"{line}\n" for line in misses(result.slept))
    if chosen.plot:
        chosen.plot.write_text(picture(result.slept.points, result.awake.points), encoding="utf-8")


if __name__ == "__main__":
    main()
