"""How a person decides: looks at the review, and sends a decision bound to it."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.credential import credential_of, is_terminal
from saniwa.cli.gate.door import Opened, opened
from saniwa.cli.gate.review import show_review
from saniwa.cli.gate.ruling import show_ruling
from saniwa.cli.render import FINDINGS

if TYPE_CHECKING:
    from saniwa.process.ruling import Ruling
    from saniwa.process.weighing.review import Review


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
        digest = self._digest or self._asked(shown)
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

    def _asked(self, shown: "Review") -> str:
        show_review(shown)
        if self._event == "override_guard" and not self._reason:
            self._reason = click.prompt("Reason", err=True)
        return shown.digest if click.confirm(f"{self._event}?", err=True) else ""
