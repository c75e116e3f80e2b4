"""`saniwa gate override`: put a guard aside."""

import click

from saniwa.cli.gate.deciding import Decision, decision_options
from saniwa.cli.gate.words import WORDS


@click.command()
@click.option(
    "--event", type=WORDS, metavar="E", help="The event whose guard is put aside."
)
@decision_options
def override(
    ctx: click.Context,
    run: str | None,
    event: str | None,
    reason: str | None,
    digest: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Put a guard aside, with a reason; for people.

    Takes the way of `override_guard` itself, or that of the event it names, whatever is
    missing; what was missing stands in the log.

    \b
    Example:
      saniwa gate override last --event submit_evidence --reason "shown in person"
    """
    decision = Decision("override_guard", reason, digest, event)
    ctx.exit(decision.make(run, place, credential_file, as_json=as_json))
