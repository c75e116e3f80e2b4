"""The settings that connect an agent's host to the gate: written, and taken back.

`agent_host_settings.json` has the files of each host and what goes into them. A file's other
entries stay as they are, byte for byte.
"""

import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saniwa.app.gate.configuration import GATE_FOLDER, make_unreadable_error
from saniwa.core.atomic_files import write_atomically
from saniwa.documents.json_edit import insert_json_value, parse_json_parts, remove_json_value

_HOOK = re.compile(r"\{(pre-tool-use|post-tool-use|stop|session-start)\}").fullmatch
_SERVER_ARGUMENTS = ["mcp", "--only", "gate"]
_TOML_TABLE = "[mcp_servers.saniwa]"
_TOML_END = re.compile(r"^\[", re.MULTILINE)


class HostEntry(msgspec.Struct, frozen=True):
    """A value in a host's file."""

    path: list[str]
    """The object or list that has it."""
    value: dict[str, Any]
    """The value."""
    key: str | None = None
    """Its key in an object; None for an item of a list."""

    @property
    def name(self) -> str:
        """Its place, for people."""
        return ".".join([*self.path, *([self.key] if self.key else [])])


class HostFile(msgspec.Struct, frozen=True):
    """One of a host's files."""

    path: str
    """Its path in the project."""
    entries: list[HostEntry]
    """What goes into it."""
    header: dict[str, Any] = {}
    """What a new file begins with."""


class HostSettings(msgspec.Struct, frozen=True):
    """The files of a host."""

    files: list[HostFile]
    """Its files."""
    next: str
    """What its user does next."""
    folder: str = ""
    """The gate's folder in a hook's command; empty if hooks start in the project."""
    workspace: str = ""
    """The gate's folder for the server; empty if the server starts in the project."""
    closed: dict[str, Any] = {}
    """What makes a hook before a tool stop the tool if it fails; nothing if the host cannot."""
    whole: bool = False
    """Whether hooks and server start anywhere, so that every path is absolute."""


class InstallChoice(NamedTuple):
    """What a user chose for the settings."""

    host: str
    """The host."""
    program: str = "saniwa"
    """How the host starts Saniwa."""
    gate: str | None = GATE_FOLDER
    """The gate's folder; None if the host's environment names it."""
    fail_closed: bool = False
    """Whether tools are denied where the gate cannot answer."""


class SettingsChange(NamedTuple):
    """What is done to one file."""

    project: Path
    """The project's folder."""
    path: Path
    """The file in it."""
    before: str | None
    """Its text; None if there is none."""
    after: str | None
    """Its new text; None if it is deleted."""
    entries: tuple[str, ...] = ()
    """What is added or taken out."""
    kept: tuple[str, ...] = ()
    """What the user has under the same name, and is left alone."""

    @property
    def action(self) -> str:
        """What is done: `create`, `change`, `delete`, or `keep`."""
        if self.before == self.after:
            return "keep"
        return "create" if self.before is None else "delete" if self.after is None else "change"

    def write(self) -> None:
        """Do it.

        Raises:
            OSError: The file cannot be written.
        """
        path = self.path.resolve()  # a link to a file elsewhere stays a link
        if self.action == "delete":
            self.path.unlink()
            _remove_empty_folders(self.path, self.project)
        elif self.after is not None and self.action != "keep":
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path.parent, path.name, self.after.encode())


def _remove_empty_folders(path: Path, project: Path) -> None:
    for folder in path.parents:
        if folder == project or any(folder.iterdir()):
            return
        folder.rmdir()


@cache
def load_host_settings() -> dict[str, HostSettings]:
    """Return the settings of every host."""
    content = Path(__file__).with_name("agent_host_settings.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, HostSettings])


def plan_installation(project: Path, choice: InstallChoice) -> list[SettingsChange]:
    """Return what installing changes; nothing is written.

    Raises:
        StoreError: `STORE_UNREADABLE`: a file cannot be read, or is no JSON or TOML.
    """
    settings = load_host_settings()[choice.host]
    return [_plan_file(project, settings, file, choice, install=True) for file in settings.files]


def plan_removal(project: Path, choice: InstallChoice) -> list[SettingsChange]:
    """Return what uninstalling changes: what was installed goes, and nothing else.

    Raises:
        StoreError: As `plan_installation` does.
    """
    settings = load_host_settings()[choice.host]
    return [_plan_file(project, settings, file, choice, install=False) for file in settings.files]


def find_installed_choice(project: Path, choice: InstallChoice) -> InstallChoice | None:
    """Find the choice that the installed settings follow; None if nothing is installed.

    They may name Saniwa in another way than `choice`, and stop tools where it does not.

    Raises:
        StoreError: As `plan_installation` does.
    """
    if all(each.action == "keep" for each in plan_removal(project, choice)):
        return None
    named = choice._replace(program=_find_installed_program(project, choice.host) or choice.program)
    for each in (named, named._replace(fail_closed=True), choice):
        if all(change.action == "keep" for change in plan_installation(project, each)):
            return each
    return named


def _find_installed_program(project: Path, host: str) -> str:
    """Return how the installed server starts Saniwa; empty if it is not installed."""
    for file in load_host_settings()[host].files:
        path, entry = project / file.path, file.entries[0]
        if entry.key and path.exists():
            edit = _TomlText if path.suffix == ".toml" else _JsonText
            return edit(path.read_bytes().decode(), host).find_program(entry)
    return ""


def has_installed_server(project: Path, host: str) -> bool:
    """Whether a host's JSON settings in the project have the gate's server as installed.

    The name alone says nothing: the user may have another server called `saniwa`.
    """
    servers = [file for file in load_host_settings()[host].files if file.entries[0].key]
    for file in servers:
        try:
            text = _JsonText((project / file.path).read_bytes().decode(), host)
            return text.has_server(file.entries[0])
        except (OSError, ValueError):
            break  # The host cannot read it either.
    return False


def _plan_file(
    project: Path, settings: HostSettings, file: HostFile, choice: InstallChoice, *, install: bool
) -> SettingsChange:
    path = project / file.path
    try:
        before = path.read_bytes().decode() if path.exists() else None
        edit = _TomlText if path.suffix == ".toml" else _JsonText
        text = edit(before or "", choice.host)
        if install:
            if before is None:
                text.begin(file.header)
            for entry in file.entries:
                text.add(entry, _fill(entry.value, settings, choice, project))
        else:
            for entry in file.entries:
                text.remove(entry)
    except OSError as problem:
        raise make_unreadable_error(path, str(problem.strerror)) from problem
    except ValueError as problem:
        raise make_unreadable_error(path, str(problem)) from problem
    empty = bool(text.changed) and not install and text.is_bare
    after = None if before is None and not text.changed else text.text
    return SettingsChange(
        project, path, before, None if empty else after, tuple(text.changed), tuple(text.kept)
    )


def _fill(value: Any, settings: HostSettings, choice: InstallChoice, project: Path) -> Any:
    """Return a value with its placeholders replaced."""
    if isinstance(value, dict):
        closed = choice.fail_closed and value.get("command") == "{pre-tool-use}"
        filled = {key: _fill(inner, settings, choice, project) for key, inner in value.items()}
        return filled | (settings.closed if closed else {})
    if isinstance(value, list):
        items = (_fill(inner, settings, choice, project) for inner in value)
        return [each for item in items for each in (item if isinstance(item, tuple) else (item,))]
    hook = _HOOK(str(value))
    if hook is not None:
        return _make_command(hook[1], settings, choice, project)
    if value == "{program}":
        return choice.program
    if value == "{gate}":
        gate = _locate_gate(settings.workspace, settings, choice, project)
        return ("--dir", gate) if gate else ()
    return value


def _make_command(hook: str, settings: HostSettings, choice: InstallChoice, project: Path) -> str:
    closed = " --fail-closed" if choice.fail_closed and hook == "pre-tool-use" else ""
    gate = _locate_gate(settings.folder, settings, choice, project)
    quoted = gate if gate.startswith('"') else shlex.quote(gate)
    place = f" --dir {quoted}" if gate else ""
    program = shlex.quote(choice.program)
    return f"{program} gate hook {hook}{closed} --host {choice.host}{place}"


def _locate_gate(form: str, settings: HostSettings, choice: InstallChoice, project: Path) -> str:
    if choice.gate is None:
        return ""
    if Path(choice.gate).is_absolute():
        return choice.gate
    if settings.whole:
        return str(project.absolute() / choice.gate)
    return form.replace("{}", choice.gate) if form else choice.gate


class _JsonText:
    """A host's JSON file, while it is changed."""

    def __init__(self, text: str, host: str) -> None:
        self.text = text
        self.changed: list[str] = []
        self.kept: list[str] = []
        self._mark = f" --host {host}"

    @property
    def is_bare(self) -> bool:
        """Whether nothing is left but what a new file begins with."""
        return parse_json_parts(self.text).value in ({}, {"version": 1})

    def begin(self, header: dict[str, Any]) -> None:
        """Start a new file."""
        for key, value in header.items():
            self.text = insert_json_value(self.text, [], key, value)

    def add(self, entry: HostEntry, value: Any) -> None:
        """Add an entry, or replace an earlier form of it; a user's own entry stays."""
        known = self._read(entry.path)
        if entry.key is not None:
            present = known.get(entry.key) if isinstance(known, dict) else None
            if present is not None and not _is_own_server(present):
                self.kept.append(entry.name)
                return
            own = [] if present is None else [present]
        else:
            own = [item for item in _to_list(known) if self._list_own(item)]
        if own == [value]:
            return
        self._take_out(entry)
        self.text = insert_json_value(self.text, entry.path, entry.key, value)
        self.changed.append(entry.name)

    def remove(self, entry: HostEntry) -> None:
        """Take an entry out, if it is there and was installed."""
        if self.text.strip() and self._take_out(entry):
            self.changed.append(entry.name)

    def has_server(self, entry: HostEntry) -> bool:
        """Whether an entry is the gate's server, as it was installed."""
        known = self._read(entry.path)
        return isinstance(known, dict) and _is_own_server(known.get(entry.key))

    def find_program(self, entry: HostEntry) -> str:
        """Return how the gate's server starts Saniwa; empty if it is not installed."""
        known = self._read(entry.path)
        server = known.get(entry.key) if isinstance(known, dict) else None
        return str(server["command"]) if server and _is_own_server(server) else ""

    def _take_out(self, entry: HostEntry) -> bool:
        before = self.text
        known = self._read(entry.path)
        if entry.key is not None:
            if isinstance(known, dict) and _is_own_server(known.get(entry.key)):
                self.text = remove_json_value(self.text, [*entry.path, entry.key])
            return self.text != before
        for nth, item in reversed([*enumerate(_to_list(known))]):
            for inner in self._list_own(item):
                self.text = remove_json_value(self.text, [*entry.path, nth, *inner])
        return self.text != before

    def _read(self, path: list[str]) -> Any:
        value = parse_json_parts(self.text).value if self.text.strip() else {}
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def _is_own_command(self, command: str) -> bool:
        return " gate hook " in command and f"{command} ".find(f"{self._mark} ") > 0

    def _list_own(self, item: Any) -> list[list[str | int]]:
        """Return the paths to the hooks of an item that were installed, the last first.

        The empty path is the whole item: it has no hook of the user's.
        """
        if not isinstance(item, dict):
            return []
        hooks = item.get("hooks")
        if not isinstance(hooks, list):
            return [[]] if self._is_own_command(str(item.get("command", ""))) else []
        own = [n for n, hook in enumerate(hooks) if isinstance(hook, dict) and self._list_own(hook)]
        return [[]] if own and len(own) == len(hooks) else [["hooks", n] for n in reversed(own)]


class _TomlText:
    """Codex's settings, in which one table is added at the end."""

    def __init__(self, text: str, _: str) -> None:
        self.text = text
        self.changed: list[str] = []
        self.kept: list[str] = []

    @property
    def is_bare(self) -> bool:
        """Whether nothing is left."""
        return not self.text.strip()

    def begin(self, _: dict[str, Any]) -> None:
        """Start a new file; there is nothing to begin with."""

    def add(self, entry: HostEntry, value: Any) -> None:
        """Add the table, or replace an earlier form of it; a user's own one stays."""
        present = self._read()
        if present == value:
            return
        if present is not None and not self._take_out():
            self.kept.append(entry.name)
            return
        lines = [f"{key} = {msgspec.json.encode(held).decode()}" for key, held in value.items()]
        before = self.text if not self.text or self.text.endswith("\n") else f"{self.text}\n"
        gap = "\n" if before else ""
        self.text = f"{before}{gap}{_TOML_TABLE}\n" + "\n".join(lines) + "\n"
        self.changed.append(entry.name)

    def remove(self, entry: HostEntry) -> None:
        """Take the table out, if it is there and was installed."""
        if self._take_out():
            self.changed.append(entry.name)

    def _read(self) -> Any:
        servers = tomllib.loads(self.text).get("mcp_servers")
        return servers.get("saniwa") if isinstance(servers, dict) else None

    def find_program(self, _: HostEntry) -> str:
        """Return how the gate's server starts Saniwa; empty if it is not installed."""
        server = self._read()
        return str(server["command"]) if server and _is_own_server(server) else ""

    def _take_out(self) -> bool:
        begin = self.text.find(_TOML_TABLE)
        if begin < 0 or not _is_own_server(self._read()):
            return False
        following = _TOML_END.search(self.text, begin + 1)
        end = following.start() if following else len(self.text)
        before = self.text[:begin]
        self.text = (before.removesuffix("\n") if before != "\n" else "") + self.text[end:]
        return True


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_own_server(value: Any) -> bool:
    arguments = value.get("args") if isinstance(value, dict) else None
    return isinstance(arguments, list) and arguments[:3] == _SERVER_ARGUMENTS and "command" in value
