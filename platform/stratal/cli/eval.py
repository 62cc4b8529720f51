"""`stratal eval`: how good memory is, measured."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.opening import settings_of
from stratal.cli.options import common_of
from stratal.cli.shapes.measuring import RetrievalScores
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.engines import embedder_of
from stratal_memory.evaluation.dataset import load
from stratal_memory.evaluation.measures import DEPTH
from stratal_memory.evaluation.retrieval import Scores, evaluate

app = typer.Typer(help="Measure how good memory is.", add_completion=False)

SHOWN = ("R@5", "R@10", "R@20", "C@10", "nDCG@10", "MRR", "R@1000t", "sR@5")


@app.callback()
def group() -> None:
    """Measure how good memory is."""


@app.command()
def retrieval(
    ctx: typer.Context,
    turns: Annotated[
        Path, typer.Argument(metavar="TURNS", help="conv_id, session_id, turn_id, speaker, text.")
    ],
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS", help="qid, conv_id, question, evidence.")
    ],
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="Turns of a ranking that are looked at.")
    ] = DEPTH,
) -> None:
    """Tell conversations to memory, ask about them, and measure what is found.

    Both files hold one JSON object a line. Each conversation goes into a data directory of its
    own, which is removed afterwards; your data is not touched. The ranker's order counts: before
    the relevance gate, diversity and caps.
    """
    common = common_of(ctx)
    terminal = Terminal(common)
    embedder = embedder_of(settings_of(common))
    with terminal.progress("measuring") as advance:
        scores = evaluate(load(turns, questions), embedder, limit=limit, on_progress=advance)
    terminal.show(shape_of(scores), scores_view)
    if embedder is None:
        terminal.note("without an embedding model: words alone were searched")


def shape_of(scores: Scores) -> RetrievalScores:
    """The scores as their shape, with a row for each question whose evidence was told."""
    return RetrievalScores(
        n=scores.n,
        overall=scores.overall,
        index_s=scores.index_s,
        ms_per_query=scores.ms_per_query,
        per_category=scores.per_category,
        ci95=scores.ci95,
        per_question=tuple(
            {
                "qid": one.question.qid,
                "category": one.question.category,
                "answerable": one.question.answerable,
                **one.measured,
            }
            for one in scores.answers
            if one.measured
        ),
        auroc=scores.auroc,
        unanswerable_injecting_nothing=scores.unanswerable_injecting_nothing,
        knowledge_update=scores.knowledge_update,
        knowledge_updates=scores.knowledge_updates,
    )


def scores_view(scores: RetrievalScores) -> RenderableType:
    """A row a category and one for all answerable questions, then the single numbers."""
    made = table("category", "n", *SHOWN, right=("n", *SHOWN))
    for name, row in scores.per_category.items():
        made.add_row(cell(name), cell(f"{row['n']:.0f}"), *_numbers(row))
    if scores.overall:
        made.add_row(cell("all answerable", "bold"), cell(scores.n), *_numbers(scores.overall))
    return lines(made, cell(""), *(cell(line) for line in _told(scores)))


def _numbers(row: dict[str, float]) -> list[RenderableType]:
    return [cell(f"{row[name]:.3f}") for name in SHOWN]


def _told(scores: RetrievalScores) -> list[str]:
    told = [
        f"{name}: 95 % between {low:.3f} and {high:.3f}"
        for name, (low, high) in scores.ci95.items()
    ]
    if scores.auroc is not None:
        told.append(f"abstention: AUROC {scores.auroc:.3f}")
    if scores.unanswerable_injecting_nothing is not None:
        share = scores.unanswerable_injecting_nothing
        told.append(f"unanswerable questions that inject nothing: {share:.0%}")
    if scores.knowledge_update is not None:
        told.append(
            f"latest above superseded: {scores.knowledge_update:.0%}"
            f" of {scores.knowledge_updates} questions"
        )
    told.append(f"told in {scores.index_s:.1f} s, {scores.ms_per_query:.1f} ms a question")
    return told
