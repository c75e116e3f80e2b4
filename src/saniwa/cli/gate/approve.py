"""`saniwa gate approve`: approve what was reviewed."""

import click

from saniwa.cli.gate.deciding import Decision, decision_options


@click.command()
@decision_options
def approve(
    ctx: click.Context,
    run: str | None,
    reason: str | None,
    digest: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Approve what was reviewed; for people.

    Shows the review and asks on a terminal. The decision counts for what was shown, and
    for nothing else.

    \b
    Example:
      saniwa gate approve last --digest "$(saniwa gate review last --json | jq -r .digest)"
    """
    decision = Decision("approve", reason, digest)
    ctx.exit(decision.make(run, place, credential_file, as_json=as_json))
