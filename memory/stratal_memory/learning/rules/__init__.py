"""Rules that read plain statements about the user out of a message, with no model."""

from stratal_memory.learning.rules.extraction import LANGUAGES, extract, unexamined

__all__ = ["LANGUAGES", "extract", "unexamined"]
