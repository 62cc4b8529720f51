"""The presets: what differs from the defaults, as tables of values (REQUIREMENTS, section 3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Values = Mapping[str, Mapping[str, str | int | float | bool | list[str] | None]]

PRESETS: Mapping[str, Values] = MappingProxyType(
    {
        "default": {},
        # O2, O10, O17-O19, O21, Os1, Os5, Os18: recall before history, the oldest turns go first.
        "octopus": {
            "context": {
                "layout": "octopus",
                "counter": "octopus",
                "output_reserve": 4_096,
                "min_history": 4_000,
                "knowledge": 3_000,
                "episodes": 1_000,
            },
            "recall": {"plain_cosine": True, "minimum_similarity": 0.75, "episode_items": 3},
            "history": {"overflow": "fifo", "min_turns": 3},
            "summary": {  # PruningStrategy is FIFO; Summarize (Os3) is `summary.enabled=true`
                "enabled": False,
                "trigger_fraction": None,
                "trigger_tokens": 100_000,
                "keep_turns": 3,
                "keep_messages": 2,
                "keep_fraction": 0.7,
                "apply": "at_once",
                "model": "same",
            },
            "skills": {"threshold": 0.80, "learn": False},  # ProceduralLearning is off (Os1)
            "jobs": {"retention": "0 2 * * *", "archive_days": 90, "erase_days": 365},  # Os12
        },
        # P2-P6, P17, P24, P25, P27, Ps1, Ps5, Ps6, Ps8.
        "picoclaw": {
            "context": {
                "layout": "picoclaw",
                "counter": "picoclaw",
                "output_reserve": 8_192,
                "window_per_output": 4,
            },
            "history": {"overflow": "drop_half", "keep_last_user": True},
            "tool_results": {"limit": None, "window_share": None, "age_after": None},
            "summary": {
                "trigger_fraction": 0.75,
                "trigger_messages": 20,
                "keep_messages": 4,
                "apply": "at_once",
                "model": "same",
            },
        },
        # C1-C10, C18, C22, Cs1-Cs4.
        "octo": {
            "context": {"compress_at": 0.7},
            "history": {"overflow": "keep_fraction", "share": 0.4},
            "tool_results": {
                "limit": 20_000,
                "window_share": None,
                "age_after": 10,
                "age_over": 4_000,
                "age_every_turn": True,
                "exempt": ["snapshot", "screenshot", "dom", "base64", "refs"],
                "message_limit": 30_000,
                "spill": ".octo/workspace",
            },
            "summary": {
                "trigger_fraction": 0.7,
                "trigger_tokens": 100_000,
                "trigger_messages": 100,
                "keep_messages": 20,
                "keep_tokens": 20_000,
                "apply": "at_once",
                "model": "low",
            },
        },
        # Z5, Z9-Z11, Z13, Z15, Z20-Z23.
        "zeus": {
            "context": {"layout": "zeus"},
            "recall": {"plain_cosine": True, "top_k": 5, "memory_characters": 2_000},
            "history": {"overflow": "fifo", "max_messages": 30},
            "summary": {
                "trigger_fraction": 0.85,
                "keep_messages": 5,
                "apply": "at_once",
                "model": "same",
            },
        },
    }
)


@dataclass(frozen=True, slots=True)
class Window:
    """What a preset's document says of a model; tokens."""

    match: str  # the beginning of its name; empty: every other model
    window: int | None
    working_budget: int | None = None


WINDOWS: Mapping[str, tuple[Window, ...]] = MappingProxyType(
    {
        # O10: window and recommended working budget.
        "octopus": (
            Window("claude-sonnet-4-6", 200_000, 150_000),
            Window("claude-opus-4", 200_000, 150_000),
            Window("gpt-4o", 128_000, 100_000),
            Window("llama3:70b", 8_192, 6_000),
            Window("", None, 100_000),  # O19
        ),
        # C18: by the model's name, 32,000 for everything else.
        "octo": (
            Window("claude", 200_000),
            Window("gpt-4o", 128_000),
            Window("o1", 200_000),
            Window("o3", 200_000),
            Window("o4", 200_000),
            Window("gemini-2.5", 1_000_000),
            Window("", 32_000),
        ),
        # Z18; Z19's default for everything else is the model table's own.
        "zeus": (
            Window("gpt-4-turbo", 128_000),
            Window("gpt-4o", 128_000),
            Window("claude-3-5-sonnet", 200_000),
        ),
    }
)


def known_window(preset: str, model: str, *, listed: bool = False) -> Window | None:
    """What the preset's document says of the model, the first row that fits; None without one.

    A maker's name in front does not matter. A window for everything else is not that of a model
    which is `listed` in our table.

    >>> known_window("octo", "anthropic/claude-opus-4.5").window, known_window("zeus", "gpt-6-sol")
    (200000, None)
    """
    name = model.rpartition("/")[2]
    rows = WINDOWS.get(preset, ())
    fitting = (row for row in rows if name.startswith(row.match))
    return next((row for row in fitting if row.match or row.window is None or not listed), None)
