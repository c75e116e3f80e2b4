"""Commands on gate runs: `create-run`, `runs`, `migrate`, `import`, `tick` and `deliveries`."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import msgspec
from msgspec import to_builtins
from msgspec.structs import replace

from saniwa.cli import render
from saniwa.cli.command_definition import Utf8Text, define_command
from saniwa.cli.gate import output
from saniwa.cli.gate.options import (
    GateConnection,
    GateOptions,
    explain_gate_above,
    explain_missing_gate,
    parse_json_object,
)
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS

if TYPE_CHECKING:
    from saniwa.app.gate.configuration import GatePlaces
    from saniwa.process.automatic_transitions import FiredTimer
    from saniwa.process.gate import Gate
    from saniwa.process.run_state import ProcessRunSummary
    from saniwa.process.run_view import UndeliveredWebhook


@define_command("gate create-run")
def create_run(
    *,
    process: Utf8Text,
    variables: str | None,
    folder: Utf8Text = "",
    write_config: bool,
    options: GateOptions,
) -> None:
    """Start a run of a process in its initial state.

    \b
    Examples:
      saniwa gate create-run --process exploration
      saniwa gate create-run --process exploration \\
          --context '{"exploration_mode": "domain"}' --write-config
    """
    first = parse_json_object(variables, "--context")
    with options.connect() as connection:
        folder = connection.places.place_in_project(folder)
        try:
            created = connection.gate.create_run(process, first, folder=folder)
        except ProcessError as problem:
            problem.hint = _choose_hint(problem, connection.places, process, folder)
            raise
        if write_config:
            from saniwa.app.gate.configuration import bind_session, configure_run

            configure_run(connection.places, created.run_id)
            bind_session(connection.places, created.run_id)
        evidence = connection.places.locate_artifacts(created.run_id, folder)
        with suppress(OSError):  # a convenience: submitting evidence creates it too
            evidence.mkdir(parents=True, exist_ok=True)
        prompt = connection.gate.get_state(created.run_id).current_state_prompt
    document = {
        "run_id": created.run_id,
        "initial_state": created.state,
        "revision": created.revision,
    }
    lines = [
        f"{created.run_id}  {created.state}",
        *explain_gate_above(connection.places),
        f"evidence goes into {evidence}",
    ]
    render.print_result(options.as_json, document, lines)
    if not options.as_json and prompt:
        render.show_text(f"\n{prompt.strip()}")


def _choose_hint(problem: ProcessError, places: "GatePlaces", process: str, folder: str) -> str:
    """Return the error's hint for the user of the command line."""
    file, project = Path(process), places.project.absolute()
    if problem.code == "PROCESS_NOT_FOUND" and file.suffix.lower() in FORMATS:
        return f"put the file into {places.processes}, then: --process {file.stem}"
    if problem.code != "FILE_OUTSIDE":
        return problem.hint
    inside = Path(folder).is_relative_to(project)
    named = str(Path(folder).relative_to(project)) if inside else "papers"
    return f"the project is {project}; name a folder inside it: --artifacts {named}"


@define_command("gate migrate")
def migrate(run: Utf8Text | None, file: str | None, options: GateOptions) -> None:
    """Move a run to the current version of its process (people only).

    The run's state must still exist there. The move is recorded in the log.

    \b
    Example:
      saniwa gate migrate last --to exploration_v2.yaml
    """
    from saniwa.process.library import require_process
    from saniwa.process.reader import read_process

    process = require_process(read_process(file)) if file else None
    with options.connect_person() as connection:
        try:
            migrated = connection.gate.migrate(connection.find_run(run), process)
        except ProcessError as problem:
            if problem.code not in ("FORBIDDEN", "MIGRATION_REFUSED"):
                raise
            if options.as_json:
                render.show_error(problem, as_json=True)
            else:
                output.show_refusal(problem.code, problem.message)
                render.show_text(f"  hint: {problem.hint}", err=True)
            render.exit_with(render.EXIT_FINDINGS)
    opening = migrated.opening
    document = {
        "run_id": migrated.run_id,
        "process_id": opening.process_id,
        "process_version": opening.process_version,
        "process_hash": opening.definition,
        "current_state": migrated.state,
        "revision": migrated.revision,
    }
    named = f"{opening.process_id} {opening.process_version}"
    details = f"{named}, {opening.definition[:16]}, revision {migrated.revision}"
    render.print_result(options.as_json, document, [f"{migrated.run_id}  {details}"])


@define_command("gate runs")
def runs(
    state: Utf8Text = "",
    process: str = "",
    asked: tuple[Utf8Text, ...] = (),
    since: str = "",
    until: str = "",
    person: Utf8Text = "",
    parent: Utf8Text = "",
    *,
    options: GateOptions,
) -> None:
    """List the runs that match every option, oldest first.

    \b
    Examples:
      saniwa gate runs --process exploration --state decide
      saniwa gate runs --variable team_mode=solo --since 48h --person ann
      saniwa gate runs --parent last
    """
    from saniwa.process.run_search import build_run_filter
    from saniwa.process.run_state import summarize_run

    found: list[ProcessRunSummary] = []
    broken: list[StoreError] = []
    with options.connect() as connection:
        gate = connection.gate
        above = connection.find_run(parent) if parent else ""
        wanted = build_run_filter(
            now=gate.clock.now(),
            process_id=process,
            state=state,
            variables=asked,
            since=since,
            until=until,
            person=person,
            parent=above,
        )
        for run_id in gate.list_runs(above):
            try:
                run = gate.log.load_run(run_id)
                if wanted.fits(run, gate.log):
                    found.append(summarize_run(run))
            except StoreError as problem:  # it does not hide the other runs
                broken.append(problem)
    places = connection.places
    nothing = "No runs match." if places.is_initialized else explain_missing_gate(places)
    lines = [
        f"{one.run_id}  {one.process_id}  {one.current_state}  {one.revision}  {one.updated_at}"
        for one in found
    ]
    render.exit_with(_report_runs({"runs": found}, lines, broken, nothing, as_json=options.as_json))


def _report_runs(
    document: dict[str, Any],
    lines: list[str],
    broken: list[StoreError],
    nothing: str,
    *,
    as_json: bool,
) -> int:
    """Print what was found, and the errors of unreadable runs; return the exit code."""
    errors = {"broken": [each.to_document() for each in broken]} if broken else {}
    lines = lines if lines or broken or not nothing else [nothing]
    render.print_result(as_json, document | errors, lines)
    for problem in () if as_json else broken:
        render.show_error(problem, as_json=False)
    return render.EXIT_ERROR if broken else render.EXIT_OK


def _parse_interval(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    from saniwa.process.definition_part_readers import parse_duration

    pause = parse_duration(text)
    if pause is None:
        raise click.BadParameter("write a time such as 30s, 5m or 1h30m")
    return pause / 1000


@define_command("gate tick")
def tick(
    run: Utf8Text | None,
    every: Annotated[float | None, {"type": str, "callback": _parse_interval}],
    options: GateOptions,
) -> None:
    """Take the timed transitions that are due in RUN, or in every run.

    \b
    Examples:
      saniwa gate tick
      saniwa gate tick --every 30s
    """
    with options.connect() as connection:
        while True:
            code = _take_due_transitions(
                connection,
                run,
                "No timed transition was due." if every is None else "",
                as_json=options.as_json,
            )
            if every is None:
                break
            sys.stdout.flush()
            time.sleep(every)
    render.exit_with(code)


def _take_due_transitions(
    connection: GateConnection, run: str | None, nothing: str, *, as_json: bool
) -> int:
    fired: list[FiredTimer] = []
    refused: list[dict[str, Any]] = []
    delivered: list[dict[str, str]] = []
    broken: list[StoreError] = []
    gate = connection.gate
    for run_id in [connection.find_run(run)] if run else connection.list_runs():
        try:
            waiting = _list_webhooks(gate, run_id)
            fired += gate.tick(run_id)
            view = gate.get_state(run_id)
            refused += [{"run_id": run_id, **to_builtins(d)} for d in view.due if d.attempts]
            left = {each.webhook for each in view.undelivered}
            sent = (key for key in waiting if key not in left)
            delivered += [{"run_id": run_id, "webhook": key} for key in sent]
        except StoreError as problem:
            broken.append(problem)
    lines = [
        f"{one.run_id}  {one.event}  {one.from_state} → {one.to_state}, revision {one.revision}"
        for one in fired
    ]
    lines += [
        f"{row['run_id']}  {row['event']}  {_describe_attempts(row)}: {row['problem']}"
        for row in refused
    ]
    lines += [f"{row['run_id']}  webhook {row['webhook']} delivered" for row in delivered]
    document: dict[str, Any] = {"fired": fired}
    document |= {"delivered": delivered} if delivered else {}
    for name, is_given_up in (("refused", False), ("given_up", True)):
        rows = [row for row in refused if row["given_up"] is is_given_up]
        document |= {name: rows} if rows else {}
    return _report_runs(document, lines, broken, nothing, as_json=as_json)


def _describe_attempts(row: dict[str, Any]) -> str:
    number = row["attempts"]
    return f"given up after {number} attempts" if row["given_up"] else f"refused, attempt {number}"


@define_command("gate deliveries")
def deliveries(
    *,
    run: Utf8Text | None,
    webhook: Utf8Text = "",
    dead: bool,
    again: bool,
    drop: Utf8Text | None,
    options: GateOptions,
) -> None:
    """List the webhooks of RUN, or of every run, that could not be delivered.

    A tick retries each after 1, 5 and 30 minutes, then after 2 and 12 hours. After that
    it is a dead letter, which only --again delivers, and --drop gives up.

    \b
    Examples:
      saniwa gate deliveries --dead
      saniwa gate deliveries last --webhook 4:0 --again --credential-file ann.key
      saniwa gate deliveries last --drop "the receiver is gone" --credential-file ann.key
    """
    _check_delivery_options(run, webhook, again=again, drop=drop)
    rows: list[dict[str, Any]] = []
    done: list[dict[str, Any]] = []
    broken: list[StoreError] = []
    person_only = again or drop is not None
    with options.connect_person() if person_only else options.connect() as connection:
        gate = connection.gate
        for run_id in [connection.find_run(run)] if run else connection.list_runs():
            try:
                chosen = _list_webhooks(gate, run_id, webhook, dead=dead)
                if webhook and not chosen:
                    raise click.UsageError(
                        f"The run has no undelivered webhook {quote_value(webhook)}. "
                        f"List them: saniwa gate deliveries {run}"
                    )
                for key in chosen:
                    notes = gate.retry_webhooks(run_id, key) if again else ()
                    if drop is not None:
                        notes = gate.drop_webhooks(run_id, drop, key)
                    done += [
                        {"run_id": run_id, "webhook": key, "message": note.message}
                        for note in notes
                        if not note.failed
                    ]
                left = _list_webhooks(gate, run_id, webhook, dead=dead).values()
            except StoreError as problem:
                broken.append(problem)
                continue
            rows += [{"run_id": run_id, **to_builtins(each)} for each in left]
    nothing = "No dead letters." if dead else "All webhooks were delivered."
    lines = [f"{row['run_id']}  {row['webhook']}  {row['message']}" for row in done]
    lines += [_format_delivery(row) for row in rows]
    document = {"undelivered": rows} | ({"done": done} if person_only else {})
    render.exit_with(_report_runs(document, lines, broken, nothing, as_json=options.as_json))


def _check_delivery_options(
    run: str | None, webhook: str, *, again: bool, drop: str | None
) -> None:
    if webhook and not run:
        raise click.UsageError("--webhook needs RUN: the number belongs to one run.")
    if again and drop is not None:
        raise click.UsageError("Use --again or --drop, not both.")
    if drop is not None and not drop.strip():
        raise click.UsageError("--drop needs a reason, which the history keeps.")


def _list_webhooks(
    gate: "Gate", run_id: str, webhook: str = "", *, dead: bool = False
) -> "dict[str, UndeliveredWebhook]":
    from saniwa.process.run_view import list_undelivered

    return {
        each.webhook: each
        for each in list_undelivered(gate.log.load_run(run_id))
        if webhook in ("", each.webhook) and not (dead and each.due_at)
    }


def _format_delivery(row: dict[str, Any]) -> str:
    tried = render.format_count(row["attempts"], "attempt")
    due = f"again {row['due_at']}" if row["due_at"] else "dead letter"
    return f"{row['run_id']}  {row['webhook']}  {row['to_state']}  {tried}, {due}: {row['problem']}"


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
        from saniwa.store.gate.file_access import is_run_id

        folder = connection.places.place_in_project(folder)
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
