"""`saniwa gate review`, `approve`, `reject` and `override`: decisions by people.

A decision carries the digest of the review it was made on; the gate checks it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from saniwa.cli.gate.access import (
    GateConnection,
    connect_gate,
    gate_options,
    get_credential,
    is_interactive,
    run_argument,
)
from saniwa.cli.gate.render import (
    format_decision,
    format_name,
    format_value,
    show_ruling,
    to_one_line,
)
from saniwa.cli.options import UTF8_TEXT
from saniwa.cli.render import EXIT_FINDINGS, print_json
from saniwa.core.text import quote_value
from saniwa.process.definition import OVERRIDE

if TYPE_CHECKING:
    from saniwa.process.review import Review, ReviewedArtifact
    from saniwa.process.ruling import Ruling


@click.command()
@run_argument
@gate_options
def review(run: str | None, place: str | None, credential_file: str | None, as_json: bool) -> None:
    """Show what a decision is made on, and the digest that binds it to that.

    \b
    Example:
      saniwa gate review last
    """
    with connect_gate(place, credential_file) as connection:
        shown = connection.gate.review_run(connection.find_run(run))
    if as_json:
        print_json(shown)
    else:
        show_review(shown)


def show_review(shown: "Review") -> None:
    """Print a review as text: the run's state, and all submitted evidence."""
    where = f"{shown.process_id}: {shown.state}, revision {shown.revision}"
    click.secho(to_one_line(where), bold=True)
    click.echo(f"  run       {to_one_line(shown.run_id)}")
    for name, value in shown.context.items():
        click.echo(f"  context   {format_name(name)} = {format_value(value)}")
    if shown.last_decision is not None:
        click.echo(to_one_line(f"  decided   {format_decision(shown.last_decision)}"))
    for piece in shown.evidence:
        _show_evidence(piece)
    click.echo(to_one_line(f"  decide    {', '.join(shown.decisions) or 'nothing'}"))
    click.echo(f"  digest    {shown.digest}")


def _show_evidence(piece: "ReviewedArtifact") -> None:
    from saniwa.process.review import describe_provenance

    kind = format_name(piece.type) if piece.type else "-"
    made = f"{piece.size} bytes, sha256:{piece.hash[:16]}, by {piece.created_by}"
    click.echo(to_one_line(f"  evidence  {kind}  {piece.place}  {made}"))
    click.echo(to_one_line(f"            {describe_provenance(piece)}"))
    if piece.file:
        click.echo(to_one_line(f"            look at {piece.file}"))
    if piece.content is not msgspec.UNSET:
        click.echo(f"            {format_value(piece.content)}")
    if piece.sent_back:
        click.echo("            is from before the rejection")
    if piece.fault:
        click.secho(to_one_line(f"            {piece.fault}"), fg="red")


F = TypeVar("F", bound=Callable[..., Any])


def decision_options(command: F) -> F:
    """Add what every decision takes: RUN, `--reason`, `--digest` and the gate options."""
    reason = click.option("--reason", type=UTF8_TEXT, help="Why; it stands in the log.")
    digest = click.option("--digest", metavar="D", help="The digest of the review, without asking.")
    return run_argument(reason(digest(gate_options(click.pass_context(command)))))  # type: ignore[return-value]


class DecisionCommand:
    """One decision requested on the command line."""

    def __init__(
        self, event: str, reason: str | None, digest: str | None, named: str | None = ""
    ) -> None:
        self._event = event
        self._reason = reason
        self._digest = digest
        self._named = named

    def submit(
        self, run: str | None, place: str | None, credential_file: str | None, *, as_json: bool
    ) -> int:
        """Show the review and ask for confirmation, then submit; return the exit code.

        With a digest nothing is asked.

        Raises:
            click.UsageError: There is no digest, and no terminal to ask on.
        """
        if self._digest is None and not is_interactive():
            raise click.UsageError(
                "Nobody can be asked here: give --digest, as shown by: saniwa gate review"
            )
        credential = get_credential(credential_file)
        with connect_gate(place, None, credential=credential) as connection:
            ruling = self._request_ruling(connection, connection.find_run(run))
        if ruling is None:
            click.echo("Nothing was decided.", err=True)
            return EXIT_FINDINGS
        return show_ruling(ruling, as_json=as_json)

    def _request_ruling(self, connection: GateConnection, run_id: str) -> "Ruling | None":
        """Submit the decision and return the ruling; None if the user declined."""
        from saniwa.process.ruling import Submission

        shown = connection.gate.review_run(run_id)
        digest = self._digest or self._confirm_digest(connection, shown)
        if not digest:
            return None
        payload = {"reason": self._reason, "event": self._named}
        return connection.gate.submit(
            Submission(
                run_id=run_id,
                event_name=self._event,
                expected_revision=shown.revision,
                # Derived from the digest: sent again, it counts as the same decision.
                idempotency_key=f"{self._event}:{digest[:64]}",
                payload={name: value for name, value in payload.items() if value},
                approval_digest=digest,
            )
        )

    def _confirm_digest(self, connection: GateConnection, shown: "Review") -> str:
        """Show the review and return its digest if the user confirms; else an empty text."""
        show_review(shown)
        why = self._find_obstacle(connection, shown)
        if why:
            click.echo(to_one_line(why), err=True)
            return ""
        if self._event == OVERRIDE and not self._reason:
            self._reason = click.prompt("Reason", err=True)
        what = f"{self._event} for {quote_value(self._named)}" if self._named else self._event
        return shown.digest if click.confirm(f"{what}?", err=True) else ""

    def _find_obstacle(self, connection: GateConnection, shown: "Review") -> str:
        """Return why the decision is impossible; empty if it can be made."""
        if self._event not in shown.decisions:
            others = f"; there is: {', '.join(shown.decisions)}" * bool(shown.decisions)
            return f"{self._event} is not possible in state {quote_value(shown.state)}{others}"
        for event in connection.gate.list_events(shown.run_id, include_blocked=True):
            if event.event_name == self._event and not event.is_allowed:
                return f"{self._event} is not possible: {event.blocked_reason}"
        return ""


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
    decision = DecisionCommand("approve", reason, digest)
    ctx.exit(decision.submit(run, place, credential_file, as_json=as_json))


@click.command()
@click.option("--event", type=UTF8_TEXT, metavar="E", help="The event whose guard is put aside.")
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
    decision = DecisionCommand("override_guard", reason, digest, event)
    ctx.exit(decision.submit(run, place, credential_file, as_json=as_json))


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
    decision = DecisionCommand("reject", reason, digest)
    ctx.exit(decision.submit(run, place, credential_file, as_json=as_json))
