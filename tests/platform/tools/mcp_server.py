"""A server of tools as people write them, with the library's server side."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

TEXT = "Grüße, 世界 🌍"


def server() -> MCPServer:
    made = MCPServer("words")

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    def count_words(text: Annotated[str, Field(description="What to count in.")]) -> int:
        """Count the words of a text."""
        return len(text.split())

    @made.tool()
    def greet(name: str = "you") -> str:
        """Say hello in many languages."""
        return f"{TEXT} {name}"

    @made.tool()
    def break_down() -> str:
        """Fail."""
        raise ValueError("it broke")

    return made


if __name__ == "__main__":
    server().run("stdio")
