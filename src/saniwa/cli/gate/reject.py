"""`saniwa gate reject`: send it back."""

import click

from saniwa.cli.gate.deciding import Decision, decision_options


@click.command()
@decision_options
def reject(
    ctx: click.Context,
    run: str | None,
    reason: str | None,
    digest: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Send back what was reviewed; for people.

    Shows the review and asks on a terminal. The decision counts for what was shown, and
    for nothing else.

    \b
    Example:
      saniwa gate reject last --digest "$(saniwa gate review last --json | jq -r .digest)"
    """
    decision = Decision("reject", reason, digest)
    ctx.exit(decision.make(run, place, credential_file, as_json=as_json))
