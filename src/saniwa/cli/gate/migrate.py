"""`saniwa gate migrate`: a run on its process as it is now."""

import click

from saniwa.cli.gate.deciding import credential_of
from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.render import answer, printable


@click.command()
@click.argument("run")
@click.option(
    "--to", "file", metavar="FILE", help="Another definition than the gate's."
)
@door_options
def migrate(
    run: str,
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
    from saniwa.process.authoring.library import checked
    from saniwa.process.authoring.reading import read_process

    process = checked(read_process(file)) if file else None
    credential = credential_of(credential_file)
    with opened(place, None, credential=credential) as door:
        standing = door.gate.migrate(door.run(run), process)
    opening = standing.opening
    if as_json:
        answer(
            {
                "run_id": standing.run_id,
                "process_id": opening.process_id,
                "process_version": opening.process_version,
                "process_hash": opening.definition,
                "current_state": standing.state,
                "revision": standing.revision,
            }
        )
        return
    named = f"{opening.process_id} {opening.process_version}"
    told = f"{named}, {opening.definition[:16]}, revision {standing.revision}"
    click.echo(printable(f"{standing.run_id}  {told}"))
