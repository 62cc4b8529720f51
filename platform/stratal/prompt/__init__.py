"""The system prompt: layered Markdown, in a fixed order."""
