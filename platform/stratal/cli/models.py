"""`stratal models`: what is known of models, and fetching the embedding model."""

import typer
from rich.console import RenderableType

from stratal.cli import shapes
from stratal.cli.arguments import Name
from stratal.cli.fallback import fallback_group
from stratal.cli.opening import settings_of
from stratal.cli.options import common_of
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.providers.models import model_info, parse_model, rows
from stratal_memory.embedding.hub import pull as pull_model

app = typer.Typer(
    cls=fallback_group("show"),
    help="Known models; `pull` gets the embedding model.",
    add_completion=False,
)


@app.callback(invoke_without_command=True)
def group(ctx: typer.Context) -> None:
    """Known models: all of them, or `stratal models PROVIDER:NAME`; `pull` fetches embeddings."""
    if ctx.invoked_subcommand is None:
        _list(ctx)


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The table of known models."""
    _list(ctx)


@app.command()
def show(ctx: typer.Context, name: Name) -> None:
    """What one model takes, as `provider:model`."""
    model = parse_model(name)
    info = shapes.ModelShape.of(model_info(model.provider, model.name))
    terminal = Terminal(common_of(ctx))
    if model.hint:
        terminal.note(model.hint)
    terminal.show(shapes.ModelList(models=(info,)), _models)


@app.command()
def pull(ctx: typer.Context) -> None:
    """Fetch the embedding model from the model hub: 91 MB, checked."""
    common = common_of(ctx)
    settings, terminal = settings_of(common), Terminal(common)
    with terminal.progress("fetching", of_bytes=True) as advance:
        path = pull_model(settings.models_dir, lambda done, total: advance(done, total, ""))
    terminal.show(shapes.Pulled(path=path), lambda done: cell(f"it lies in {done.path}", "green"))
    terminal.note("stratal doctor embeds what was written without it.")


def _list(ctx: typer.Context) -> None:
    found = tuple(shapes.ModelShape.of(row) for row in rows())
    Terminal(common_of(ctx)).show(shapes.ModelList(models=found), _models)


def _models(found: shapes.ModelList) -> RenderableType:
    numbers = ("window", "input", "output")
    made = table("model", *numbers, "counts as", "as of", right=numbers)
    for one in found.models:
        made.add_row(
            cell(f"{one.provider}:{one.match}"),
            *(cell(f"{number:,}") for number in (one.window, one.max_input, one.max_output)),
            cell(one.family, "dim"),
            cell(one.as_of, "dim"),
        )
    sources = dict.fromkeys(one.source for one in found.models)
    return lines(made, *(cell(f"source: {source}", "dim") for source in sources))
