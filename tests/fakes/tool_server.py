"""An MCP server with two tools, over stdin and stdout.

Run as a program: `python -m tests.fakes.tool_server`.
"""

from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("counter")


@server.tool()
def count(word: str) -> str:
    """Add a line, and say how many there are."""
    path = Path("counted.txt")
    with path.open("a") as file:
        file.write(word + "\n")
    return f"{len(path.read_text().splitlines())} lines"


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("it cannot")


if __name__ == "__main__":
    server.run("stdio")
