"""`saniwa gate migrate`: a run on its process as it is now."""

import click

from saniwa.cli.gate.credential import credential_of
from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.gate.ruling import tell_refusal
from saniwa.cli.render import FINDINGS, answer
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import printable


@click.command()
@run_argument
@click.option(
    "--to", "file", metavar="FILE", help="Another definition than the gate's."
)
@door_options
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
    from saniwa.process.authoring.library import checked
    from saniwa.process.authoring.reading import read_process

    process = checked(read_process(file)) if file else None
    credential = credential_of(credential_file)
    with opened(place, None, credential=credential) as door:
        try:
            standing = door.gate.migrate(door.run(run), process)
        except ProcessError as problem:
            if problem.code not in ("FORBIDDEN", "MIGRATION_REFUSED"):
                raise
            ctx.exit(_refused(problem, as_json=as_json))
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


def _refused(problem: ProcessError, *, as_json: bool) -> int:
    if as_json:
        answer({"ok": False, "error": problem.as_document()})
    else:
        tell_refusal(problem.code, problem.message)
        click.echo(printable(f"  hint: {problem.hint}"), err=True)
    return FINDINGS
