"""Measures whole turns against servers that fail one answer in five; `make bench` may run it.

    PYTHONPATH=. .venv/bin/python scripts/bench_faults.py [--turns N] [--share S] [--api NAME]
                                                          [--jobs N] [--disk]

The servers are real and lie on the loopback; nobody waits between two attempts. Each API has a
process of its own, and its data lies in memory where the system has such a folder: nothing here
is about power cuts, and a real `fsync` takes half of the time. A table says what became of the
turns and how long one took, and one which faults there were. Nothing is asserted: the tests do
that.
"""

import argparse
import logging
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import stamina
from rich.console import Console
from rich.table import Table

from tests.platform.faults.wires import WIRES, Wire
from tests.platform.faults.world import Account, Fault, drive

MEMORY = Path("/dev/shm")  # a folder that is no disk, on Linux


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What every API is measured with."""

    folder: Path
    turns: int
    share: float  # of answers that fail, 0..1
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a run over one API came to, and how long it took."""

    name: str
    account: Account
    seconds: float


def main() -> None:
    """Prints both tables."""
    chosen = argparse.ArgumentParser(description=__doc__)
    chosen.add_argument("--turns", type=int, default=2_000, help="of each API")
    chosen.add_argument("--share", type=float, default=0.2, help="of answers that fail, 0 to 1")
    chosen.add_argument("--seed", type=int, default=7)
    chosen.add_argument("--api", default="", help="one of them alone, as anthropic")
    chosen.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="APIs at once")
    chosen.add_argument("--disk", action="store_true", help="keep the data on the disk")
    given = chosen.parse_args()
    names = [name for name in map(name_of, WIRES) if given.api in ("", name)]
    folder = MEMORY if MEMORY.is_dir() and not given.disk else None
    with tempfile.TemporaryDirectory(dir=folder) as made:
        run = Run(folder=Path(made), turns=given.turns, share=given.share, seed=given.seed)
        rows = measured_all(names, run, jobs=given.jobs)
    console = Console(width=150)
    console.print(outcomes(rows, share=given.share))
    console.print(faults([row.account for row in rows]))
    for row in rows:
        for told in row.account.other:
            console.print(f"other: {row.name}: {told}", markup=False)


def measured_all(names: Sequence[str], run: Run, *, jobs: int) -> list[Measured]:
    """The measurements in the order of `names`, at most `jobs` of them at the same time."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max(1, min(jobs, len(names))), mp_context=spawned) as pool:
        return list(pool.map(partial(measured, run=run), names))


def name_of(wire: Wire) -> str:
    """What stands before the colon of its models."""
    return wire.model.partition(":")[0]


def measured(name: str, run: Run) -> Measured:
    """What a run over the API of that name came to."""
    logging.disable(logging.CRITICAL)
    wire = next(one for one in WIRES if name_of(one) == name)
    began = time.perf_counter()
    with stamina.set_testing(True, attempts=100, cap=True):
        account = drive(wire, run.folder / name, turns=run.turns, share=run.share, seed=run.seed)
    return Measured(name=name, account=account, seconds=time.perf_counter() - began)


def outcomes(rows: Sequence[Measured], *, share: float) -> Table:
    """A row an API."""
    table = Table(title=f"{share:.0%} of all answers fail", title_justify="left", box=None)
    table.add_column("API")
    for name in (
        "turns", "answered", "retryable error", "ended so", "other", "calls", "x fault-free",
        "lost", "doubled", "double effects", "seconds a turn",
    ):  # fmt: skip
        table.add_column(name, justify="right")
    for row in rows:
        one = row.account
        table.add_row(
            row.name,
            f"{one.turns:,}",
            f"{one.finished:,}",
            f"{one.retryable:,}",
            f"{one.ended_well:.2%}",
            f"{len(one.other):,}",
            f"{one.calls:,}",
            f"{one.calls / (3 * one.turns):.3f}",
            f"{one.lost:,}",
            f"{one.doubled:,}",
            f"{one.double_effects:,}",
            f"{row.seconds / max(1, one.turns):.3f}",
        )
    return table


def faults(accounts: Sequence[Account]) -> Table:
    """How often each fault was drawn."""
    drawn: Counter[Fault] = Counter()
    for one in accounts:
        drawn.update(one.faults)
    table = Table(title="faults", title_justify="left", box=None)
    table.add_column("fault")
    table.add_column("times", justify="right")
    for fault, times in drawn.most_common():
        table.add_row(fault.value, f"{times:,}")
    return table


if __name__ == "__main__":
    main()
