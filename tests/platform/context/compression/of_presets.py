"""The rules of the presets as the settings read them."""

from stratal.context.compression.keep import Keep
from stratal.context.compression.triggers import Triggers
from stratal.settings import load_settings


def triggers_of(preset: str) -> Triggers:
    return load_settings({"preset": preset}, environment={}).summary.triggers()


def keep_of(preset: str) -> Keep:
    return load_settings({"preset": preset}, environment={}).summary.keep()
