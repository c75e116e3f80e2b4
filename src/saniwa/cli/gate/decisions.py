"""`saniwa gate review`, `approve`, `reject` and `override`: decisions by people.

A decision carries the digest of the review it was made on; the gate checks it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

import click
import msgspec

from saniwa.cli.gate.access import (
    GateConnection,
    GateOptions,
    format_decision,
    format_name,
    format_value,
    gate_options,
    is_interactive,
    run_argument,
    show_ruling,
)
from saniwa.cli.options import UTF8_TEXT, add_option, pack_options
from saniwa.cli.render import EXIT_FINDINGS, exit_with, print_json, show_row
from saniwa.core.text import quote_value
from saniwa.process.definition import OVERRIDE

if TYPE_CHECKING:
    from saniwa.process.review import Review, ReviewedArtifact
    from saniwa.process.ruling import Ruling


@click.command()
@run_argument
@gate_options
def review(run: str | None, options: GateOptions) -> None:
    """Show what a decision is made on, and the digest that binds it to that.

    \b
    Example:
      saniwa gate review last
    """
    with options.connect() as connection:
        shown = connection.gate.review_run(connection.find_run(run))
    if options.as_json:
        print_json(shown)
    else:
        show_review(shown)


def show_review(shown: "Review") -> None:
    """Print a review as text: the run's state, and all submitted evidence."""
    show_row(f"{shown.process_id}: {shown.state}, revision {shown.revision}", bold=True)
    show_row(f"  run       {shown.run_id}")
    for name, value in shown.context.items():
        show_row(f"  context   {format_name(name)} = {format_value(value)}")
    if shown.last_decision is not None:
        show_row(f"  decided   {format_decision(shown.last_decision)}")
    for piece in shown.evidence:
        _show_evidence(piece)
    show_row(f"  decide    {', '.join(shown.decisions) or 'nothing'}")
    show_row(f"  digest    {shown.digest}")


def _show_evidence(piece: "ReviewedArtifact") -> None:
    from saniwa.process.review import describe_provenance

    kind = format_name(piece.type) if piece.type else "-"
    made = f"{piece.size} bytes, sha256:{piece.hash[:16]}, by {piece.created_by}"
    show_row(f"  evidence  {kind}  {piece.place}  {made}")
    show_row(f"            {describe_provenance(piece)}")
    if piece.file:
        show_row(f"            look at {piece.file}")
    if piece.content is not msgspec.UNSET:
        show_row(f"            {format_value(piece.content)}")
    if piece.sent_back:
        show_row("            is from before the rejection")
    if piece.fault:
        show_row(f"            {piece.fault}", fg="red")


F = TypeVar("F", bound=Callable[..., Any])


class DecisionRequest(NamedTuple):
    """One decision requested on the command line."""

    run: str | None
    """The run to decide on."""
    reason: str | None
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
                "Nobody can be asked here: give --digest, as shown by: saniwa gate review"
            )
        with self.options.connect_person() as connection:
            ruling = self._request_ruling(connection, event, named)
        if ruling is None:
            click.echo("Nothing was decided.", err=True)
            exit_with(EXIT_FINDINGS)
        exit_with(show_ruling(ruling, as_json=self.options.as_json))

    def _request_ruling(
        self, connection: GateConnection, event: str, named: str | None
    ) -> "Ruling | None":
        """Submit the decision and return the ruling; None if the user declined."""
        from saniwa.process.ruling import Submission

        shown = connection.gate.review_run(connection.find_run(self.run))
        digest, reason = self.digest, self.reason
        if not digest:
            show_review(shown)
            why = _find_obstacle(connection, event, shown)
            if why:
                show_row(why, err=True)
                return None
            if event == OVERRIDE and not reason:
                reason = click.prompt("Reason", err=True)
            what = f"{event} for {quote_value(named)}" if named else event
            if not click.confirm(f"{what}?", err=True):
                return None
            digest = shown.digest
        payload = {"reason": reason, "event": named}
        return connection.gate.submit(
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


def _find_obstacle(connection: GateConnection, decision: str, shown: "Review") -> str:
    """Return why a decision is impossible; empty if it can be made."""
    if decision not in shown.decisions:
        others = f"; there is: {', '.join(shown.decisions)}" * bool(shown.decisions)
        return f"{decision} is not possible in state {quote_value(shown.state)}{others}"
    for event in connection.gate.list_events(shown.run_id, include_blocked=True):
        if event.event_name == decision and not event.is_allowed:
            return f"{decision} is not possible: {event.blocked_reason}"
    return ""


def decision_options(command: F) -> F:
    """Add RUN, `--reason`, `--digest` and the gate's options, as one argument `decision`."""
    reason = add_option("--reason", "Why; it stands in the log.", type=UTF8_TEXT)
    digest = add_option("--digest D", "The digest of the review, without asking.")
    inner = pack_options(
        command, (), DecisionRequest._fields, lambda mine: {"decision": DecisionRequest(**mine)}
    )
    return run_argument(reason(digest(gate_options(inner))))


@click.command()
@decision_options
def approve(decision: DecisionRequest) -> None:
    """Approve what was reviewed; for people.

    Shows the review and asks on a terminal. The decision counts for what was shown, and
    for nothing else.

    \b
    Example:
      saniwa gate approve last --digest "$(saniwa gate review last --json | jq -r .digest)"
    """
    decision.submit("approve")


@click.command()
@add_option("--event E", "The event whose guard is put aside.", type=UTF8_TEXT)
@decision_options
def override(event: str | None, decision: DecisionRequest) -> None:
    """Put a guard aside, with a reason; for people.

    Takes the way of `override_guard` itself, or that of the event it names, whatever is
    missing; what was missing stands in the log.

    \b
    Example:
      saniwa gate override last --event submit_evidence --reason "shown in person"
    """
    decision.submit("override_guard", event)


@click.command()
@decision_options
def reject(decision: DecisionRequest) -> None:
    """Send back what was reviewed; for people.

    Shows the review and asks on a terminal. The decision counts for what was shown, and
    for nothing else.

    \b
    Example:
      saniwa gate reject last --digest "$(saniwa gate review last --json | jq -r .digest)"
    """
    decision.submit("reject")
