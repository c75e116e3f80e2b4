"""Commands that send events to a run: `events` and `emit`, and the decisions of people.

A decision carries the digest of the review it was made on; the gate checks it.
"""

import filecmp
import os
import shlex
from collections.abc import Callable, Iterable
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click
import msgspec
from msgspec.structs import replace

from saniwa.cli.command_definition import Utf8Text, define_command
from saniwa.cli.gate import output
from saniwa.cli.gate.inspection import (
    TRANSLATED_PACKAGES,
    format_check,
    list_obstacles,
    suggest_migration,
    suggest_resubmission,
)
from saniwa.cli.gate.options import (
    LIST_RUNS_HINT,
    GateConnection,
    GateOptions,
    is_interactive,
    parse_inline_artifact,
    parse_json_object,
    parse_url_artifact,
)
from saniwa.cli.render import (
    EXIT_FINDINGS,
    exit_with,
    print_json,
    show_labelled,
    show_row,
    to_one_line,
)
from saniwa.core.text import quote_value
from saniwa.core.translations import Language, open_translator

if TYPE_CHECKING:
    from saniwa.process.definition import Schema
    from saniwa.process.review import Review, ReviewedArtifact
    from saniwa.process.ruling import Ruling
    from saniwa.process.run_view import SendableEvent


_MAX_ENUM_VALUES = 10
"""Values of an enum that are shown at most."""


_DEFINED_REFUSALS = ("INVALID_EVENT", "INVALID_PAYLOAD", "FORBIDDEN", "GUARD_FAILED")
"""The refusals that the run's definition decides, so that another one may not refuse."""


@define_command("gate events")
def events(
    run: Utf8Text | None, language: Language = "en", *, include_blocked: bool, options: GateOptions
) -> None:
    """List the events that can be sent now, where they lead, and what is missing.

    \b
    Example:
      saniwa gate events last --include-blocked
    """
    with options.connect() as connection:
        run_id = connection.find_run(run)
        found = connection.gate.list_events(run_id, include_blocked=include_blocked)
    translator = open_translator(language, *TRANSLATED_PACKAGES)
    found = tuple(map(translator.translate_record, found))
    if options.as_json:
        print_json({"events": found})
        return
    for event in found:
        _show_event(event, translator.translate_reasons)
    if not found:
        click.echo(translator.translate_reasons("No event can be sent in this state."))


def _show_event(event: "SendableEvent", tell: Callable[[str], str]) -> None:
    name = click.style(to_one_line(event.event_name), bold=True)
    click.echo(f"{name}  {to_one_line(event.description)}".rstrip())
    form = _format_payload(event.payload_schema)
    if form:
        show_row(f"  payload   {form}")
    for way in event.transitions:
        guard = f" [{way.guard}]" if way.guard else ""
        show_row(f"  → {way.to_state}{guard}")
        for why in way.missing_requirements:
            show_row(f"    missing: {why}")
        for check in way.pending_checks:
            show_row(f"    check: {format_check(check)}")
    if not event.is_allowed:
        show_row(f"  {event.blocked_reason}")
    if event.needs_review:
        click.echo(f"  {tell('needs the digest of a review')}")


def _format_payload(schema: "Schema | None") -> str:
    """Format the payload of an event: names, their types, and which are required."""
    if not isinstance(schema, dict):
        return ""
    named = schema.get("properties")
    properties = named if isinstance(named, dict) else {}
    asked = schema.get("required")
    needed = asked if isinstance(asked, list) else []
    names = dict.fromkeys([*needed, *properties])
    return ", ".join(
        f"{output.format_name(str(name))}: {_format_type(properties.get(name))}"
        + " (needed)" * (name in needed)
        for name in names
    )


def _format_type(schema: object) -> str:
    if not isinstance(schema, dict):
        return "anything"
    if isinstance(schema.get("enum"), list):
        return " or ".join(
            output.format_value(value) for value in schema["enum"][:_MAX_ENUM_VALUES]
        )
    if "const" in schema:
        return output.format_value(schema["const"])
    kind = schema.get("type", "anything")
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def add_refusal_hint(
    ruling: "Ruling", connection: "GateConnection", run_id: str, event: str, paths: tuple[str, ...]
) -> "Ruling":
    """Return the ruling; a refusal gets a hint for the user of the command line."""
    from saniwa.process.ruling import EventRefusal

    if not isinstance(ruling, EventRefusal):
        return ruling
    code = ruling.code
    if code == "RUN_NOT_FOUND":
        return replace(ruling, hint=LIST_RUNS_HINT)
    if code == "FORBIDDEN" and event in ("approve", "reject"):
        return replace(ruling, hint=f"{ruling.hint}: saniwa gate {event} {run_id}")
    if code in _DEFINED_REFUSALS and (newer := suggest_migration(connection, run_id)):
        ruling = replace(ruling, hint="; ".join(filter(None, (ruling.hint, newer))))
    if code != "INVALID_PAYLOAD" or not paths:
        return ruling
    run = connection.gate.log.load_run(run_id)
    home = Path(connection.gate.evidence.locate_folder(run.home, run.opening.folder))
    gone = [path for path in paths if Path(path).is_absolute() or not os.path.lexists(home / path)]
    if not gone:
        return ruling
    looked = "looked in the current folder" if home == Path() else f"looked in {home}"
    hints = [looked, *(_suggest_path(path, home) for path in gone[:3])]
    return replace(ruling, hint="; ".join(filter(None, hints)))


def _suggest_path(path: str, home: Path) -> str:
    """Suggest how to submit a file that exists relative to the current folder.

    Empty if there is no such file.
    """
    here = Path(path)
    try:
        if not here.is_file():
            return ""
    except OSError:  # a name too long for the file system
        return ""
    inside = os.path.relpath(here, home)
    if inside.startswith(".."):
        copied, name = home / here.name, shlex.quote(here.name)
        if copied.is_file() and filecmp.cmp(here, copied, shallow=False):
            return f"it is there already: write --artifact {name}"
        copy = f"cp {shlex.quote(path)} {shlex.quote(str(home))}"
        return f"copy it there: {copy}; then write --artifact {name}"
    return f"write --artifact {shlex.quote(inside)}"


def _describe_replay(connection: "GateConnection", run_id: str, key: str) -> list[str]:
    """Say that an answer is an earlier one, and how to submit evidence that has changed since."""
    again = suggest_resubmission(connection, run_id)
    return [
        f"the key {key!r} was used before: this is the answer given then; nothing was sent now",
        *([f"evidence has changed since it was submitted: {again}"] if again else []),
    ]


@define_command("gate emit")
def emit(
    *,
    words: tuple[Utf8Text, ...],
    expected_revision: int | None,
    key: Utf8Text | None,
    payload: str | None,
    paths: tuple[Utf8Text, ...],
    artifact_paths: Utf8Text = "",
    inlined: tuple[Utf8Text, ...],
    urls: tuple[Utf8Text, ...],
    approval_digest: Utf8Text = "",
    options: GateOptions,
) -> None:
    """Send an event with its evidence; the gate decides which state follows.

    Exits with status 0 if the event was accepted, 1 if it was refused, and 4 if the run
    has changed since the expected revision.

    \b
    Example:
      saniwa gate emit last submit_hypothesis --expected-revision 1 --key hyp-001 \\
          --artifact hypothesis.md
    """
    from saniwa.process.artifact import Claim
    from saniwa.process.submission import Submission

    if len(words) > 2:
        raise click.UsageError("Give one EVENT, optionally with a RUN before it.")
    run, event = words if len(words) == 2 else (None, words[0])
    files = (*paths, *filter(None, artifact_paths.split(";")))
    claims = (
        *(Claim(path=path) for path in files),
        *(parse_inline_artifact(text) for text in inlined),
        *(parse_url_artifact(text) for text in urls),
    )
    sent = parse_json_object(payload, "--payload")
    with options.connect() as connection:
        run_id = connection.find_run(run)
        if expected_revision is None or key is None:
            _refuse_incomplete(connection, run_id, event)
        ruling = connection.gate.submit(
            Submission(
                run_id=run_id,
                event_name=event,
                expected_revision=expected_revision,
                idempotency_key=key,
                payload=sent,
                artifacts=claims,
                approval_digest=approval_digest,
            )
        )
        ruling = add_refusal_hint(ruling, connection, run_id, event, files)
        replayed = getattr(ruling, "replayed", False) and not options.as_json
        notes = _describe_replay(connection, run_id, key) if replayed else []
    code = output.show_ruling(ruling, as_json=options.as_json)
    for note in notes:
        show_labelled("note", note, fg="blue")
    exit_with(code)


def _refuse_incomplete(connection: GateConnection, run_id: str, event: str) -> NoReturn:
    """Refuse a command without revision or key, and name the one for the run as it is now.

    Raises:
        click.UsageError: Always.
    """
    revision = connection.gate.get_state(run_id).revision
    words = ["saniwa", "gate", "emit", run_id, event, "--expected-revision", str(revision)]
    command = shlex.join([*words, "--key", f"{event}-{revision}"])
    raise click.UsageError(
        f"Give --expected-revision and --key, such as: {command}; add the evidence that "
        f"`saniwa gate state {run_id}` names"
    )


@define_command("gate review")
def review(run: Utf8Text | None, language: Language = "en", *, options: GateOptions) -> None:
    """Show what to decide on: the evidence, where each decision leads, and the digest.

    With --json, for programs.

    \b
    Examples:
      saniwa gate review last
      saniwa gate review last --language ja
    """
    with options.connect() as connection:
        shown = connection.gate.review_run(connection.find_run(run))
        events = connection.gate.list_events(shown.run_id, include_blocked=True)
    if options.as_json:
        print_json(shown)
    else:
        show_review(shown, events, language)
        decisions = [each for each in ("approve", "reject") if each in shown.decisions]
        for label, name in zip(("such as", ""), decisions, strict=False):
            show_row(f"  {label:<9} saniwa gate {name} {shown.run_id}")


def show_review(
    shown: "Review", events: "Iterable[SendableEvent]", language: Language = "en"
) -> None:
    """Print a review as text: the run's state, all evidence, and where each decision leads."""
    translator = open_translator(language, *TRANSLATED_PACKAGES)
    tell = translator.translate_reasons
    show_row(f"{shown.process_id}: {shown.state}, revision {shown.revision}", bold=True)
    show_row(f"  run       {shown.run_id}")
    if shown.is_replaced:
        differs = tell("differs from the one that comes with this version of Saniwa")
        show_row(f"  process   {differs}", fg="red")
    for name, value in shown.context.items():
        _show_variable(output.format_name(name), value, tell)
    if shown.last_decision is not None:
        show_row(f"  decided   {tell(output.format_decision(shown.last_decision))}")
    for group in shown.children:
        show_row(f"  {'lane' if group.is_lane else 'children':<9} {output.format_children(group)}")
    for piece in shown.evidence:
        _show_evidence(piece, tell)
    decisions = _describe_decisions(shown, map(translator.translate_record, events))
    for label, line in zip_longest(("decide",), decisions, fillvalue=""):
        show_row(f"  {label:<9} {tell(line)}")
    show_row(f"  digest    {shown.digest}")


def _show_variable(name: str, value: object, tell: Callable[[str], str]) -> None:
    if not isinstance(value, dict | list):
        show_row(f"  context   {name} = {output.format_value(value)}")
        return
    show_row(f"  context   {name}")
    _show_lines(value, tell)


def _show_lines(value: object, tell: Callable[[str], str]) -> None:
    lines, is_cut = output.list_value_lines(value)
    for line in lines:
        show_row(f"            | {line}")
    if is_cut:
        show_row(f"            {tell('… more lines; --json shows them all')}")


def _show_evidence(piece: "ReviewedArtifact", tell: Callable[[str], str]) -> None:
    from saniwa.process.review import describe_provenance

    kind = output.format_name(piece.type) if piece.type else "-"
    when = f", {piece.created_at}" if piece.created_at else ""
    made = f"{piece.size} bytes, sha256:{piece.hash[:16]}, by {piece.created_by}{when}"
    show_row(f"  evidence  {kind}  {piece.place}  {tell(made)}")
    show_row(f"            {tell(describe_provenance(piece))}")
    if piece.file:
        show_row(f"            {tell(f'look at {piece.file}')}")
    if piece.content is not msgspec.UNSET:
        _show_lines(piece.content, tell)
    if piece.sent_back:
        show_row(f"            {tell('is from before the rejection')}")
    if piece.fault:
        show_row(f"            {tell(piece.fault)}", fg="red")


def _describe_decisions(shown: "Review", events: "Iterable[SendableEvent]") -> list[str]:
    """Say for each decision to which state it leads, and what is in its way."""
    possible = {event.event_name: event for event in events}
    lines = []
    for name in shown.decisions:
        event = possible.get(name)
        if event is None:
            lines.append(f"{name}: takes the event that you name, although evidence is missing")
            continue
        for way in event.transitions:
            obstacles = "; ".join(list_obstacles(way))
            leads = f"{name} → {way.to_state} ({' or '.join(event.who_may)})"
            lines.append(f"{leads}: {obstacles}" if obstacles else leads)
    return lines or ["nothing"]


class DecisionRequest(NamedTuple):
    """One decision requested on the command line."""

    run: Utf8Text | None
    """The run to decide on."""
    reason: Utf8Text | None
    """The person's reason."""
    digest: str | None
    """The digest of the review; None to show the review and ask."""
    options: GateOptions
    """Where the gate is, and who decides."""

    def submit(self, event: str, named: str | None = None) -> NoReturn:
        """Show the review and ask for confirmation, then submit; exit by the ruling.

        With a digest nothing is asked. `named` is the event whose guard is put aside.

        Raises:
            click.UsageError: There is no digest, and no terminal to ask on.
        """
        if self.digest is None and not is_interactive():
            raise click.UsageError(
                "There is no terminal for a confirmation: pass the --digest that this prints: saniwa gate review"
            )
        with self.options.connect_person() as connection:
            ruling = self._request_ruling(connection, event, named)
        if ruling is None:
            click.echo("Nothing was decided.", err=True)
            exit_with(EXIT_FINDINGS)
        exit_with(output.show_ruling(ruling, as_json=self.options.as_json))

    def _request_ruling(
        self, connection: GateConnection, event: str, named: str | None
    ) -> "Ruling | None":
        """Submit the decision and return the ruling; None if the user declined."""
        from saniwa.process.ruling import EventRefusal
        from saniwa.process.submission import Submission

        shown = connection.gate.review_run(connection.find_run(self.run))
        digest, reason = self.digest, self.reason
        if not digest:
            events = connection.gate.list_events(shown.run_id, include_blocked=True)
            show_review(shown, events)
            why = _find_obstacle(events, event, shown)
            if why:
                show_row(why, err=True)
                if again := suggest_resubmission(connection, shown.run_id):
                    show_row(f"  hint: {again}", err=True)
                return None
            what = f"{event} for {quote_value(named)}" if named else event
            if not click.confirm(f"{what}?", err=True):
                return None
            if not reason:
                reason = click.prompt("Reason", err=True)
            digest = shown.digest
        payload = {"reason": reason, "event": named}
        ruling = connection.gate.submit(
            Submission(
                run_id=shown.run_id,
                event_name=event,
                expected_revision=shown.revision,
                # Derived from the digest: sent again, it counts as the same decision.
                idempotency_key=f"{event}:{digest[:64]}",
                payload={name: value for name, value in payload.items() if value},
                approval_digest=digest,
            )
        )
        if isinstance(ruling, EventRefusal) and ruling.code in ("APPROVAL_STALE", "GUARD_FAILED"):
            again = suggest_resubmission(connection, shown.run_id)
            ruling = replace(ruling, hint=again or ruling.hint)
        return ruling


def _find_obstacle(events: "Iterable[SendableEvent]", decision: str, shown: "Review") -> str:
    """Return why a decision is impossible; empty if it can be made."""
    if decision not in shown.decisions:
        others = f"; there is: {', '.join(shown.decisions)}" * bool(shown.decisions)
        return f"{decision} is not possible in state {quote_value(shown.state)}{others}"
    for event in events:
        if event.event_name == decision and not event.is_allowed:
            return f"{decision} is not possible: {event.blocked_reason}"
    return ""


@define_command("gate approve")
def approve(decision: DecisionRequest) -> None:
    """Approve the reviewed evidence (people only).

    On a terminal, asks who you are, shows the review, and asks for confirmation. The
    decision applies only to the evidence that was shown.

    \b
    Example:
      saniwa gate approve last --digest "$(saniwa gate review last --json | jq -r .digest)"
    """
    decision.submit("approve")


@define_command("gate override")
def override(event: Utf8Text | None, decision: DecisionRequest) -> None:
    """Override a guard, with a reason (people only).

    Takes the transition of `override_guard`, or of the event named with --event, even
    though evidence is missing. The log records what was missing.

    \b
    Example:
      saniwa gate override last --event submit_evidence --reason "shown in person"
    """
    decision.submit("override_guard", event)


@define_command("gate reject")
def reject(decision: DecisionRequest) -> None:
    """Reject the reviewed evidence (people only).

    On a terminal, asks who you are, shows the review, and asks for confirmation and for
    the reason. The decision applies only to the evidence that was shown.

    \b
    Example:
      saniwa gate reject last --digest "$(saniwa gate review last --json | jq -r .digest)"
    """
    decision.submit("reject")
