"""Agents on a fresh data directory, without an embedding model unless a test asks for one."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from stratal.agent import Agent, Options
from stratal.providers.provider import Provider
from stratal.providers.scripted import ScriptedProvider, Step
from stratal.settings import Settings, load_settings
from tests.fakes.clock import FakeClock

OpenAgent = Callable[..., Agent]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(
        {"data": tmp_path / "data", "model": "offline:"},
        environment={"STRATAL_EMBEDDING__MODEL": "hash:384"},
    )


@pytest.fixture
def open_agent(settings: Settings, clock: FakeClock) -> Iterator[OpenAgent]:
    """Opens agents and closes them when the test ends."""
    opened: list[Agent] = []

    def open_(
        user: str = "alice",
        script: Sequence[Step] | None = None,
        *,
        options: Options | None = None,
        with_settings: Settings | None = None,
    ) -> Agent:
        provider: Provider | None = None if script is None else ScriptedProvider(script)
        agent = Agent.open_with(
            options or Options(user=user), with_settings or settings, provider=provider, clock=clock
        )
        opened.append(agent)
        return agent

    yield open_
    for agent in opened:
        agent.close()
