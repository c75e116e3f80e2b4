"""The server: tools and resources in the SDK's words.

What blocks runs in worker threads, so that a slow disk does not keep others waiting. A
call that was begun is finished even if its client has gone: what was accepted stands.
"""

import logging
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as wire
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from saniwa.core.errors import SaniwaError
from saniwa.core.near import did_you_mean
from saniwa.mcp.failure import arguments_of, stopped, surprised
from saniwa.mcp.resource import TEMPLATES, Resources
from saniwa.mcp.schema import given, taken
from saniwa.mcp.tool import Reply, Tool

MOST_AT_ONCE = 16
"""Calls that may be at work at the same time."""

_Seen = ServerRequestContext[Any, Any]
_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


class Door:
    """Tools and resources behind one SDK server."""

    def __init__(
        self,
        tools: Sequence[Tool],
        resources: Resources,
        instructions: str,
        afterwards: Callable[[], None],
    ) -> None:
        """A door with these; it speaks when a transport runs its `server`.

        `afterwards` is called when something was asked, before it is answered.
        """
        self._afterwards = afterwards
        self._tools = {tool.name: tool for tool in tools}
        self._shown = [_shown(tool) for tool in tools]
        self._resources = resources
        self._bus = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._bus)
        self._many = anyio.CapacityLimiter(MOST_AT_ONCE)
        self._one = anyio.CapacityLimiter(1)
        self.server: Server[Any] = Server(
            "saniwa",
            version=version("saniwa"),
            title="Saniwa",
            instructions=instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read,
            on_subscriptions_listen=self._listeners,
        )
        """What a transport runs."""

    def leave(self) -> None:
        """Tell everybody who listens for changes that there will be no more."""
        self._listeners.close()

    async def _list_tools(
        self, _seen: _Seen, _asked: wire.PaginatedRequestParams | None
    ) -> wire.ListToolsResult:
        return wire.ListToolsResult(tools=self._shown)

    async def _call_tool(
        self, _seen: _Seen, asked: wire.CallToolRequestParams
    ) -> wire.CallToolResult:
        tool = self._tools.get(asked.name)
        if tool is None:
            raise _unknown_tool(asked.name, list(self._tools))
        reply = await self._reply(tool, asked.arguments or {})
        await self._tell(reply)
        return wire.CallToolResult(
            content=[wire.TextContent(text=reply.text)],
            structured_content=msgspec.to_builtins(reply.shape),
            is_error=reply.failed,
        )

    async def _reply(self, tool: Tool, arguments: dict[str, Any]) -> Reply:
        limiter = self._one if tool.alone else self._many
        try:
            asked = arguments_of(tool.takes, arguments)
            return await anyio.to_thread.run_sync(tool.call, asked, limiter=limiter)
        except SaniwaError as problem:
            return stopped(problem)
        except Exception:  # noqa: BLE001 - the door: a client learns nothing of our insides
            _log.exception("the tool %r met a mistake in Saniwa", tool.name)
            return surprised()
        finally:
            self._afterwards()

    async def _tell(self, reply: Reply) -> None:
        for address in reply.changed:
            await self._bus.publish(ResourceUpdated(address))
        if reply.added:
            await self._bus.publish(ResourcesListChanged())

    async def _list_resources(
        self, _seen: _Seen, asked: wire.PaginatedRequestParams | None
    ) -> wire.ListResourcesResult:
        before = (asked.cursor if asked else None) or ""
        listed, following = await self._find(lambda: self._resources.page(before))
        return wire.ListResourcesResult(
            resources=[
                wire.Resource(
                    uri=each.address,
                    name=each.name,
                    description=each.about,
                    mime_type=each.type,
                )
                for each in listed
            ],
            next_cursor=following or None,
        )

    async def _list_templates(
        self, _seen: _Seen, _asked: wire.PaginatedRequestParams | None
    ) -> wire.ListResourceTemplatesResult:
        templates = [
            wire.ResourceTemplate(
                uri_template=address,
                name=address.rpartition("/")[2],
                description=about,
                mime_type=kind,
            )
            for address, (kind, about) in TEMPLATES.items()
        ]
        return wire.ListResourceTemplatesResult(resource_templates=templates)

    async def _read(
        self, _seen: _Seen, asked: wire.ReadResourceRequestParams
    ) -> wire.ReadResourceResult:
        address = str(asked.uri)
        read = await self._find(lambda: self._resources.read(address))
        contents = wire.TextResourceContents(
            uri=address, mime_type=read.type, text=read.text
        )
        return wire.ReadResourceResult(contents=[contents])

    async def _find(self, find: Callable[[], _Found]) -> _Found:
        """What is found in a worker thread; errors in the protocol's words."""
        try:
            return await anyio.to_thread.run_sync(find, limiter=self._many)
        except SaniwaError as problem:
            absent = problem.code == "RUN_NOT_FOUND"
            code = wire.INVALID_PARAMS if absent else wire.INTERNAL_ERROR
            told = f"{problem.code}: {problem.message}"
            raise MCPError(code, told, {"hint": problem.hint}) from problem
        except Exception as problem:  # the door, as above
            _log.exception("a resource met a mistake in Saniwa")
            raise MCPError(wire.INTERNAL_ERROR, "INTERNAL_ERROR") from problem
        finally:
            self._afterwards()


def _shown(tool: Tool) -> wire.Tool:
    return wire.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description.strip(),
        input_schema=taken(tool.takes),
        output_schema=given(tool.gives),
        annotations=wire.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=False,
            idempotent_hint=tool.reads or tool.repeats,
            open_world_hint=False,
        ),
    )


def _unknown_tool(name: str, names: list[str]) -> MCPError:
    hint = did_you_mean(name, names) or f"there are: {', '.join(names)}"
    return MCPError(
        wire.INVALID_PARAMS, f"there is no tool {name!r}; {hint}", {"tool": name}
    )
