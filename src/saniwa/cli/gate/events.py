"""`saniwa gate events` and `saniwa gate emit`: list what can be sent, and send it."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from saniwa.cli.gate.access import (
    LIST_RUNS_HINT,
    GateOptions,
    format_name,
    format_value,
    gate_options,
    parse_inline_artifact,
    parse_json_object,
    parse_url_artifact,
    run_argument,
    show_ruling,
)
from saniwa.cli.options import UTF8_TEXT, add_option
from saniwa.cli.render import exit_with, print_json, show_row, to_one_line

if TYPE_CHECKING:
    from saniwa.cli.gate.access import GateConnection
    from saniwa.process.definition import Schema
    from saniwa.process.ruling import Ruling
    from saniwa.process.view import SendableEvent


_add_list_option = partial(add_option, multiple=True, type=UTF8_TEXT)
_MAX_ENUM_VALUES = 10
"""Values of an enum that are shown at most."""


@click.command()
@run_argument
@add_option("--include-blocked", "Also those that only others may send.")
@gate_options
def events(run: str | None, include_blocked: bool, options: GateOptions) -> None:
    """List what can be sent now, where it could lead, and what is missing.

    \b
    Example:
      saniwa gate events last --include-blocked
    """
    with options.connect() as connection:
        run_id = connection.find_run(run)
        found = connection.gate.list_events(run_id, include_blocked=include_blocked)
    if options.as_json:
        print_json({"events": found})
        return
    for event in found:
        _show_event(event)
    if not found:
        click.echo("Nothing can be sent here.")


def _show_event(event: "SendableEvent") -> None:
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
    if not event.is_allowed:
        show_row(f"  {event.blocked_reason}")
    if event.needs_review:
        click.echo("  needs the digest of a review")


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
        f"{format_name(str(name))}: {_format_type(properties.get(name))}"
        + " (needed)" * (name in needed)
        for name in names
    )


def _format_type(schema: object) -> str:
    if not isinstance(schema, dict):
        return "anything"
    if isinstance(schema.get("enum"), list):
        return " or ".join(format_value(value) for value in schema["enum"][:_MAX_ENUM_VALUES])
    if "const" in schema:
        return format_value(schema["const"])
    kind = schema.get("type", "anything")
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def add_refusal_hint(
    ruling: "Ruling", connection: "GateConnection", run_id: str, paths: tuple[str, ...]
) -> "Ruling":
    """Return the ruling; a refusal gets a hint for the user of the command line."""
    code = getattr(ruling, "code", "")
    if code == "RUN_NOT_FOUND":
        return replace(ruling, hint=LIST_RUNS_HINT)
    if code != "INVALID_PAYLOAD" or not paths:
        return ruling
    folder = connection.gate.log.load_run(run_id).opening.folder
    home = Path(connection.gate.evidence.locate_folder(run_id, folder))
    gone = [path for path in paths if not os.path.lexists(home / path)]
    if not gone:
        return ruling
    hints = [f"looked in {home}", *(_suggest_path(path, home) for path in gone[:3])]
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
        return f"put it into {home}"
    return f"name it: --artifact {inside}"


@click.command()
@click.argument("words", nargs=-1, required=True, type=UTF8_TEXT, metavar="[RUN] EVENT")
@add_option("--expected-revision N", "The revision you have seen.", type=int, required=True)
@add_option(
    "--key, --idempotency-key K",
    "Your own name for this request; the same again changes nothing.",
    required=True,
    type=UTF8_TEXT,
)
@add_option("--payload JSON|@FILE", "What is sent with it.")
@_add_list_option(
    "--artifact PATH", "Evidence: a file inside the run's folder of artifacts.", "paths"
)
@add_option('--artifact-paths "A;B"', "Several such files.", type=UTF8_TEXT, default="")
@_add_list_option("--inline TYPE=JSON|@FILE", "Evidence that is written here.", "inlined")
@_add_list_option("--url TYPE=URL#sha256=HEX", "Evidence that lies elsewhere.", "urls")
@add_option(
    "--approval-digest D",
    "For a decision: the digest of the review it was made on.",
    type=UTF8_TEXT,
    default="",
)
@gate_options
def emit(
    words: tuple[str, ...],
    expected_revision: int,
    key: str,
    payload: str | None,
    paths: tuple[str, ...],
    artifact_paths: str,
    inlined: tuple[str, ...],
    urls: tuple[str, ...],
    approval_digest: str,
    options: GateOptions,
) -> None:
    """Send an event, with its evidence; the gate decides where that leads.

    Ends with 0 if it was accepted, 1 if it was refused, and 4 if the run has moved on
    since that revision.

    \b
    Example:
      saniwa gate emit last submit_hypothesis --expected-revision 1 --key hyp-001 \\
          --artifact hypothesis.md
    """
    from saniwa.process.artifact import Claim
    from saniwa.process.ruling import Submission

    if len(words) > 2:
        raise click.UsageError("Give one EVENT, and before it one RUN at most.")
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
        ruling = add_refusal_hint(ruling, connection, run_id, files)
    exit_with(show_ruling(ruling, as_json=options.as_json))
