"""Measures whole turns against servers that fail one answer in five; `make bench` may run it.

    PYTHONPATH=. .venv/bin/python scripts/bench_faults.py [--turns N] [--share S] [--api NAME]

The servers are real and lie on the loopback; nobody waits between two attempts. A table says what
became of the turns, and one which faults there were. Nothing is asserted: the tests do that.
"""

import argparse
import logging
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import stamina
from rich.console import Console
from rich.table import Table

from tests.platform.faults.wires import WIRES, Wire
from tests.platform.faults.world import Account, Fault, drive


def main() -> None:
    """Prints both tables."""
    chosen = argparse.ArgumentParser(description=__doc__)
    chosen.add_argument("--turns", type=int, default=2_000, help="of each API")
    chosen.add_argument("--share", type=float, default=0.2, help="of answers that fail, 0 to 1")
    chosen.add_argument("--seed", type=int, default=7)
    chosen.add_argument("--api", default="", help="one of them alone, as anthropic")
    given = chosen.parse_args()
    logging.disable(logging.CRITICAL)
    with stamina.set_testing(True, attempts=100, cap=True), tempfile.TemporaryDirectory() as made:
        rows = [
            (
                wire,
                measured(wire, Path(made), turns=given.turns, share=given.share, seed=given.seed),
            )
            for wire in WIRES
            if given.api in ("", name_of(wire))
        ]
    console = Console(width=140)
    console.print(outcomes(rows, share=given.share))
    console.print(faults([account for _, account in rows]))
    for _, account in rows:
        for told in account.other:
            console.print(f"other: {told}", markup=False)


def name_of(wire: Wire) -> str:
    """What stands before the colon of its models."""
    return wire.model.partition(":")[0]


def measured(wire: Wire, folder: Path, *, turns: int, share: float, seed: int) -> Account:
    """What a run over one API came to."""
    return drive(wire, folder / name_of(wire), turns=turns, share=share, seed=seed)


def outcomes(rows: Sequence[tuple[Wire, Account]], *, share: float) -> Table:
    """A row an API."""
    table = Table(title=f"{share:.0%} of all answers fail", title_justify="left", box=None)
    table.add_column("API")
    for name in (
        "turns", "answered", "retryable error", "ended so", "other", "calls", "x fault-free",
        "lost", "doubled", "double effects",
    ):  # fmt: skip
        table.add_column(name, justify="right")
    for wire, one in rows:
        table.add_row(
            name_of(wire),
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
