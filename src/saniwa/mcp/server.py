"""The MCP server: tools, resources and prompts in the types of the SDK.

Blocking work runs in worker threads, so that a slow disk does not delay other calls. A
call that has begun is finished even if its client has disconnected: what was accepted
is stored.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import islice
from typing import Any, Literal, TypeVar

import anyio
import anyio.to_thread
import mcp_types as wire
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from saniwa.app.run_service import RunService
from saniwa.app.tool_call_questions import ToolQuestions, may_decide
from saniwa.core.errors import ProtocolError, SaniwaError, StoreError
from saniwa.core.suggestions import suggest_nearest
from saniwa.mcp.confirmation import Confirmation, ask_person, can_ask
from saniwa.mcp.gate_tool_records import GateRunEntry, iterate_newest_runs, render_run, render_state
from saniwa.mcp.gate_tools import SCHEME, GateTools, list_addresses
from saniwa.mcp.tool import (
    Tool,
    ToolReply,
    build_input_schema,
    build_output_schema,
    list_tools,
    make_error_reply,
    make_unexpected_reply,
    parse_arguments,
    read_tool_texts,
)
from saniwa.mcp.tool_call_questions import QuestionTools
from saniwa.mcp.world_tools import WorldTools
from saniwa.process.event_record import render_rows
from saniwa.process.gate import Gate
from saniwa.process.submission import Visitor

PAGE_SIZE = 100
"""Runs on one page of the list."""
MARKDOWN = "text/markdown"
CSV = "text/csv"
TEMPLATES = {
    f"{SCHEME}{{run_id}}/summary": (MARKDOWN, "The state of a run and how it got there"),
    f"{SCHEME}{{run_id}}/log": (CSV, "A run's log: six columns, RFC 4180"),
}
"""All address templates, with the media type and a description."""

_ADDRESS = re.compile(rf"{SCHEME}(run-[0-9A-Za-z-]{{1,100}})/(summary|log)").fullmatch


class RunResources:
    """The runs of one gate, as resources."""

    def __init__(self, gate: Gate) -> None:
        """Use the runs of a gate."""
        self._gate = gate

    def list_page(self, before: str = "") -> tuple[list[wire.Resource], str]:
        """Return resources of the newest runs, and the next cursor or ""."""
        found = list(islice(iterate_newest_runs(self._gate, before), PAGE_SIZE + 1))
        listed = [each for run in found[:PAGE_SIZE] for each in _list_run_resources(run)]
        return listed, found[PAGE_SIZE - 1].run_id if len(found) > PAGE_SIZE else ""

    def read(self, address: str) -> wire.TextResourceContents:
        """Return the content at an address.

        Raises:
            StoreError: `RUN_NOT_FOUND`, also for an unknown address; the log is
                damaged.
        """
        found = _ADDRESS(address)
        if found is None:
            raise StoreError(
                "RUN_NOT_FOUND",
                f"there is nothing at {address!r}",
                hint=f"addresses look like {SCHEME}RUN_ID/summary",
            )
        run_id, kind = found[1], found[2]
        log = kind == "log"
        lines = render_rows(self._gate.read_history(run_id)) if log else self._render_lines(run_id)
        return wire.TextResourceContents(
            uri=address, mime_type=CSV if log else MARKDOWN, text="".join(lines)
        )

    def _render_lines(self, run_id: str) -> Iterator[str]:
        state = self._gate.get_state(run_id)
        yield f"# {state.process_id}: {state.current_state}\n\n"
        for line in render_state(state).split("\n"):
            yield f"- {line}\n"
        if state.artifact_paths:
            yield "\n## Evidence\n\n"
            for path in state.artifact_paths:
                yield f"- {path}\n"


def _list_run_resources(run: GateRunEntry) -> Iterator[wire.Resource]:
    for address, (media, _) in zip(list_addresses(run.run_id), TEMPLATES.values(), strict=True):
        name = f"{run.run_id} {address.rpartition('/')[2]}"
        yield wire.Resource(uri=address, name=name, description=render_run(run), mime_type=media)


ServedPart = Literal["gate", "world"]
"""What a server can be limited to."""
_POLL_SECONDS = 0.25
MOST_AT_ONCE = 16
"""Calls that may run at the same time."""

_Context = ServerRequestContext[Any, Any]
_PageParams = wire.PaginatedRequestParams | None
_Found = TypeVar("_Found")
ConfirmationSource = Callable[[object], Confirmation | None]
"""Says what a person is asked before a call with these arguments; None if nothing."""
_log = logging.getLogger(__name__)


class McpServer:
    """Tools and resources of one SDK server."""

    def __init__(
        self,
        tools: Sequence[Tool],
        resources: RunResources,
        instructions: str,
        afterwards: Callable[[], None],
        gate_tools: GateTools | None = None,
        confirmations: Sequence[ConfirmationSource] = (),
    ) -> None:
        """Create a server; it answers when a transport runs its `server`.

        `afterwards` is called after each request, before it is answered. Without
        `gate_tools`, the runs of the gate are no resources, and there are no prompts.
        `confirmations` say what a person is asked before a call.
        """
        self._afterwards = afterwards
        self._tools = {tool.name: tool for tool in tools}
        self._shown = [_to_wire_tool(tool) for tool in tools]
        self._resources = resources
        self._confirmations = confirmations
        self._prompts = RunPrompts(gate_tools) if gate_tools else None
        self._bus = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._bus)
        self._many = anyio.CapacityLimiter(MOST_AT_ONCE)
        self._one = anyio.CapacityLimiter(1)
        about_runs: dict[str, Any] = {
            "on_list_resources": self._list_resources,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read_resource,
            "on_subscriptions_listen": self._listeners,
            "on_list_prompts": self._list_prompts,
            "on_get_prompt": self._get_prompt,
        }
        self.server: Server[Any] = Server(
            "saniwa",
            version=version("saniwa"),
            title="Saniwa",
            instructions=instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            **(about_runs if gate_tools else {}),
        )
        """The SDK server that a transport runs."""

    def close_listeners(self) -> None:
        """Tell all clients that listen for changes that there will be no more."""
        self._listeners.close()

    async def _list_tools(self, _: _Context, __: _PageParams) -> wire.ListToolsResult:
        return wire.ListToolsResult(tools=self._shown)

    async def _call_tool(
        self, context: _Context, asked: wire.CallToolRequestParams
    ) -> wire.CallToolResult | wire.InputRequiredResult:
        tool = self._tools.get(asked.name)
        if tool is None:
            hint = (
                suggest_nearest(asked.name, self._tools) or f"there are: {', '.join(self._tools)}"
            )
            message = f"there is no tool {asked.name!r}; {hint}"
            raise MCPError(wire.INVALID_PARAMS, message, {"tool": asked.name})
        reply = await self._run_tool(tool, context, asked)
        if isinstance(reply, wire.InputRequiredResult):
            return reply
        for address in reply.changed:
            await self._bus.publish(ResourceUpdated(address))
        if reply.added:
            await self._bus.publish(ResourcesListChanged())
        return wire.CallToolResult(
            content=[wire.TextContent(text=reply.text)],
            structured_content=msgspec.to_builtins(reply.shape),
            is_error=reply.failed,
        )

    async def _run_tool(
        self, tool: Tool, context: _Context, asked: wire.CallToolRequestParams
    ) -> ToolReply | wire.InputRequiredResult:
        limiter = self._one if tool.alone else self._many
        try:
            parsed: Any = parse_arguments(tool.takes, asked.arguments or {})
            if can_ask(context):
                find = partial(_find_confirmation, self._confirmations, parsed)
                found = await anyio.to_thread.run_sync(find, limiter=limiter)
                parsed = await ask_person(context, asked, found) if found else parsed
            if isinstance(parsed, wire.InputRequiredResult):
                return parsed
            return await _call_until_done(tool, parsed, limiter)
        except SaniwaError as problem:
            return make_error_reply(problem)
        except Exception:  # noqa: BLE001 - the boundary: a client learns nothing of our internals
            _log.exception("the tool %r met a mistake in Saniwa", tool.name)
            return make_unexpected_reply()
        finally:
            self._afterwards()

    async def _list_prompts(self, _: _Context, __: _PageParams) -> wire.ListPromptsResult:
        return wire.ListPromptsResult(prompts=self._prompts.list_prompts() if self._prompts else [])

    async def _get_prompt(
        self, _: _Context, asked: wire.GetPromptRequestParams
    ) -> wire.GetPromptResult:
        assert self._prompts is not None, "registered only with prompts"
        render = partial(self._prompts.render, asked.name, asked.arguments or {})
        return await self._run_in_thread(render)

    async def _list_resources(self, _: _Context, asked: _PageParams) -> wire.ListResourcesResult:
        before = (asked.cursor if asked else None) or ""
        listed, following = await self._run_in_thread(lambda: self._resources.list_page(before))
        return wire.ListResourcesResult(resources=listed, next_cursor=following or None)

    async def _list_templates(
        self, _: _Context, __: _PageParams
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

    async def _read_resource(
        self, _: _Context, asked: wire.ReadResourceRequestParams
    ) -> wire.ReadResourceResult:
        address = str(asked.uri)
        read = await self._run_in_thread(lambda: self._resources.read(address))
        return wire.ReadResourceResult(contents=[read])

    async def _run_in_thread(self, find: Callable[[], _Found]) -> _Found:
        """Run `find` in a worker thread; errors become errors of the protocol."""
        try:
            return await anyio.to_thread.run_sync(find, limiter=self._many)
        except SaniwaError as problem:
            absent = problem.code in ("RUN_NOT_FOUND", "INVALID_PAYLOAD")
            code = wire.INVALID_PARAMS if absent else wire.INTERNAL_ERROR
            message = f"{problem.code}: {problem.message}"
            raise MCPError(code, message, {"hint": problem.hint}) from problem
        except Exception as problem:  # the boundary, as above
            _log.exception("a resource met a mistake in Saniwa")
            raise MCPError(wire.INTERNAL_ERROR, "INTERNAL_ERROR") from problem
        finally:
            self._afterwards()


def _find_confirmation(
    sources: Sequence[ConfirmationSource], arguments: object
) -> Confirmation | None:
    return next(filter(None, (find(arguments) for find in sources)), None)


async def _call_until_done(tool: Tool, parsed: Any, limiter: anyio.CapacityLimiter) -> ToolReply:
    """Call a tool; one that waits for something again and again, until its time is over."""
    end = anyio.current_time() + getattr(parsed, "seconds", 0)
    while True:
        reply = await anyio.to_thread.run_sync(tool.call, parsed, limiter=limiter)
        if reply.again is None or anyio.current_time() >= end:
            return reply
        parsed = reply.again
        # Not in a thread: many may wait at the same time.
        await anyio.sleep(min(_POLL_SECONDS, max(end - anyio.current_time(), 0)))


def _to_wire_tool(tool: Tool) -> wire.Tool:
    return wire.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=build_input_schema(tool),
        output_schema=build_output_schema(tool.gives),
        annotations=wire.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=False,
            idempotent_hint=tool.reads or tool.repeats,
            open_world_hint=False,
        ),
    )


def build_server(
    gate: Gate,
    parts: RunService,
    named: Callable[[], str],
    afterwards: Callable[[], None] | None = None,
    only: ServedPart | None = None,
    *,
    one_client: bool = False,
) -> McpServer:
    """Build the server for a gate and a run store, or for one of the two.

    `named` returns the default run; `afterwards` is called after each request, before
    it is answered. With `one_client`, a run that the client created is the default.
    """
    gate_tools = GateTools(gate, named, remembers=one_client)
    questions = QuestionTools(ToolQuestions(parts.place), gate.visitor)
    of_gate = (gate_tools, questions) if may_decide(gate.visitor) else (gate_tools,)
    owners: dict[str, tuple[object, ...]] = {"gate": of_gate, "world": (WorldTools(parts),)}
    shown = [only] if only else list(owners)
    tools = [tool for part in shown for owner in owners[part] for tool in list_tools(owner)]
    instructions = render_instructions(gate.visitor, only)
    return McpServer(
        tools,
        RunResources(gate),
        instructions,
        afterwards or (lambda: None),
        gate_tools if "gate" in shown else None,
        (gate_tools.find_confirmation, questions.find_confirmation),
    )


def render_instructions(visitor: Visitor, only: ServedPart | None = None) -> str:
    """Return the instructions that a model gets first, about what is served."""
    texts = read_tool_texts()["instructions"]
    person = texts["person" if visitor.person else "agent"]
    parts = {
        "gate": texts["gate"].format(role=visitor.role, person=person),
        "world": texts["world"],
    }
    return parts[only] if only else "\n\n".join(parts.values())


class RunPrompts:
    """The prompts of one gate; `tools.toml` has their words."""

    def __init__(self, tools: GateTools) -> None:
        """Use the runs that the gate's tools find."""
        self._tools = tools
        self._texts = read_tool_texts()["prompts"]

    def list_prompts(self) -> list[wire.Prompt]:
        """Return all prompts; each may name a run."""
        about = read_tool_texts()["arguments"]["run_id"]
        named = wire.PromptArgument(name="run_id", description=about, required=False)
        return [
            wire.Prompt(
                name=name, title=text["title"], description=text["description"], arguments=[named]
            )
            for name, text in self._texts.items()
        ]

    def render(self, name: str, arguments: dict[str, str]) -> wire.GetPromptResult:
        """Return a prompt with the present state of its run.

        Raises:
            ProtocolError: `INVALID_PAYLOAD`: there is no such prompt or argument.
            StoreError: `RUN_NOT_FOUND`; the log is damaged.
        """
        text = self._texts.get(name)
        if text is None or set(arguments) - {"run_id"}:
            hint = suggest_nearest(name, self._texts) or f"there are: {', '.join(self._texts)}"
            message = f"there is no prompt {name!r} with such arguments"
            raise ProtocolError("INVALID_PAYLOAD", message, hint=f"{hint}; each takes run_id")
        state = self._tools.describe_run(arguments.get("run_id", ""))
        content = wire.TextContent(text=text["text"].format(state=state))
        return wire.GetPromptResult(
            description=text["description"],
            messages=[wire.PromptMessage(role="user", content=content)],
        )
