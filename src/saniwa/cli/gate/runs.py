"""Commands on gate runs: `create-run`, `runs`, `migrate` and `tick`."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.access import (
    NO_GATE_MESSAGE,
    GateConnection,
    connect_gate,
    gate_options,
    get_credential,
    parse_json_object,
    run_argument,
)
from saniwa.cli.gate.render import show_refusal
from saniwa.cli.options import UTF8_TEXT
from saniwa.cli.render import EXIT_ERROR, EXIT_FINDINGS, EXIT_OK, print_json, show_error
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.text import escape_control_characters
from saniwa.documents.document import FORMATS

if TYPE_CHECKING:
    from saniwa.app.gate.places import GatePlaces
    from saniwa.process.run import ProcessRunSummary
    from saniwa.process.timers import FiredTimer


@click.command("create-run")
@click.option("--process", required=True, type=UTF8_TEXT, metavar="ID", help="The process.")
@click.option(
    "--context", "variables", metavar="JSON|@FILE", help="First values of the run's variables."
)
@click.option(
    "--artifacts",
    "folder",
    type=UTF8_TEXT,
    default="",
    metavar="FOLDER",
    help="Where paths of evidence lead from, inside the project; else the run's own folder.",
)
@click.option(
    "--write-config",
    is_flag=True,
    help="Name the run in state-gate.json, so that RUN may be left out afterwards.",
)
@gate_options
def create_run(
    process: str,
    variables: str | None,
    folder: str,
    write_config: bool,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Begin a run of a process in its first state.

    \b
    Examples:
      saniwa gate create-run --process exploration
      saniwa gate create-run --process exploration \\
          --context '{"exploration_mode": "domain"}' --write-config
    """
    first = parse_json_object(variables, "--context")
    with connect_gate(place, credential_file) as connection:
        try:
            created = connection.gate.create_run(process, first, folder=folder)
        except ProcessError as problem:
            raise _add_hint(problem, connection.places, process, folder) from problem
        if write_config:
            from saniwa.app.gate.places import configure_run

            configure_run(connection.places, created.run_id)
        evidence = connection.places.locate_artifacts(created.run_id, folder)
        with suppress(OSError):  # a convenience: submitting evidence creates it too
            evidence.mkdir(parents=True, exist_ok=True)
    if as_json:
        print_json(
            {"run_id": created.run_id, "initial_state": created.state, "revision": created.revision}
        )
        return
    click.echo(escape_control_characters(f"{created.run_id}  {created.state}"))
    click.echo(escape_control_characters(f"evidence goes into {evidence}"))


def _add_hint(
    problem: ProcessError, places: "GatePlaces", process: str, folder: str
) -> ProcessError:
    """Return the error with a hint for the user of the command line."""
    file = Path(process)
    hint = problem.hint
    if problem.code == "PROCESS_NOT_FOUND" and file.suffix.lower() in FORMATS:
        hint = f"put the file into {places.processes}, then: --process {file.stem}"
    if problem.code == "FILE_OUTSIDE":
        hint = _suggest_folder(Path(folder), places.project.absolute())
    return ProcessError(
        problem.code, problem.message, where=problem.where, hint=hint, details=problem.details
    )


def _suggest_folder(folder: Path, project: Path) -> str:
    named = "papers"
    if folder.is_relative_to(project):
        named = str(folder.relative_to(project))
    return f"the project is {project}; name a folder inside it: --artifacts {named}"


@click.command()
@run_argument
@click.option("--to", "file", metavar="FILE", help="Another definition than the gate's.")
@gate_options
@click.pass_context
def migrate(
    ctx: click.Context,
    run: str | None,
    file: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Move a run to its process as it is now; for people.

    Only if its state still exists there. The move is a row of its own in the log.

    \b
    Example:
      saniwa gate migrate last --to exploration_v2.yaml
    """
    from saniwa.process.library import require_process
    from saniwa.process.reader import read_process

    process = require_process(read_process(file)) if file else None
    credential = get_credential(credential_file)
    with connect_gate(place, None, credential=credential) as connection:
        try:
            migrated = connection.gate.migrate(connection.find_run(run), process)
        except ProcessError as problem:
            if problem.code not in ("FORBIDDEN", "MIGRATION_REFUSED"):
                raise
            ctx.exit(_report_refusal(problem, as_json=as_json))
    opening = migrated.opening
    if as_json:
        print_json(
            {
                "run_id": migrated.run_id,
                "process_id": opening.process_id,
                "process_version": opening.process_version,
                "process_hash": opening.definition,
                "current_state": migrated.state,
                "revision": migrated.revision,
            }
        )
        return
    named = f"{opening.process_id} {opening.process_version}"
    details = f"{named}, {opening.definition[:16]}, revision {migrated.revision}"
    click.echo(escape_control_characters(f"{migrated.run_id}  {details}"))


def _report_refusal(problem: ProcessError, *, as_json: bool) -> int:
    if as_json:
        print_json({"ok": False, "error": problem.to_document()})
    else:
        show_refusal(problem.code, problem.message)
        click.echo(escape_control_characters(f"  hint: {problem.hint}"), err=True)
    return EXIT_FINDINGS


@click.command()
@click.option("--state", type=UTF8_TEXT, help="Only those in this state.")
@click.option("--process", metavar="ID", help="Only those of this process.")
@gate_options
@click.pass_context
def runs(
    ctx: click.Context,
    state: str | None,
    process: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """List the runs, oldest first.

    \b
    Example:
      saniwa gate runs --process exploration --state decide
    """
    wanted = (state, process)
    with connect_gate(place, credential_file) as connection:
        found, broken = _list_summaries(connection, wanted)
    if as_json:
        errors = {"broken": [each.to_document() for each in broken]} if broken else {}
        print_json({"runs": found} | errors)
    else:
        _show_summaries(found, broken)
        if not found and not broken:
            begun = connection.places.is_initialized
            click.echo("There are no such runs here." if begun else NO_GATE_MESSAGE)
    ctx.exit(EXIT_ERROR if broken else EXIT_OK)


def _list_summaries(
    connection: GateConnection, wanted: tuple[str | None, str | None]
) -> "tuple[list[ProcessRunSummary], list[StoreError]]":
    """Return the matching runs, and the errors of runs that cannot be read.

    An unreadable run does not hide the others.
    """
    from saniwa.process.run import summarize_run

    found, broken = [], []
    for run_id in connection.gate.list_runs():
        try:
            one = summarize_run(connection.gate.log.load_run(run_id))
        except StoreError as problem:
            broken.append(problem)
            continue
        if _is_wanted(wanted, one):
            found.append(one)
    return found, broken


def _is_wanted(wanted: tuple[str | None, str | None], one: "ProcessRunSummary") -> bool:
    state, process = wanted
    return state in (None, one.current_state) and process in (None, one.process_id)


def _show_summaries(found: "list[ProcessRunSummary]", broken: list[StoreError]) -> None:
    for one in found:
        place = f"{one.process_id}  {one.current_state}  {one.revision}"
        click.echo(escape_control_characters(f"{one.run_id}  {place}  {one.updated_at}"))
    for problem in broken:
        show_error(problem, as_json=False)


def _parse_interval(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    from saniwa.process.format.parts import parse_duration

    pause = parse_duration(text)
    if pause is None:
        raise click.BadParameter("write a time such as 30s, 5m or 1h30m")
    return pause / 1000


@click.command()
@run_argument
@click.option(
    "--every",
    callback=_parse_interval,
    metavar="TIME",
    help="Again and again, such as every 30s; until Ctrl-C.",
)
@gate_options
@click.pass_context
def tick(
    ctx: click.Context,
    run: str | None,
    every: float | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Take the transitions whose time has come: of RUN, else of every run.

    \b
    Examples:
      saniwa gate tick
      saniwa gate tick --every 30s
    """
    with connect_gate(place, credential_file) as connection:
        while True:
            code = _take_due_transitions(connection, run, as_json=as_json, quiet=every is not None)
            if every is None:
                break
            sys.stdout.flush()
            time.sleep(every)
    ctx.exit(code)


def _take_due_transitions(
    connection: GateConnection, run: str | None, *, as_json: bool, quiet: bool
) -> int:
    fired: list[FiredTimer] = []
    broken: list[StoreError] = []
    named = [connection.find_run(run)] if run else connection.list_runs()
    for run_id in named:
        try:
            fired += connection.gate.tick(run_id)
        except StoreError as problem:
            broken.append(problem)
    if as_json:
        errors = {"broken": [each.to_document() for each in broken]} if broken else {}
        print_json({"fired": fired} | errors)
    else:
        _show_fired(fired, broken)
        if not fired and not broken and not quiet:
            click.echo("Nothing was due.")
    return EXIT_ERROR if broken else EXIT_OK


def _show_fired(fired: "list[FiredTimer]", broken: list[StoreError]) -> None:
    for one in fired:
        way = f"{one.event}  {one.from_state} → {one.to_state}, revision {one.revision}"
        click.echo(escape_control_characters(f"{one.run_id}  {way}"))
    for problem in broken:
        show_error(problem, as_json=False)
