"""How a person decides: looks at the review, and sends a decision bound to it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from saniwa.cli.gate.credential import credential_of, is_terminal
from saniwa.cli.gate.door import Opened, door_options, opened, run_argument
from saniwa.cli.gate.lines import one_line
from saniwa.cli.gate.review import show_review
from saniwa.cli.gate.ruling import show_ruling
from saniwa.cli.gate.words import WORDS
from saniwa.cli.render import FINDINGS
from saniwa.core.quoted import quoted
from saniwa.process.definition import OVERRIDE

if TYPE_CHECKING:
    from saniwa.process.ruling import Ruling
    from saniwa.process.weighing.review import Review


F = TypeVar("F", bound=Callable[..., Any])


def decision_options(command: F) -> F:
    """What every decision is asked for with: the run, why, and on what."""
    reason = click.option("--reason", type=WORDS, help="Why; it stands in the log.")
    digest = click.option(
        "--digest", metavar="D", help="The digest of the review, without asking."
    )
    return run_argument(reason(digest(door_options(click.pass_context(command)))))  # type: ignore[return-value]


class Decision:
    """One decision, as it was asked for on the command line."""

    def __init__(
        self, event: str, reason: str | None, digest: str | None, named: str | None = ""
    ) -> None:
        self._event = event
        self._reason = reason
        self._digest = digest
        self._named = named

    def make(
        self,
        run: str | None,
        place: str | None,
        credential_file: str | None,
        *,
        as_json: bool,
    ) -> int:
        """Show, ask where somebody can answer, and send; the exit code it means."""
        if self._digest is None and not is_terminal():
            raise click.UsageError(
                "Nobody can be asked here: give --digest, as shown by: saniwa gate review"
            )
        credential = credential_of(credential_file)
        with opened(place, None, credential=credential) as door:
            ruling = self._ruling(door, door.run(run))
        if ruling is None:
            click.echo("Nothing was decided.", err=True)
            return FINDINGS
        return show_ruling(ruling, as_json=as_json)

    def _ruling(self, door: Opened, run_id: str) -> "Ruling | None":
        """What the gate says; None where somebody looked and said no."""
        from saniwa.process.ruling import Submission

        shown = door.gate.review(run_id)
        digest = self._digest or self._asked(door, shown)
        if not digest:
            return None
        told = {"reason": self._reason, "event": self._named}
        return door.gate.submit(
            Submission(
                run_id=run_id,
                event_name=self._event,
                expected_revision=shown.revision,
                # Named after what was shown: sent again, it is the same decision.
                idempotency_key=f"{self._event}:{digest[:64]}",
                payload={name: value for name, value in told.items() if value},
                approval_digest=digest,
            )
        )

    def _asked(self, door: Opened, shown: "Review") -> str:
        """The digest, where somebody looked and said yes; empty otherwise."""
        show_review(shown)
        why = self._hindrance(door, shown)
        if why:
            click.echo(one_line(why), err=True)
            return ""
        if self._event == OVERRIDE and not self._reason:
            self._reason = click.prompt("Reason", err=True)
        what = (
            f"{self._event} for {quoted(self._named)}" if self._named else self._event
        )
        return shown.digest if click.confirm(f"{what}?", err=True) else ""

    def _hindrance(self, door: Opened, shown: "Review") -> str:
        """Why nobody need be asked; empty where the decision can be made."""
        if self._event not in shown.decisions:
            others = f"; there is: {', '.join(shown.decisions)}" * bool(shown.decisions)
            return (
                f"{self._event} is not possible in state {quoted(shown.state)}{others}"
            )
        for event in door.gate.events(shown.run_id, include_blocked=True):
            if event.event_name == self._event and not event.is_allowed:
                return f"{self._event} is not possible: {event.blocked_reason}"
        return ""
