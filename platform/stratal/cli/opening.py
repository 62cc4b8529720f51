"""The settings and the agent that the options of an invocation ask for."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stratal.cli.options import Common
from stratal.settings import Settings, load_settings
from stratal_memory.scopes import Principal
from stratal_memory.truth.database import Database

if TYPE_CHECKING:  # an agent brings everything with it; loaded by the commands that open one
    from stratal.agent import Agent
    from stratal.options import Options
    from stratal_memory.store import Store


def overrides_of(common: Common, *, model: str | None = None) -> dict[str, str | Path | None]:
    """What the options set; None where they don't."""
    return {"data": common.data, "user": common.user, "agent": common.agent, "model": model}


def settings_of(common: Common, *, model: str | None = None) -> Settings:
    """The settings in force; an option goes before what is configured."""
    settings = load_settings(overrides_of(common, model=model), file=common.config)
    common.data = settings.data  # where a crash would be written down
    return settings


def options_of(common: Common, settings: Settings) -> "Options":
    """Who asks."""
    from stratal.options import Options

    return Options(user=settings.user, agent=settings.agent, project=common.project, org=common.org)


@contextmanager
def opened(common: Common) -> Generator["Agent"]:
    """The agent of this invocation, closed again afterwards."""
    from stratal.agent import Agent

    settings = settings_of(common)
    with Agent.open_with(options_of(common, settings), settings) as agent:
        yield agent


@contextmanager
def opened_store(common: Common, settings: Settings) -> Generator["Store"]:
    """The memory of this invocation without an agent, closed again afterwards."""
    from stratal.stores import close_store, open_store

    principal = Principal(
        user=settings.user, agent=settings.agent, project=common.project, org=common.org
    )
    store = open_store(principal, settings)
    try:
        yield store.current()
    finally:
        close_store(store)


def as_user(agent: "Agent", *, user: str, name: str) -> "Agent":
    """The agent called `name` of another user, on the same data and settings."""
    theirs = replace(agent.options, user=user, agent=name, project=None, org=None)
    return type(agent).open_with(theirs, agent.settings, circuits=agent.circuits)


def database_of(settings: Settings) -> Database:
    """The data directory, for what is done for everybody; close it, or use it in a `with`."""
    return Database.open(settings.data, purpose="stratal jobs", wait=settings.busy_wait)
