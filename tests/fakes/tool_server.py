"""An MCP server with two tools, over stdin and stdout, or over HTTP on loopback.

Run as a program: `python -m tests.fakes.tool_server [PORT]`.
"""

import sys
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
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
