"""The command line: one command group a file, loaded when it is used, and no logic of its own."""

from stratal.cli.entry import main

__all__ = ["main"]
