"""Rules that read plain statements about the user out of a message, with no model."""
