"""Commands on process definitions: `processes`, `check`, `graph`, `new`, `migrate-definition`."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from saniwa.cli import render
from saniwa.cli.command_definition import Utf8Text, define_command
from saniwa.cli.gate.options import explain_gate_above
from saniwa.cli.gate.output import write_new_file
from saniwa.core.errors import ProcessError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS

if TYPE_CHECKING:
    from saniwa.documents.document import Document
    from saniwa.process.definition import Process
    from saniwa.process.library import FolderProcessLibrary
    from saniwa.process.reader import ProcessReadResult


def resolve_process_file(name: str, place: str | None) -> str:
    """Return a name with a JSON or YAML suffix as a file; look others up as an id.

    Raises:
        ProcessError: `PROCESS_NOT_FOUND`.
    """
    if Path(name).suffix.lower() in FORMATS:
        return name
    return str(open_library(place).find_file(name))


def open_library(place: str | None) -> "FolderProcessLibrary":
    """Open the library of a gate's own processes and those that come with Saniwa."""
    from saniwa.app.gate.configuration import locate_gate
    from saniwa.process.library import open_library

    return open_library(locate_gate(place).processes)


@define_command("gate check")
def check(
    processes: tuple[str, ...], strict: bool, quiet: bool, place: str | None, as_json: bool
) -> None:
    """Check processes and report every problem, its location and how to fix it.

    Without a name, checks every process of this gate. Exits with status 1 if there are
    errors (with --strict also for warnings), and with status 3 if a file cannot be read.

    \b
    Examples:
      saniwa gate check exploration
      saniwa gate check my_process.yaml --strict
    """
    names = processes or open_library(place).list_ids()
    read = [_read_with_children(resolve_process_file(name, place), place) for name in names]
    found = [each for one in read for each in one.report.findings]
    if as_json:
        render.print_check(found, strict, files=[one.document.file for one in read])
    else:
        parts = [_describe_reading(one) for one in read]
        render.show_check(parts, (len(read), "file"), strict=strict, quiet=quiet)
        _show_conversions(read)
    unreadable = any(each.code == "DOCUMENT_UNREADABLE" for each in found)
    render.exit_check(found, strict, unreadable=unreadable)


def _show_conversions(read: "list[ProcessReadResult]") -> None:
    """Name the command that converts files of state_gate's own form."""
    from saniwa.process.state_gate_migration import is_origin_form

    for one in read:
        if one.report.errors and is_origin_form(one.document.plain):
            render.show_text(
                "hint: this is a process file of state_gate; convert it: "
                f"saniwa gate migrate-definition {shlex.quote(one.document.file)}"
            )


def _read_with_children(file: str, place: str | None) -> "ProcessReadResult":
    """Read a definition; its child processes are in the same folder, in the gate, or shipped."""
    from saniwa.app.gate.configuration import locate_gate
    from saniwa.process.library import BUNDLED_FOLDER, FolderProcessLibrary
    from saniwa.process.reader import read_process

    folders = (Path(file).parent, locate_gate(place).processes, BUNDLED_FOLDER)
    return read_process(file, FolderProcessLibrary(*folders).find_child)


def _describe_reading(read: "ProcessReadResult") -> render.CheckedPart:
    size, process, document = "", read.process, read.document
    if process is not None:
        size = f"{render.format_count(len(process.states), 'state')}, "
        size += render.format_count(len(process.transitions), "transition")
    return render.CheckedPart(
        document.file, read.report.findings, size, lambda _: document.text or None
    )


@define_command("gate graph")
def graph(
    *, process: str, form: render.GraphFormat = "mermaid", output: str | None, place: str | None
) -> None:
    """Draw the states of a process and the transitions between them.

    Each transition is labelled with its event, its guard in brackets and the roles that
    may take it. Timed transitions are dashed, and final states are round.
    """
    from saniwa.process.diagram import build_graph
    from saniwa.process.library import require_process
    from saniwa.process.reader import read_process

    read = read_process(resolve_process_file(process, place))
    render.write_graph(build_graph(require_process(read)), form, output)


_ID_KEYS = ("process_id", "processId", "id")
"""The keys under which a definition can have its id."""


def describe_id_spelling(document: "Document") -> tuple[str, int]:
    """Say why the id cannot be replaced, and return the line it is in."""
    path = _find_id_path(document.plain)
    line = document.locate_key(path).line or 0
    if len(path) > 1:
        return f"it is under {path[0]!r}", line
    key = path[0] if path else ""
    if key != _ID_KEYS[0]:
        return f"its key is {key!r}", line
    if "&" in document.get_line(line).partition(":")[2]:
        return "it has an anchor that other lines may refer to", line
    return "it spans several lines", line


def _find_id_path(plain: Any) -> tuple[str, ...]:
    for prefix in ((), ("process",)):
        mapping = plain.get(prefix[0]) if prefix else plain
        if isinstance(mapping, Mapping):
            for key in _ID_KEYS:
                if key in mapping:
                    return (*prefix, key)
    return ()


_ID_LINE = re.compile(r"""^(["']?process_id["']?\s*:).*$""", re.MULTILINE)


@define_command("gate new")
def new(
    *, name: Utf8Text, source: Utf8Text | None = None, place: str | None, as_json: bool
) -> None:
    """Create a process to start from, in the gate's folder of processes.

    It has three states, draft, review and done: one report is needed, and a reviewer
    approves. With --from, copies another process under a new id, with its comments.
    Existing files are never overwritten, and a file that the gate could not load is not
    written.

    \b
    Examples:
      saniwa gate new deploy
      saniwa gate new tasting --from exploration
    """
    from saniwa.app.gate.configuration import locate_gate
    from saniwa.process.library import BundledProcessLibrary, require_process
    from saniwa.process.reader import read_process

    _check_name(name)
    if source is None:
        template = Path(__file__).with_name("new_process.yaml")
        text = template.read_text(encoding="utf-8").replace("NAME", name)
    else:
        read = read_process(resolve_process_file(source, place))
        text = _rename_process(read, require_process(read), name, source)
    places = locate_gate(place)
    path = places.processes / f"{name}.yaml"
    _write_process(path, text)
    if name in BundledProcessLibrary().list_ids():
        render.show_warning(
            f"{name!r} is also a process included with Saniwa; yours now replaces it"
        )
    lines = (
        f"wrote {path}",
        *explain_gate_above(places),
        f"check it: saniwa gate check {shlex.quote(name)}",
        f"start a run: saniwa gate create-run --process {shlex.quote(name)} "
        "--artifacts . --write-config",
    )
    render.print_result(as_json, {"process_id": name, "path": str(path)}, lines)


def _rename_process(read: "ProcessReadResult", process: "Process", name: str, source: str) -> str:
    """Return the text of a process with another id.

    The result is parsed again to verify that nothing but the id has changed.

    Raises:
        click.BadParameter: The source is JSON, or its id cannot be replaced.
    """
    from saniwa.process.reader import read_process_text

    document = read.document
    if document.text.lstrip().startswith("{"):
        raise click.BadParameter(f"--from: {source!r} is JSON, and not YAML in lines")
    # In quotes: without them YAML reads some names as numbers or booleans.
    text = _ID_LINE.sub(lambda key: f'{key[1]} "{name}"', document.text, count=1)
    if read_process_text(text).process != replace(process, process_id=name):
        why, line = describe_id_spelling(document)
        raise click.BadParameter(
            f"--from: {source!r} cannot get another id: {why} (line {line}); "
            f"write it in one line at the top: process_id: {process.process_id}"
        )
    return text


def _check_name(name: str) -> None:
    from saniwa.process.draft import is_file_name

    if not is_file_name(name):
        raise ProcessError(
            "NAME_UNUSABLE",
            f"{quote_value(name)} cannot be the id of a process",
            hint="use letters, digits, '_' and '-', such as tasting",
            details={"process_id": name},
        )


def _write_process(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as problem:
        raise ProcessError(
            "PROCESS_EXISTS",
            f"there is a process {quote_value(path.stem)} already",
            where=SourceLocation(file=str(path)),
            hint="choose another id, or edit the existing file",
        ) from problem


@define_command("gate processes")
def processes(place: str | None, as_json: bool) -> None:
    """List the ids of the processes: this gate's own and those included with Saniwa.

    \b
    Example:
      saniwa gate processes
    """
    names = open_library(place).list_ids()
    render.print_result(as_json, {"processes": names}, map(render.to_one_line, names))


@define_command("gate migrate-definition")
def migrate_definition(file: str, output: str | None, as_json: bool) -> None:
    """Convert a process file of state_gate to Saniwa's format and check the result.

    Prints the new definition as YAML, without comments. Lists on standard error what was
    rewritten, what has no equivalent and what is still wrong, each kind once. Exits with
    status 1 if the result still has errors, with 3 if the file cannot be read.

    \b
    Example:
      saniwa gate migrate-definition exploration-process.yaml -o exploration.yaml
    """
    from saniwa.documents.document import load_document
    from saniwa.documents.migration_log import render_yaml
    from saniwa.process.reader import read_process_text
    from saniwa.process.state_gate_migration import migrate_definition

    document = load_document(file)
    definition, changes = migrate_definition(document.plain)
    text = render_yaml(definition)
    found = read_process_text(text, output or "").report.findings
    if output is not None:
        write_new_file(output, text)
    if as_json:
        migration = render.build_migration_document(changes, found)
        render.print_json({"definition": definition, **migration})
    else:
        render.show_migration(changes, found)
        render.show_text(text.rstrip("\n") if output is None else f"wrote {output}")
    render.exit_check(found, strict=False, unreadable=False)
