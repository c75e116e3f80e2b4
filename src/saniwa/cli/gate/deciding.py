"""How a person decides: looks at the review, and sends a decision bound to it."""

import os
import sys
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import Opened, credential_in, opened
from saniwa.cli.gate.review import show_review
from saniwa.cli.gate.ruling import show_ruling

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
        return show_ruling(ruling, as_json=as_json)

    def _ruling(self, door: Opened, run_id: str) -> "Ruling":
        from saniwa.process.ruling import Submission

        shown = door.gate.review(run_id)
        digest = self._digest or self._asked(shown)
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
        click.confirm(f"{self._event}?", abort=True, err=True)
        return shown.digest


def is_terminal() -> bool:
    """Whether somebody sits here who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def credential_of(file: str | None) -> str | None:
    """The credential: in the file, else in the environment, else asked for."""
    if file is not None:
        return credential_in(file)
    if os.environ.get("STATE_GATE_CREDENTIAL") or not is_terminal():
        return None
    name = click.prompt("Name", err=True)
    secret = click.prompt("Passphrase", hide_input=True, err=True)
    return f"{name}:{secret}"
