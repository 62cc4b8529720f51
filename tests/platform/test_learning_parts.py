import pytest

from stratal.errors import ConfigError
from stratal.settings import Settings, load_settings
from stratal_memory.learning.privacy import Policy, Privacy
from stratal_memory.learning.settings import GateSettings


def loaded(environment: dict[str, str]) -> Settings:
    return load_settings({"model": "offline:"}, environment=environment)


def test_the_defaults_hide_identifiers_and_follow_the_machine() -> None:
    assert loaded({}).gate() == GateSettings(zone="", privacy=Privacy())


def test_what_is_set_reaches_the_gate() -> None:
    gate = loaded(
        {
            "STRATAL_LEARNING__ZONE": "Asia/Kolkata",
            "STRATAL_LEARNING__BUFFER_TOKENS": "64",
            "STRATAL_LEARNING__IDLE_MINUTES": "3",
            "STRATAL_PRIVACY__EMAIL": "keep",
            "STRATAL_PRIVACY__PHONE": "block",
        }
    ).gate()

    assert (gate.zone, gate.buffer_tokens, gate.buffer_idle.seconds) == ("Asia/Kolkata", 64, 180)
    assert gate.privacy == Privacy(email=Policy.KEEP, phone=Policy.BLOCK)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("STRATAL_LEARNING__ZONE", "Mars/Olympus", "no time zone is called"),
        ("STRATAL_PRIVACY__SECRET", "keep", "secrets can't be kept"),
        ("STRATAL_PRIVACY__EMAIL", "vault", "redact"),
        ("STRATAL_LEARNING__BUFFER_TOKENS", "0", "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(name: str, value: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        loaded({name: value})
