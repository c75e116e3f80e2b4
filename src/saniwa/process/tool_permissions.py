"""Whether an agent may use a tool in a state, by its name and by its arguments.

Only the state's author decides about tools; nothing here enforces the answer. A rule may
look at arguments: `Bash(npm test*)`, `Edit(src/*)`. One that allows must fit all of a
call, one that forbids only a part of it, so that no command is allowed for its first
half. Text is compared, nothing is run or opened: a shell can hide what it does from
every such rule.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from saniwa.core.text import quote_value
from saniwa.process.definition import WILDCARD, StateDefinition

_COMMAND_FIELDS = ("command", "cmd", "script", "code")
_PATH_FIELDS = (
    *("file_path", "filePath", "notebook_path", "path", "target_file"),
    *("file", "files", "paths", "filePaths", "file_paths"),
)
_OTHER_FIELDS = ("url", "query", "pattern")
_PATCH_MARK = "*** Begin Patch"
_find_patch_paths = re.compile(
    r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE
).findall
_DEEPEST = 20
_SEPARATOR = re.compile(r"\$\(|[;&|\n`()]+")
_REDIRECTION = re.compile(r"[<>]")


class CallArguments(NamedTuple):
    """The arguments of a tool call, and the folders their paths are relative to."""

    values: Mapping[str, Any]
    """The arguments by name."""
    folder: str = ""
    """The agent's current folder, for paths that begin with none."""
    project: str = ""
    """The folder to which the paths of rules are relative."""


class ToolRule(NamedTuple):
    """A rule of a state's author: a tool, and what its argument must look like."""

    tool: str
    """The tool's name; with `*` at its end, the beginning of its name."""
    argument: str | None = None
    """The argument, with `*` for anything; None if only the tool counts."""

    def is_about(self, tool: str) -> bool:
        """Whether the rule is about a tool."""
        if self.tool.endswith(WILDCARD):
            return tool.startswith(self.tool[:-1])
        return tool == self.tool

    def is_broken_by(self, tool: str, arguments: CallArguments | None) -> bool:
        """Whether some part of a call fits; always if its arguments are unknown."""
        if not self.is_about(tool) or self.argument is None or arguments is None:
            return self.is_about(tool)
        parts = list(_iterate_parts(tool, arguments, whole=False)) or _list_unknown_parts(arguments)
        return any(map(self.is_about_part, parts))

    def is_about_part(self, spellings: tuple[str, ...]) -> bool:
        """Whether the rule is about a part of a call, in one of its spellings."""
        return any(_is_match(self.argument or "", each) for each in spellings)


def is_call_allowed(
    rules: Iterable[str], tool: str, arguments: CallArguments | None = None
) -> bool:
    """Whether each part of a call fits one of the rules that allow a tool.

    Never for rules about arguments that are not known.
    """
    fitting = [rule for rule in map(parse_tool_rule, rules) if rule.is_about(tool)]
    if any(rule.argument is None for rule in fitting):
        return True
    parts = [] if arguments is None else list(_iterate_parts(tool, arguments, whole=True))
    return bool(parts) and all(any(rule.is_about_part(each) for rule in fitting) for each in parts)


@lru_cache(maxsize=256)
def parse_tool_rule(text: str) -> ToolRule:
    """Return a rule as its author wrote it."""
    tool, opened, rest = text.partition("(")
    if opened and tool.strip() and rest.endswith(")"):
        return ToolRule(tool, rest[:-1])
    return ToolRule(text)


def list_patch_paths(text: str) -> list[str]:
    """Return the files that a patch in the form of `apply_patch` changes; none if it is none."""
    return [each.strip() for each in _find_patch_paths(text)] if _PATCH_MARK in text else []


def _is_match(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern with `*` for anything; takes linear time."""
    first, *others = pattern.split(WILDCARD)
    if not others:
        return text == pattern
    *middle, last = others
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _iterate_parts(
    tool: str, arguments: CallArguments, *, whole: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the parts of a call that count, each in all its spellings.

    Args:
        tool: The tool's name.
        arguments: The arguments.
        whole: Whether a rule must fit all of them: then a command that redirects its
            input or output has no spelling, and fits none.
    """
    for field, text in _iterate_texts(arguments.values, "", _DEEPEST):
        changed = list_patch_paths(text)
        for path in changed:
            yield tuple(_iterate_paths(path, arguments))
        # A shell would run a text that looks like a patch.
        if changed and "patch" in tool.lower():
            continue
        if field in _COMMAND_FIELDS:
            yield from _iterate_commands(text, whole=whole)
        elif field in _PATH_FIELDS:
            yield tuple(_iterate_paths(text, arguments))
        elif field in _OTHER_FIELDS:
            yield (text,)


def _list_unknown_parts(arguments: CallArguments) -> list[tuple[str, ...]]:
    """Return every text of a call that names its arguments in a way that is not known."""
    texts = _iterate_texts(arguments.values, "", _DEEPEST)
    return [(text, *_iterate_paths(text, arguments)) for _, text in texts]


def _iterate_texts(value: Any, field: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every text in a value, with the name of the argument it is in."""
    if isinstance(value, str):
        yield field, value
    elif depth and isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _iterate_texts(inner, str(name), depth - 1)
    elif depth and isinstance(value, list | tuple):
        for inner in value:
            yield from _iterate_texts(inner, field, depth - 1)


def _iterate_commands(text: str, *, whole: bool) -> Iterator[tuple[str, ...]]:
    for part in _SEPARATOR.split(text.replace("\\\n", " ")):
        command = " ".join(part.split())
        if not command:
            continue
        if whole:
            yield () if _REDIRECTION.search(command) else (command,)
        else:
            yield command, _strip_preamble(command)


def _strip_preamble(command: str) -> str:
    """Return a command without what a shell takes first: variables, and a folder."""
    word, space, rest = command.partition(" ")
    while rest and word.partition("=")[0].isidentifier() and "=" in word:
        word, space, rest = rest.partition(" ")
    return f"{word.rpartition('/')[2]}{space}{rest}"


def _iterate_paths(path: str, arguments: CallArguments) -> Iterator[str]:
    path = path.removeprefix("file://")
    full = posixpath.normpath(posixpath.join(arguments.folder, path))
    yield full
    inside = f"{posixpath.normpath(arguments.project)}/" if arguments.project else ""
    if inside and full.startswith(inside):
        yield full.removeprefix(inside)


PermissionAnswer = Literal["allow", "deny", "ask"]
"""The possible answers about a tool."""
GATE_TOOLS = frozenset(
    {
        "get_state",
        "list_events",
        "emit_event",
        "list_processes",
        "create_run",
        "list_runs",
        "get_history",
        "review",
        "verify",
        "wait_for_change",
    }
)
"""The gate's own tools, as its MCP server names them."""
_MCP_NAME = re.compile(r"(?:mcp__.*__|MCP:|mcp_saniwa_)(.*)").fullmatch
"""A tool of an MCP server, as Claude Code and Codex, Cursor, and VS Code name it."""


class ToolPermission(NamedTuple):
    """The answer about one tool."""

    answer: PermissionAnswer | None
    """Whether it may be used; None where the process has no rule about it."""
    reason: str = ""
    """Why not, or why a person has to be asked."""


def check_tool_permission(
    state: StateDefinition, tool: str, arguments: CallArguments | None = None
) -> ToolPermission:
    """Whether a tool may be used in a state: denied before ask before allowed.

    Decides only what the state's author wrote. Without an `allowed` list, a tool in
    neither `denied` nor `ask` gets no decision. The gate's own tools are not bound by
    the `allowed` list, because a run that no agent can send an event to never ends.
    Without the arguments of the call, rules about arguments forbid and never allow.
    """
    named = state.tool_permissions
    if named is None:
        return ToolPermission(None)
    here = f"in state {quote_value(state.name)}"
    rule = _find_forbidding(named.denied, tool, arguments)
    if rule:
        return ToolPermission("deny", f"{quote_value(rule)} must not be used {here}")
    rule = _find_forbidding(named.ask, tool, arguments)
    if rule:
        return ToolPermission("ask", f"{quote_value(rule)} needs a person's approval {here}")
    if named.allowed is None:
        return ToolPermission(None)
    if is_call_allowed(named.allowed, tool, arguments):
        return ToolPermission("allow")
    if is_gate_tool(tool):
        return ToolPermission(None)
    allowed = ", ".join(named.allowed[:20]) or "no tool is allowed"
    return ToolPermission(
        "deny", f"{quote_value(tool)} is not one of the tools allowed {here}: {allowed}"
    )


def _find_forbidding(rules: Iterable[str], tool: str, arguments: CallArguments | None) -> str:
    """Return the tool, or the rule about its arguments, that a list of rules forbids."""
    for each in rules:
        rule = parse_tool_rule(each)
        if rule.is_broken_by(tool, arguments):
            return tool if rule.argument is None else each
    return ""


def names_tool(state: StateDefinition, tool: str) -> bool:
    """Whether a rule of a state names a tool, whatever its arguments."""
    named = state.tool_permissions
    rules = () if named is None else (*(named.allowed or ()), *named.ask, *named.denied)
    return any(parse_tool_rule(each).is_about(tool) for each in rules)


def is_gate_tool(tool: str) -> bool:
    """Whether a tool is one of the gate's, as itself or as a host names an MCP tool."""
    found = _MCP_NAME(tool)
    return (tool if found is None else found[1]) in GATE_TOOLS


def is_tool_named(tool: str, names: Iterable[str]) -> bool:
    """Whether a tool is named; a name that ends in `*` matches as a prefix."""
    return any(
        tool.startswith(name[:-1]) if name.endswith(WILDCARD) else tool == name for name in names
    )
