"""Reads an agent's own file: everything except its flow.

`read_completion` reads when the agent is done, `read_tools` what it may use, `AgentFile`
the rest. Mistakes become findings; nothing is raised.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from saniwa.agent.completion_conditions import ENTRY_POINT_GROUP
from saniwa.agent.definition import (
    ActionSettings,
    AgentLimits,
    CommandSettings,
    CompletionDefinition,
    CompositeCompletion,
    CustomCompletion,
    LoggingSettings,
    ModelSettings,
    StepMachine,
    ToolServerSettings,
    ToolSettings,
)
from saniwa.agent.field_kinds import AGENT_NAME, NOTATION, PATH, PRESENT_TEXTS, VERSION
from saniwa.agent.files.parameters import PARAMETER, read_parameters
from saniwa.agent.prompt_resolver import PORT_FACTS, is_known_fact
from saniwa.agent.tools.commands import find_shell_script, list_placeholders, make_parameters
from saniwa.agent.tools.external_tools import FUNCTION_GROUP, SERVER_PREFIX
from saniwa.agent.tools.files import FILE_TOOLS
from saniwa.agent.tools.tool import RUN_TOOL_NAMES, WORLD_TOOL_NAMES
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import (
    ANYTHING,
    FLAG,
    MAPPING,
    TEXT,
    UNUSED,
    LocatedFields,
    RecordForm,
    ValueKind,
    add_type_error,
    make_choice,
    make_form,
    make_listed,
    make_named,
    make_record,
)
from saniwa.process.definition import WILDCARD
from saniwa.process.schema_checker import check_schema
from saniwa.process.tool_permissions import is_tool_named

BUILT_IN_TOOLS = (*(tool.offer.name for tool in FILE_TOOLS), *RUN_TOOL_NAMES, *WORLD_TOOL_NAMES)
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
    known = [*BUILT_IN_TOOLS, *tools.commands, *list_installed(FUNCTION_GROUP)]
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


def list_installed(group: str) -> list[str]:
    """Return the names of the installed plugins of a group, sorted."""
    # Imported late: few agents need it.
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group).names)


DEEPEST_COMPLETION = 8
"""How deep composites may be nested."""
MOST_CONDITIONS = 100
"""The most conditions of one composite."""
_MODE = make_choice("any", "all")
OPERATORS: Mapping[Literal["or", "first", "and"], Literal["any", "all"]] = {
    "or": "any",
    "first": "any",
    "and": "all",
}
"""Old words for the mode of a composite."""
_OPERATOR = make_choice(*OPERATORS)
# Both are checked in `_read_composite`.
_MORE: Mapping[type, Mapping[str, ValueKind]] = {
    CustomCompletion: {"handlerPath": ANYTHING},
    CompositeCompletion: {
        "mode": replace(_MODE, choices=()),
        "operator": replace(_OPERATOR, choices=()),
        "conditions": make_listed({"type": "object"}),
    },
}
COMPLETIONS: Mapping[str, RecordForm] = {
    str(record.__struct_config__.tag): make_form(
        f"a completion of type {record.__struct_config__.tag!r}",
        record,
        _MORE.get(record),
        required=() if record is CustomCompletion else None,
        notation=NOTATION,
    )
    for record in get_args(CompletionDefinition)
}
"""The keys of `completionConfig`, by `completionType`."""
LEGACY_TYPES: Mapping[str, str] = {
    "issue": "externalState",
    "poll:state": "externalState",
    "iterate": "iterationBudget",
    "count:iteration": "iterationBudget",
    "count:check": "checkBudget",
    "manual": "keywordSignal",
    "detect:keyword": "keywordSignal",
    "detect:structured": "structuredSignal",
    "project": "stepMachine",
    "phaseCompletion": "stepMachine",
    "stepFlow": "stepMachine",
    "detect:graph": "stepMachine",
    "facilitator": "composite",
    "meta:composite": "composite",
    "meta:custom": "custom",
}
"""Old or foreign names of a `completionType`."""
BEHAVIOR = RecordForm(
    "'behavior'",
    {
        "systemPromptPath": PATH,
        "completionType": replace(TEXT, schema={"enum": [*COMPLETIONS, *LEGACY_TYPES]}),
        "completionConfig": MAPPING,
        "allowedTools": PRESENT_TEXTS,
        "permissionMode": make_choice("plan", "acceptEdits", "bypassPermissions"),
        "speaks": FLAG,
        "sandboxConfig": UNUSED,
    },
    required=("completionType",),
    notation=NOTATION,
    schema={
        "allOf": [
            {
                "if": {"properties": {"completionType": {"const": kind}}},
                "then": {"properties": {"completionConfig": form}},
            }
            for kind, form in COMPLETIONS.items()
        ]
    },
)
PROMPTS = RecordForm("'prompts'", {"registry fallbackDir": PATH}, notation=NOTATION)
ACTIONS = make_form("'actions'", ActionSettings, notation=NOTATION)
MODEL = make_form("'model'", ModelSettings, notation=NOTATION)
LIMITS = make_form("'limits'", AgentLimits, notation=NOTATION)
LOGGING = make_form("'logging'", LoggingSettings, notation=NOTATION)
AGENT = RecordForm(
    "an agent",
    {
        "version": VERSION,
        "name": AGENT_NAME,
        "displayName description": TEXT,
        "behavior": make_record(BEHAVIOR),
        "parameters": make_named(PARAMETER),
        "prompts": make_record(PROMPTS),
        "actions": make_record(ACTIONS),
        "model": make_record(MODEL),
        "limits": make_record(LIMITS),
        "logging": make_record(LOGGING),
        "tools": make_record(TOOLS),
        "continues": PRESENT_TEXTS,
        "github worktree": UNUSED,
    },
    required=("version", "name", "displayName", "description", "behavior"),
    notation=NOTATION,
)
"""The keys of `agent.json`; `docs/reference/agent-format.md` explains them."""


def read_completion(behavior: LocatedFields) -> CompletionDefinition | None:
    """Read the completion in an agent's `behavior`; None if it is invalid."""
    written_type = behavior.get("completionType")
    return _read_typed_completion(written_type, behavior.get_part("completionConfig"), 0)


def find_completion_type(said: Located) -> str:
    """Return the completion type that a word means; empty, with a finding, if none."""
    word = said.value
    if isinstance(word, str) and word in COMPLETIONS:
        return word
    if isinstance(word, str) and word in LEGACY_TYPES:
        new = LEGACY_TYPES[word]
        said.report("OLD_NOTATION/completion_type", word=word, new=new)
        return new
    allowed = ", ".join(COMPLETIONS)
    near = said.page.suggest_nearest(word, COMPLETIONS) if isinstance(word, str) else ""
    said.report("UNKNOWN_VALUE", hint=near, word=word, allowed=allowed)
    return ""


def _read_typed_completion(
    said: Located | None, config: Located, depth: int
) -> CompletionDefinition | None:
    kind = find_completion_type(said) if said is not None else ""
    if not kind:
        return None
    found = COMPLETIONS[kind].read(config)
    if kind == "composite":
        return _read_composite(found, depth)
    if kind == "externalState":
        _check_fact(found.get("fact"))
    elif kind == "custom":
        _check_custom(found)
        return CustomCompletion(**{"name": "?", **found.to_arguments("name", "config")})
    completion: CompletionDefinition = found.build_record()
    return completion


def _check_fact(held: Located | None) -> None:
    if held is not None and not is_known_fact(held.value):
        held.report(
            "COMPLETION_FACT_UNKNOWN/fact",
            hint=held.page.suggest_nearest(held.value, PORT_FACTS),
            value=held.value,
            names=", ".join(PORT_FACTS),
        )


def _check_custom(found: LocatedFields) -> None:
    path = found.get("handlerPath")
    if path is not None:
        path.report("UNKNOWN_KEY/custom", key=True)
    elif found.check_required(["name"], "a completion of type 'custom'"):
        _check_plugin(found["name"])


def _check_plugin(held: Located) -> None:
    """Warn if a plugin is not installed here; it may be where the agent runs."""
    names = list_installed(ENTRY_POINT_GROUP)
    if held.value not in names:
        held.report(
            "COMPLETION_PLUGIN_UNKNOWN",
            hint=held.page.suggest_nearest(held.value, names),
            value=held.value,
            entry_point_group=ENTRY_POINT_GROUP,
        )


def _read_composite(found: LocatedFields, depth: int) -> CompositeCompletion | None:
    usual = _read_operator(found)
    found.check_choice("mode", _MODE)
    mode = found.get_value("mode", usual)
    if "conditions" not in found:
        return None
    listed = found["conditions"]
    if not listed.value or len(listed.value) > MOST_CONDITIONS or depth >= DEEPEST_COMPLETION:
        why = f"1 to {MOST_CONDITIONS} conditions, at most {DEEPEST_COMPLETION} levels deep"
        add_type_error(listed, "'conditions'", why)
        return None
    each = [_read_condition(item, depth) for item in listed.list_items()]
    conditions = tuple(one for one in each if one is not None)
    if len(conditions) < len(each):
        return None
    return CompositeCompletion(mode=mode, conditions=conditions)


def _read_operator(found: LocatedFields) -> Literal["any", "all"]:
    """Return the mode that a legacy `operator` means."""
    held = found.get("operator")
    if held is None:
        return "any"
    found.check_choice("operator", _OPERATOR)
    word = found.get_value("operator", "or")
    mode = OPERATORS[word]
    if "mode" in found:
        held.report("DUPLICATE_KEY/operator")
    elif held.value == word:
        held.report("OLD_NOTATION/operator", word=word, mode=mode)
    return mode


def _read_condition(held: Located, depth: int) -> CompletionDefinition | None:
    """Read one condition: `{type, config}`, or its fields next to its type."""
    if not isinstance(held.value, dict):
        add_type_error(held, "a condition", "a mapping with a 'type'")
        return None
    named: dict[str, Any] = {
        NOTATION.resolve_key(key, ("type", "completionType", "config")): key for key in held.value
    }
    key = named.get("type") or named.get("completionType")
    if key is None:
        allowed = ", ".join(COMPLETIONS)
        held.report("FIELD_MISSING/condition", allowed=allowed)
        return None
    config = _find_config(held, key, named.get("config"))
    return _read_typed_completion(held.make_inner(key, held.value[key]), config, depth + 1)


def _find_config(held: Located, key: str, inner: str | None) -> Located:
    if inner is not None and isinstance(held.value[inner], dict):
        first = held.value[inner]
        rest = {k: v for k, v in held.value.items() if k not in (key, inner)}
        below = held._replace(value=rest) if rest else None
        return held.make_inner(inner, first)._replace(below=below)
    return held._replace(value={k: v for k, v in held.value.items() if k != key})


class AgentFile:
    """The contents of an agent's own file; defaults where something is invalid."""

    def __init__(self, held: Located) -> None:
        found = AGENT.read(held)
        self.found = found
        behavior = found.read_part("behavior")
        self.prompts = found.read_part("prompts")
        self.system = behavior.get("systemPromptPath") or found.get_part("behavior")
        self.completion_type = str(behavior.get_value("completionType", ""))
        self.completion = read_completion(behavior)
        """When it is done; None if that could not be read."""
        self.model = found.read_part("model")
        tools = read_tools(found.read_part("tools"))
        lint_tool_names(behavior, found.read_part("actions"), tools)
        self.parts: dict[str, Any] = {
            "version": found.get_value("version", "0.0.0"),
            "name": found.get_value("name", "unnamed"),
            **found.to_arguments("displayName", "description", "actions", "limits"),
            **found.to_arguments("logging", "continues"),
            **behavior.to_arguments("systemPromptPath", "speaks", "allowedTools", "permissionMode"),
            "tools": tools,
            "completion": self.completion or StepMachine(),
            "parameters": read_parameters(found.get_part("parameters")),
            **self.prompts.to_arguments("fallbackDir"),
            "asking": self.model.build_record(),
        }

    @property
    def registry_path(self) -> str:
        """The file of the flow, inside the agent's folder; empty if none is named."""
        return str(self.prompts.get_value("registry", ""))
