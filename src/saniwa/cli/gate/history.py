"""`saniwa gate history`: who did what, when and on which evidence."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.gate.lines import one_line, told
from saniwa.cli.render import answer

if TYPE_CHECKING:
    from saniwa.process.record import Entry, Note, Record


@click.command()
@run_argument
@door_options
def history(
    run: str | None, place: str | None, credential_file: str | None, as_json: bool
) -> None:
    """Tell who did what, when and on which evidence.

    With --json, one record a line, as it is kept; notes of hooks stand between them.

    \b
    Example:
      saniwa gate history last
    """
    with opened(place, credential_file) as door:
        for entry in door.gate.history(door.run(run)):
            show_entry(entry, as_json=as_json)


def show_entry(entry: "Entry", *, as_json: bool) -> None:
    """One entry of a run's record."""
    if as_json:
        answer(entry)
        return
    for line in lines_of(entry):
        click.echo(one_line(line))


def lines_of(entry: "Entry") -> Iterator[str]:
    """An entry for people: what happened, then what it stands on."""
    from saniwa.process.record import Record

    if isinstance(entry, Record):
        yield from _event(entry)
    else:
        yield _note(entry)


def _event(record: "Record") -> Iterator[str]:
    from saniwa.process.record import timestamp

    way = f"{record.source} → {record.state}" if record.source else record.state
    who = f"{record.author.type}:{record.author.id}"
    role = f" as {record.role}" if record.role != record.author.id else ""
    when = timestamp(record.at)
    yield f"{record.revision:>4}  {when}  {record.event}  {way}  {who}{role}"
    if record.opening is not None:
        opening = record.opening
        named = f"{opening.process_id} {opening.process_version}"
        yield f"      process {named}, {opening.definition[:16]}"
    if record.payload:
        yield f"      payload {told(record.payload)}"
    for artifact in record.artifacts:
        kind = artifact.type or "no kind"
        yield f"      {kind} {artifact.place} sha256:{artifact.hash[:16]}"
    if record.approval is not None:
        digest = record.approval.digest[:16]
        yield f"      decided on revision {record.approval.revision}, {digest}"
    for lack in record.overridden:
        yield f"      put aside: {lack}"


def _note(note: "Note") -> str:
    failed = " failed" if note.failed else ""
    return f"      {note.about}{failed}: {note.message}"
