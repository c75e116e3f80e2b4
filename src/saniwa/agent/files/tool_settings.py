"""Reads the tools of an agent's file, and finds names that no tool has."""

import re
from collections.abc import Iterable

from saniwa.agent.definition import CommandSettings, ToolServerSettings, ToolSettings
from saniwa.agent.tools.commands import find_shell_script, list_placeholders, make_parameters
from saniwa.agent.tools.files import FILE_TOOLS
from saniwa.agent.tools.plugins import FUNCTION_GROUP, SERVER_PREFIX
from saniwa.agent.tools.run_tools import RUN_TOOL_NAMES
from saniwa.agent.value_kinds import NOTATION, PATH
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.reader import LocatedFields, RecordForm, add_type_error, make_form, make_named
from saniwa.process.definition import WILDCARD
from saniwa.process.schema import check_schema
from saniwa.process.tool_permissions import is_tool_named

BUILT_IN_TOOLS = (*(tool.offer.name for tool in FILE_TOOLS), *RUN_TOOL_NAMES)
"""The tools that every agent can be allowed."""
ACTION_TYPES = ("speak", "submit")
"""The types of actions that need no handler."""
MOST_TOOLS = 100
"""The most commands or servers of one agent."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}").fullmatch
_RESERVED = ("answer", *BUILT_IN_TOOLS)
COMMAND = make_form("a command", CommandSettings, notation=NOTATION)
SERVER = make_form("a server", ToolServerSettings, notation=NOTATION)
TOOLS = RecordForm(
    "'tools'",
    {"workspace": PATH, "commands": make_named(COMMAND), "servers": make_named(SERVER)},
    notation=NOTATION,
)


def read_tools(found: LocatedFields) -> ToolSettings:
    """Read the settings of an agent's tools; what is invalid is left out."""
    commands = {name: _read_command(name, inner) for name, inner in _list_named(found, "commands")}
    servers = {name: _read_server(inner) for name, inner in _list_named(found, "servers")}
    return ToolSettings(
        **found.to_arguments("workspace"),
        commands={name: each for name, each in commands.items() if each is not None},
        servers={name: each for name, each in servers.items() if each is not None},
    )


def _list_named(found: LocatedFields, key: str) -> Iterable[tuple[str, Located]]:
    held = found.get(key)
    if held is None:
        return
    if len(held.value) > MOST_TOOLS:
        add_type_error(held, f"'{key}'", f"at most {MOST_TOOLS} of them")
        return
    for name, value in held.value.items():
        inner = held.make_inner(name, value)
        if str(name).startswith("_"):
            continue
        if not _NAME(str(name)) or name in _RESERVED or "__" in name:
            inner.report("NAME_UNUSABLE/tool", key=True, name=name)
            continue
        yield name, inner


def _read_command(name: str, held: Located) -> CommandSettings | None:
    written = COMMAND.read(held, f"the command {quote_value(name)}")
    if "command" not in written:
        return None
    settings: CommandSettings = written.build_record()
    script = find_shell_script(settings.command)
    if script:
        written["command"].report("WRONG_TYPE/command", script=script)
    _check_parameters(settings, written.get("parameters") or written["command"])
    return settings


def _check_parameters(settings: CommandSettings, held: Located) -> None:
    schema = make_parameters(settings)
    problem = check_schema(schema)
    if problem:
        held.report("WRONG_TYPE/parameters", problem=problem)
        return
    known = schema.get("properties")
    for name in list_placeholders(settings.command):
        if not isinstance(known, dict) or name not in known:
            held.report("VARIABLE_UNDEFINED", name=name)


def _read_server(held: Located) -> ToolServerSettings | None:
    written = SERVER.read(held)
    if ("command" in written) == ("url" in written):
        held.report("FIELD_MISSING/server")
        return None
    settings: ToolServerSettings = written.build_record()
    return settings


def lint_tool_names(behavior: LocatedFields, actions: LocatedFields, tools: ToolSettings) -> None:
    """Warn about allowed tools that do not exist, and about handlers that are no tools."""
    known = [*BUILT_IN_TOOLS, *tools.commands, *list_function_names()]
    for item in behavior.list_texts("allowedTools"):
        if not _is_known_tool(item.value, known, tools):
            _warn_unknown_tool(item, known)
    if "handlers" in actions:
        _lint_handlers(actions["handlers"], behavior.get_texts("allowedTools"))


def _lint_handlers(held: Located, allowed: tuple[str, ...]) -> None:
    for kind, tool in held.value.items():
        is_usable = isinstance(tool, str) and is_tool_named(tool, allowed)
        if kind in ACTION_TYPES or not is_usable:
            held.make_inner(kind, tool).report("TOOL_UNKNOWN/handlers", kind=kind, tool=tool)


def _is_known_tool(name: str, known: list[str], tools: ToolSettings) -> bool:
    if name.endswith(WILDCARD):
        return True
    server = name.removeprefix(SERVER_PREFIX).partition("__")[0]
    is_served = name.startswith(SERVER_PREFIX) and server in tools.servers
    return name in known or is_served


def _warn_unknown_tool(item: Located, known: list[str]) -> None:
    item.report(
        "TOOL_UNKNOWN/unknown_tool",
        hint=item.page.suggest_nearest(item.value, known),
        value=item.value,
        names=", ".join(known[:20]),
    )


def list_function_names() -> list[str]:
    """Return the names of the installed functions that are tools."""
    # Imported late: few agents need it.
    from importlib.metadata import entry_points

    return sorted(entry_points(group=FUNCTION_GROUP).names)
