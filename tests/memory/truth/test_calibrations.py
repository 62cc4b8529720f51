"""Calibrations are kept by model and counter; the last one counts."""

from stratal_memory.truth import calibrations
from tests.memory.worlds import World


def test_the_last_values_of_a_model_and_a_counter_come_back(world: World) -> None:
    store = world.store()
    kept = [
        ("gpt", "auto", '{"factor": 1.1}'),
        ("gpt", "picoclaw", "1"),
        ("claude", "auto", "2"),
        ("gpt", "auto", '{"factor": 1.2}'),
    ]

    with store.write() as journal:
        for model, counter, values in kept:
            calibrations.store(journal.connection, model, counter, values, at=journal.at)

    with store.read() as connection:
        assert calibrations.load(connection, "gpt", "auto") == '{"factor": 1.2}'
        assert calibrations.load(connection, "gpt", "picoclaw") == "1"
        assert calibrations.load(connection, "claude", "auto") == "2"
        assert calibrations.load(connection, "claude", "picoclaw") is None
