"""Commands for files of other systems: `migrate-definition` and `import`."""

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from saniwa.cli import render
from saniwa.cli.gate.options import GateOptions, parse_json_object
from saniwa.cli.gate.output import write_new_file
from saniwa.cli.options import Utf8Text, define_command
from saniwa.core.errors import ProcessError


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
    from saniwa.process.definition_migration import migrate_definition
    from saniwa.process.reader import read_process_text

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


@define_command("gate import")
def import_run(
    *,
    file: str,
    process: Utf8Text | None,
    variables: str | None,
    folder: Utf8Text = "",
    options: GateOptions,
) -> None:
    """Import a run that state_gate stored as a plain CSV table (people only).

    If the file name is a run id, the run keeps that id. The rows must be possible in the
    process; `verify` marks them as not decided by this gate. Files named in the rows
    become evidence if they exist. An interrupted import can be repeated.

    \b
    Example:
      saniwa gate import .state_gate/runs/run-019471a2-7c8d-7000-8000-000000000001.csv \\
          --process exploration --dir new_gate
    """
    table, known = Path(file), _read_metadata(Path(file))
    process = process or known.get("process_id")
    if not process:
        raise click.UsageError("No process given. Use --process ID.")
    given = parse_json_object(variables, "--context") or known.get("context", {})
    text = _read_table(table)
    with options.connect_person() as connection:
        from saniwa.store.gate.log_files import is_run_id

        run_id = table.stem.lower() if is_run_id(table.stem.lower()) else ""
        try:
            done = connection.gate.import_run(process, text, given, folder=folder, run_id=run_id)
        except ProcessError as refused:
            if refused.where is not None and not refused.where.file:
                refused.where = replace(refused.where, file=file)
            raise
    run = done.run
    document = {
        "run_id": run.run_id,
        "process_id": run.opening.process_id,
        "current_state": run.state,
        "revision": run.revision,
        "missing": done.missing,
    }
    for problem in () if options.as_json else done.missing:
        render.show_warning(problem)
    options.show(document, [f"{run.run_id}  {run.state}, revision {run.revision}"])


def _read_table(table: Path) -> str:
    try:
        return table.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise click.BadParameter(f"{str(table)!r} cannot be read: {problem}") from problem


def _read_metadata(table: Path) -> dict[str, Any]:
    """Return what the origin keeps about a run next to its table; empty if there is none."""
    beside = table.parent.parent / "metadata" / f"{table.stem}.json"
    try:
        return msgspec.json.decode(beside.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return {}
