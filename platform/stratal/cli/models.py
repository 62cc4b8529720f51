"""`stratal models`: what is known of models, and fetching the embedding model."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from stratal.cli.arguments import Name, text
from stratal.cli.fallback import fallback_group
from stratal.cli.models_view import all_models, one_model
from stratal.cli.opening import settings_of
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.house import Pulled
from stratal.cli.shapes.models import ModelFound, ModelList, ModelShape
from stratal.cli.terminal import Terminal, cell
from stratal.errors import UnknownModel
from stratal.providers.anthropic import ADDRESS
from stratal.providers.model_endpoint import Endpoint, refreshed
from stratal.providers.models import (
    Match,
    ModelString,
    Tier,
    Way,
    find_model,
    near,
    parse_model,
    rows,
)
from stratal.providers.ollama import ADDRESS as OLLAMA_ADDRESS
from stratal.providers.ollama import ollama_address
from stratal_memory.embedding.hub import pull as pull_model

app = typer.Typer(
    cls=fallback_group("show"),
    help="Known models; `pull` gets the embedding model.",
    add_completion=False,
)
Of = Annotated[
    str | None, typer.Option("--provider", metavar="NAME", parser=text, help="Only this one's.")
]
InTier = Annotated[Tier | None, typer.Option("--tier", help="Only this tier.")]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Ask the provider itself, over the network.")
]


@app.callback(invoke_without_command=True)
def group(ctx: typer.Context, provider: Of = None, tier: InTier = None) -> None:
    """Known models: all of them, or `stratal models PROVIDER:NAME`; `pull` fetches embeddings."""
    if ctx.invoked_subcommand is None:
        _list(ctx, provider, tier)


@app.command(name="list")
def list_(ctx: typer.Context, provider: Of = None, tier: InTier = None) -> None:
    """The table of known models; window, input and output in tokens."""
    _list(ctx, provider, tier)


@app.command()
def show(ctx: typer.Context, name: Name, refresh: Refresh = False) -> None:
    """What one model takes, as `provider:model`, which row says so, and why."""
    common = common_of(ctx)
    terminal = Terminal(common)
    model = _model_of(name)
    if model.hint:
        terminal.note(model.hint)
    found = _found(model, common)
    if refresh:
        found = _refreshed(found, model, common)
    terminal.show(_shape(found, model), one_model)


@app.command()
def pull(ctx: typer.Context) -> None:
    """Fetch the embedding model from the model hub: 91 MB, checked."""
    common = common_of(ctx)
    settings, terminal = settings_of(common), Terminal(common)
    with terminal.progress("fetching", of_bytes=True) as advance:
        path = pull_model(settings.models_dir, lambda done, total: advance(done, total, ""))
    terminal.show(Pulled(path=path), lambda done: cell(f"it lies in {done.path}", "green"))
    terminal.note("stratal doctor embeds what was written without it.")


def _list(ctx: typer.Context, provider: str | None, tier: Tier | None) -> None:
    providers = sorted({row.provider for row in rows()})
    if provider is not None and provider not in providers:
        raise UnknownModel(
            f"the table has no models of {provider[:40]!r}", hint=f"It has {', '.join(providers)}."
        )
    wanted = tuple(
        ModelShape.of(row)
        for row in rows()
        if provider in (None, row.provider) and tier in (None, row.tier)
    )
    terminal = Terminal(common_of(ctx))
    width = terminal.console.width
    terminal.show(ModelList(models=wanted), lambda found: all_models(found, width=width))


def _model_of(name: str) -> ModelString:
    """As `parse_model`, and further what the table knows: its other providers, and bare names."""
    provider, colon, rest = name.strip().partition(":")
    if colon and rest.strip() and any(row.provider == provider.lower() for row in rows()):
        return ModelString(provider=provider.lower(), name=rest.strip())
    try:
        return parse_model(name)
    except UnknownModel as error:
        close = near("", name)
        for whole in close:
            if whole.partition(":")[2].casefold() == name.strip().casefold():
                found = _model_of(whole)
                return replace(found, hint=f"{name} was taken for {found}")
        hint = f"Did you mean {' or '.join(close)}? {error.hint}" if close else error.hint
        raise UnknownModel(str(error), hint=hint) from None


def _found(model: ModelString, common: Common) -> Match:
    if model.provider != "azure":
        return find_model(model.provider, model.name)
    deployments = settings_of(common).keys().azure_deployments
    return find_model(model.provider, model.name, deployments=deployments)


def _refreshed(found: Match, model: ModelString, common: Common) -> Match:
    endpoint = _endpoint(model, common)
    today = datetime.now(UTC).date().isoformat()
    info = refreshed(found.info, model, endpoint=endpoint, today=today)
    why = f"{endpoint.address} was asked; else {found.why}"
    return Match(info=info, way=Way.ENDPOINT, why=why)


def _endpoint(model: ModelString, common: Common) -> Endpoint:
    keys = settings_of(common).keys()
    if model.provider == "ollama":
        served = ollama_address(keys.ollama_url) if keys.ollama_url else OLLAMA_ADDRESS
        return Endpoint(address=served.removesuffix("/v1"))
    address = (keys.anthropic_url or ADDRESS).rstrip("/")
    return Endpoint(address=address, key=keys.anthropic)


def _shape(found: Match, model: ModelString) -> ModelFound:
    close = () if found.info.known else near(model.provider, model.name)
    return ModelFound(
        model=str(model),
        models=(ModelShape.of(found.info),),
        way=found.way,
        why=found.why,
        near=close,
    )
