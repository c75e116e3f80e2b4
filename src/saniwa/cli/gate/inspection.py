"""Commands that read gate runs: `state`, `history`, `watch`, `verify` and `export`."""

import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from saniwa.cli import render
from saniwa.cli.command_definition import Utf8Text, define_command
from saniwa.cli.gate.options import GateConnection, GateOptions
from saniwa.cli.gate.output import (
    format_children,
    format_decision,
    format_name,
    format_value,
    write_new_file,
)
from saniwa.core.errors import ProcessError
from saniwa.core.translations import Language, Translator, open_translator
from saniwa.process.definition import DECISIONS

if TYPE_CHECKING:
    from saniwa.process.event_record import EventRecord, LogEntry, LogNote
    from saniwa.process.gate import Gate
    from saniwa.process.pending_checks import PendingCheck
    from saniwa.process.run_view import ArtifactOrigin, PossibleTransition, RunState, SendableEvent


TRANSLATED_PACKAGES = ("process", "cli")
"""Where the texts are that the gate's commands show."""


@define_command("gate export")
def export(run: Utf8Text | None, exact: bool, output: str | None, options: GateOptions) -> None:
    """Export a run as CSV, from a folder or a database.

    Values that a spreadsheet would read as a formula get a leading apostrophe, unless
    --exact is given.

    \b
    Examples:
      saniwa gate export last -o run.csv
      saniwa gate export last --exact > run.csv
    """
    from saniwa.process.event_record import render_rows

    with options.connect() as connection:
        run_id = connection.find_run(run)
        table = render_rows(connection.gate.read_history(run_id), safe=not exact)
        if options.as_json:
            render.print_json({"run_id": run_id, "csv": "".join(table)})
        elif output is not None:
            write_new_file(output, "".join(table))
        else:
            for row in table:
                sys.stdout.buffer.write(row.encode())


@define_command("gate history")
def history(run: Utf8Text | None, options: GateOptions) -> None:
    """Show who did what, when and on which evidence.

    With --json, prints one stored record per line, with the notes of hooks between them.

    \b
    Example:
      saniwa gate history last
    """
    with options.connect() as connection:
        for entry in connection.gate.read_history(connection.find_run(run)):
            show_entry(entry, as_json=options.as_json)


def show_entry(entry: "LogEntry", *, as_json: bool) -> None:
    """Print one entry of a run's log: what happened, then its payload and evidence."""
    from saniwa.process.event_record import EventRecord

    if as_json:
        render.print_json(entry)
        return
    for line in _format_event(entry) if isinstance(entry, EventRecord) else (_format_note(entry),):
        render.show_row(line)


def _format_event(record: "EventRecord") -> Iterator[str]:
    from saniwa.core.clock import format_timestamp
    from saniwa.process.artifact import derive_maker

    way = f"{record.source} → {record.state}" if record.source else record.state
    who = f"{record.author.type}:{record.author.id}"
    role = f" as {record.role}" if record.role != record.author.id else ""
    when = format_timestamp(record.at)
    yield f"{record.revision:>4}  {when}  {record.event}  {way}  {who}{role}"
    if record.opening is not None:
        opening = record.opening
        named = f"{opening.process_id} {opening.process_version}"
        yield f"      process {named}, {opening.definition[:16]}"
    if record.payload:
        yield f"      payload {format_value(record.payload)}"
    for artifact in record.artifacts:
        kind = artifact.type or "no kind"
        # Most evidence is the word of the author, who stands in the line above.
        made = (
            ""
            if artifact.made_by == derive_maker(record.author)
            else f" made by {artifact.made_by}"
        )
        found = f", {artifact.checked}" if artifact.checked else ""
        yield f"      {kind} {artifact.place} sha256:{artifact.hash[:16]}{made}{found}"
    if record.approval is not None:
        digest = record.approval.digest[:16]
        yield f"      decided on revision {record.approval.revision}, {digest}"
    for lack in record.overridden:
        yield f"      put aside: {lack}"


def _format_note(note: "LogNote") -> str:
    failed = " failed" if note.failed else ""
    return f"      {note.about}{failed}: {note.message}"


@define_command("gate state")
def state(run: Utf8Text | None, language: Language = "en", *, options: GateOptions) -> None:
    """Show the state of a run, what is missing, and the events that can be sent.

    \b
    Examples:
      saniwa gate state last
      saniwa gate state last --language ja
    """
    translator = open_translator(language, *TRANSLATED_PACKAGES)
    with options.connect() as connection:
        view = translator.translate_record(connection.gate.get_state(connection.find_run(run)))
        rows = [] if options.as_json else [*list_state_rows(connection, view, translator)]
    if options.as_json:
        render.print_json(view)
        return
    ended = translator.translate_reasons(" (the end)") if view.is_final else ""
    render.show_row(f"{view.current_state}{ended}", bold=True)
    for name, text in rows:
        render.show_row(f"  {name:<9} {text}")
    if view.current_state_prompt:
        render.show_text(f"\n{view.current_state_prompt.strip()}")


def list_state_rows(
    connection: GateConnection, view: "RunState", translator: Translator
) -> Iterator[tuple[str, str]]:
    """Yield what there is to know of a run, each with its name."""
    tell = translator.translate_reasons
    yield "run", view.run_id
    yield "process", f"{view.process_id} {view.process_version}"
    if not view.is_final and (newer := suggest_migration(connection, view.run_id)):
        yield "", tell(newer)
    yield "revision", f"{view.revision}, {view.updated_at}"
    for name, value in view.context.items():
        yield "context", f"{format_name(name)} = {format_value(value)}"
    if view.last_decision is not None:
        yield "decided", tell(format_decision(view.last_decision))
    for kind in view.required_artifacts:
        yield kind.status, f"{format_name(kind.type)}  {kind.description}".rstrip()
    events = connection.gate.list_events(view.run_id, include_blocked=True)
    yield from _format_guards(map(translator.translate_record, events), tell)
    if view.allowed_events:
        yield "may send", ", ".join(view.allowed_events)
    file = False
    for event in [each for each in events if each.is_allowed and not each.needs_review][:1]:
        file = any(way.missing_artifacts for way in event.transitions)
        yield "such as", _format_example(view, event) + " --artifact FILE" * file
    if decisions := [event.event_name for event in events if event.needs_review]:
        command = f"saniwa gate review {view.run_id}"
        yield "people", tell(f"decide ({', '.join(decisions)}) after reading: {command}")
    yield from _format_relatives(view, tell)
    yield from _format_pending(view, tell)
    legend = tell(" (FILE is a path in this folder, and is named after its kind)") if file else ""
    yield "evidence", f"{view.artifact_base_path}{legend}"
    if hint := suggest_resubmission(connection, view.run_id):
        yield "changed", tell(hint)


def _format_example(view: "RunState", event: "SendableEvent") -> str:
    """Return a command that sends the event, without its evidence."""
    words = ["saniwa", "gate", "emit", view.run_id, event.event_name, "--expected-revision"]
    words += [str(view.revision), "--key", f"{event.event_name}-{view.revision}"]
    payload = " --payload JSON" * _has_required_payload(event)
    return shlex.join(words) + payload


def _format_guards(
    events: Iterable["SendableEvent"], tell: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    for event in events:
        for way in event.transitions:
            if way.guard_status != "no_guard":
                named = f" ({format_name(way.guard)})" if way.guard else ""
                status = "; ".join(list_obstacles(way)) or tell("satisfied")
                yield "guard", f"{event.event_name} → {way.to_state}{named}: {status}"


def list_obstacles(way: "PossibleTransition") -> list[str]:
    """List what is between a transition and its event: what is missing, and unrun checks."""
    return [*way.missing_requirements, *map(format_check, way.pending_checks)]


def format_check(check: "PendingCheck") -> str:
    """Format a check that the gate has not run yet."""
    return f"{format_name(check.guard_name)}: {check.current_status}"


def _format_pending(view: "RunState", tell: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the timers and the webhooks that are to come."""
    for due in view.due:
        late = tell("overdue: the next event or `saniwa gate tick` takes it")
        when = tell("given up" if due.given_up else f"at {due.due_at}")
        yield "due", f"{due.event} → {due.to_state} {when}" + f", {late}" * due.overdue
        if due.attempts:
            yield "", tell(f"refused {render.format_count(due.attempts, 'time')}: {due.problem}")
    for sent in view.undelivered:
        tried = render.format_count(sent.attempts, "attempt")
        when = f"again at {sent.due_at}" if sent.due_at else "dead letter"
        yield "webhook", f"{sent.webhook} about {format_name(sent.to_state)}: {tried}, {when}"
        yield "", sent.problem


def _format_relatives(view: "RunState", tell: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    if view.parent is not None:
        above = view.parent
        which = tell(f"its {format_name(above.name)} {above.number + 1}")
        yield "parent", f"{above.run_id}, {which}"
        if above.closed:
            yield "closed", above.closed
    for group in view.children:
        yield "lane" if group.is_lane else "children", format_children(group)
        for run_id in group.open_runs:
            yield "", f"open: {run_id}"
    for join in view.joins:
        waits = join.waits_for or "nothing more: the next event or `saniwa gate tick` takes it"
        yield "join", f"{join.event} → {join.to_state}: {tell(waits)}"


def _has_required_payload(event: "SendableEvent") -> bool:
    schema = event.payload_schema
    return isinstance(schema, dict) and bool(schema.get("required"))


def suggest_resubmission(connection: GateConnection, run_id: str) -> str:
    """Return what to do about evidence files that have changed since; empty if none has.

    The event suggested is one that this state accepts, if possible without leaving it.
    """
    review = connection.gate.review_run(run_id)
    changed = [piece.place for piece in review.evidence if piece.fault and piece.file]
    if not changed:
        return ""
    restore = f"restore {', '.join(map(repr, changed))}"
    events = [
        event
        for event in connection.gate.list_events(run_id, include_blocked=True)
        if event.event_name not in DECISIONS and not _has_required_payload(event)
    ]
    ways = [
        (way.to_state != review.state, "agent" not in event.who_may, event.event_name)
        for event in events
        for way in event.transitions
        if all("submit it again" in why for why in way.missing_requirements)
    ]
    if not ways:
        others = ["submit again with the next event"] if events else []
        others += ["reject"] if "reject" in review.decisions else []
        return ", or ".join([restore, *others])
    words = ["saniwa", "gate", "emit", run_id, min(ways)[2]]
    words += ["--expected-revision", str(review.revision), "--key", f"again-{review.revision}"]
    words += [word for place in changed for word in ("--artifact", place)]
    return f"{restore}, or submit again: {shlex.join(words)}"


def suggest_migration(connection: GateConnection, run_id: str) -> str:
    """Return how to move a run to its process as it is now; empty if it follows that."""
    from saniwa.process.definition_index import ProcessIndex

    opening = connection.gate.log.load_run(run_id).opening
    try:
        process = connection.gate.library.find(opening.process_id)
    except ProcessError as problem:
        if problem.code == "PROCESS_NOT_FOUND":
            return ""
        check = f"saniwa gate check {shlex.quote(opening.process_id)}"
        return f"the process file cannot be used, so this run cannot move to it: {check}"
    if ProcessIndex(process).hash == opening.definition:
        return ""
    return (
        "the process file has changed since this run was started; "
        f"a person can move the run to it: saniwa gate migrate {run_id}"
    )


@define_command("gate verify")
def verify(runs: tuple[Utf8Text, ...], everyone: bool, rerun: bool, options: GateOptions) -> None:
    """Verify the complete log, records, rules and evidence of runs.

    Distinguishes facts that the gate established itself from claims. Repairs nothing.
    Exits with status 1 if something is wrong.

    \b
    Examples:
      saniwa gate verify last
      saniwa gate verify last --rerun
      saniwa gate verify --all
    """
    with options.connect() as connection:
        named = connection.list_runs() if everyone else []
        named += [connection.find_run(run) for run in runs or (() if everyone else (None,))]
        reports = {run_id: connection.gate.verify(run_id, rerun=rerun) for run_id in named}
        evidence = {run_id: connection.gate.list_origins(run_id) for run_id in named}
    passed = all(report.has_passed for report in reports.values())
    if options.as_json:
        rows = [
            {
                "run_id": run_id,
                "passed": report.has_passed,
                "findings": [found.to_document() for found in report.findings],
                "evidence": evidence[run_id],
            }
            for run_id, report in reports.items()
        ]
        render.print_json({"passed": passed, "runs": rows})
    else:
        for run_id, report in reports.items():
            for finding in report.findings:
                render.show_finding(finding)
            for piece in evidence[run_id]:
                render.show_row(_format_origin(piece))
            render.show_outcome(run_id, "OK" if report.has_passed else "FAIL")
    render.exit_passed(passed)


def _format_origin(piece: "ArtifactOrigin") -> str:
    found = piece.checked or piece.call
    more = f": {found}" if found else ""
    return f"  {piece.standing:<8}  {piece.place}  made by {piece.made_by}{more}"


_POLL_SECONDS = 0.2
"""Seconds between two reads of the log."""


@define_command("gate watch")
def watch(run: Utf8Text | None, until: Utf8Text | None, options: GateOptions) -> None:
    """Print the last event of a run, then every new one until the run ends.

    \b
    Example:
      saniwa gate watch last --until decide
    """
    with options.connect() as connection:
        run_id = connection.find_run(run)
        if until is not None:
            _check_state(connection.gate, run_id, until)
        for entry in _follow_entries(connection.gate, run_id, until):
            show_entry(entry, as_json=options.as_json)
            sys.stdout.flush()


def _check_state(gate: "Gate", run_id: str, until: str) -> None:
    from saniwa.core.suggestions import suggest_nearest

    process = gate.log.load_definition(gate.log.load_run(run_id).opening.definition)
    names = [state.name for state in process.states]
    if until not in names:
        cure = suggest_nearest(until, names) or f"there are: {', '.join(names[:20])}"
        message = f"--until: {process.process_id} has no state {until!r}; {cure}"
        raise click.BadParameter(message)


def _follow_entries(gate: "Gate", run_id: str, until: str | None) -> "Iterator[LogEntry]":
    """Yield log entries from the last event on, until the run ends or reaches `until`.

    The first entries are the last event and the notes on it.
    """
    revision, seen = gate.log.load_run(run_id).revision, 0
    while True:
        view = gate.get_state(run_id)
        for entry in islice(gate.read_history(run_id, revision - 1), seen, None):
            seen = seen + 1 if entry.revision == revision else 1
            revision = entry.revision
            yield entry
        ended = view.is_final or view.current_state == until
        if ended and revision >= view.revision:
            return
        time.sleep(_POLL_SECONDS)
