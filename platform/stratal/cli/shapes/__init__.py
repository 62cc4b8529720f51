"""The JSON shape of every command; `docs/cli.md` is made from them, and they are kept stable."""
