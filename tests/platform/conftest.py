"""Agents on a fresh data directory, without an embedding model unless a test asks for one."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.options import Options
from stratal.providers.provider import Provider
from stratal.providers.scripted import ScriptedProvider, Step
from stratal.settings import Settings, load_settings
from stratal.tools.tool import Tool
from tests.fakes.clock import FakeClock
from tests.platform.talking import MODEL, Talker, configured

OpenAgent = Callable[..., Agent]
OpenTalker = Callable[..., Agent]


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


@pytest.fixture
def open_talker(tmp_path: Path, clock: FakeClock) -> Iterator[OpenTalker]:
    """Opens agents whose model also writes summaries, on one data directory."""
    opened: list[Agent] = []

    def open_(
        talker: Talker,
        environment: dict[str, str] | None = None,
        *,
        user: str = "alice",
        model: str = MODEL,
        preset: str = "",
        tools: tuple[Tool, ...] = (),
    ) -> Agent:
        settings = configured(tmp_path / "data", environment, model=model, preset=preset)
        options = Options(user=user, tools=tools)
        opened.append(Agent.open_with(options, settings, provider=talker, clock=clock))
        return opened[-1]

    yield open_
    for agent in opened:
        agent.close()
