"""Tools from outside: those of MCP servers, and installed Python functions.

What they do is up to them, so every call may change anything, and an interrupted one may
have run.
"""

import asyncio
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from saniwa.agent import describe
from saniwa.agent.definition import ToolServerSettings
from saniwa.agent.tools.tool import CallOutcome, ToolCallError, ToolEffect
from saniwa.core.errors import ConfigurationError, DependencyResolutionError
from saniwa.core.extras import require_packages
from saniwa.core.redaction import redact_address
from saniwa.core.text import truncate
from saniwa.models.oracle import ToolOffer, ToolOutput
from saniwa.process.definition import WILDCARD
from saniwa.process.tool_permissions import is_tool_named

if TYPE_CHECKING:
    from mcp import Client

FUNCTION_GROUP: Final = "saniwa.tools"
"""The entry points that are tools."""
SERVER_PREFIX: Final = "mcp__"
"""How the names of a server's tools begin."""
MOST_SERVER_TOOLS: Final = 200
"""The most tools of one server."""
_MOST_PAGES: Final = 20
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}").fullmatch
_LONGEST_PROBLEM: Final = 500
_OPEN_SCHEMA: Final = {"type": "object"}


class PluginTool:
    """A tool whose work is done by a function that takes the arguments."""

    effect: ToolEffect = "execute"

    def __init__(self, offer: ToolOffer, work: Callable[[dict[str, Any]], Any]) -> None:
        self.offer = offer
        self._work = work

    def prepare(self, arguments: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - nothing is known before
        """Return an empty note."""
        return {}

    def find_outcome(self, arguments: Mapping[str, Any], note: Mapping[str, Any]) -> CallOutcome:  # noqa: ARG002 - nothing shows it
        """Say that it is unknown."""
        return "unknown"

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Do the work; everything it raises is a failed call.

        Raises:
            ToolCallError: It did not succeed.
        """
        try:
            result = self._work(dict(arguments))
            if inspect.isawaitable(result):
                result = await result
            if isinstance(result, ToolOutput):
                return result
            text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
        except Exception as problem:  # the code of others; its errors share no family
            raise ToolCallError(_describe_problem(problem)) from problem
        return ToolOutput(text=text, result_from=0)


def load_functions(allowed: tuple[str, ...]) -> Iterator[PluginTool]:
    """Load the installed functions that are allowed.

    A function takes the arguments as a mapping, and may be asynchronous. Its docstring
    is the description, its attribute `parameters` the JSON Schema of the arguments.

    Raises:
        DependencyResolutionError: `TOOL_UNKNOWN`: one cannot be loaded.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=FUNCTION_GROUP):
        if not is_tool_named(point.name, allowed):
            continue
        try:
            function = point.load()
        except Exception as problem:  # importing runs the code of others
            raise describe(
                "TOOL_UNKNOWN/functions", name=point.name, problem=_describe_problem(problem)
            ).to_error(DependencyResolutionError) from problem
        offer = ToolOffer(
            name=point.name,
            description=inspect.getdoc(function) or "",
            parameters=getattr(function, "parameters", _OPEN_SCHEMA),
        )
        yield PluginTool(offer, function)


def is_server_named(server: str, tool: str) -> bool:
    """Whether a name of `allowedTools` may be one of a server's tools."""
    prefix, own = tool.removesuffix(WILDCARD), f"{SERVER_PREFIX}{server}__"
    return prefix.startswith(own) or (tool != prefix and own.startswith(prefix))


class ServerTools:
    """The tools of one MCP server, which runs as long as they are open."""

    def __init__(self, name: str, settings: ToolServerSettings, folder: Path) -> None:
        """Name the server; it is not started before `open`.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
        """
        what = "an MCP server's tools need"
        require_packages("mcp", extra="mcp", what=what, kind=ConfigurationError)
        self._name = name
        self._settings = settings
        self._folder = folder
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> tuple[PluginTool, ...]:
        """Start the server, or connect to it, and return its tools.

        Raises:
            DependencyResolutionError: `TOOL_SERVER_FAILED`.
        """
        ready: asyncio.Future[tuple[PluginTool, ...]] = asyncio.get_running_loop().create_future()
        # The connection must be closed by the task that has opened it.
        self._task = asyncio.create_task(self._serve(ready))
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                return await ready
        except Exception as problem:  # noqa: BLE001 - raised again as one error
            await self.close()
            place = self._settings.command[:1] or (redact_address(self._settings.url),)
            raise describe(
                "TOOL_SERVER_FAILED",
                name=self._name,
                place=place[0],
                problem=_describe_problem(problem),
            ).to_error(DependencyResolutionError) from None

    async def close(self) -> None:
        """Stop the server. May be called more than once."""
        self._stop.set()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait([task], timeout=self._settings.timeout_seconds)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _serve(self, ready: "asyncio.Future[tuple[PluginTool, ...]]") -> None:
        try:
            async with self._make_client() as client:
                ready.set_result(await self._list_tools(client))
                await self._stop.wait()
        except Exception as problem:  # noqa: BLE001 - reported by `open`; a later end shows in the calls
            if not ready.done():
                ready.set_exception(problem)

    def _make_client(self) -> "Client":
        from mcp import Client, StdioServerParameters

        settings = self._settings
        if settings.url:
            return Client(settings.url, read_timeout_seconds=settings.timeout_seconds)
        given = {name: os.environ[name] for name in settings.environment if name in os.environ}
        self._folder.mkdir(parents=True, exist_ok=True)
        program, *words = settings.command
        server = StdioServerParameters(command=program, args=words, env=given, cwd=self._folder)
        return Client(server, read_timeout_seconds=settings.timeout_seconds)

    async def _list_tools(self, client: "Client") -> tuple[PluginTool, ...]:
        tools, cursor = list[PluginTool](), None
        for _ in range(_MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            for each in page.tools:
                name = f"{SERVER_PREFIX}{self._name}__{each.name}"
                # Providers accept no other names.
                if _NAME(name) and len(tools) < MOST_SERVER_TOOLS:
                    offer = ToolOffer(
                        name=name, description=each.description or "", parameters=each.input_schema
                    )
                    tools.append(PluginTool(offer, self._make_work(client, each.name)))
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple(tools)

    def _make_work(self, client: "Client", tool: str) -> Callable[[dict[str, Any]], Any]:
        async def work(arguments: dict[str, Any]) -> ToolOutput:
            result = await client.call_tool(tool, arguments)
            texts = [getattr(part, "text", f"[{part.type}]") for part in result.content]
            if not texts and result.structured_content is not None:
                texts = [msgspec.json.encode(result.structured_content).decode()]
            failed = bool(result.is_error)
            return ToolOutput(text="\n".join(texts), failed=failed, result_from=0)

        return work


def _describe_problem(problem: BaseException) -> str:
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return truncate(f"{type(problem).__name__}: {problem}", _LONGEST_PROBLEM)
