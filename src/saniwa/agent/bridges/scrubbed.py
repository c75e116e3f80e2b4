"""Pieces of an answer on their way to whoever listens, without secrets."""

from saniwa.agent.oracle import Hear
from saniwa.core.redaction import Redaction
from saniwa.core.sound import sound


class Scrubbed:
    """Passes pieces on as they come, but no secret, also none that comes in two."""

    def __init__(self, hear: Hear, redaction: Redaction) -> None:
        self._hear = hear
        self._redaction = redaction
        self._waiting = ""
        self.failed: BaseException | None = None
        """What went wrong with whoever listens: no mistake of the model's."""

    def __call__(self, piece: str) -> None:
        """Hear the next piece."""
        known = self._redaction.text(self._waiting + sound(piece))
        held = self._redaction.held(known)
        self._waiting = known[len(known) - held :]
        self._tell(known[: len(known) - held])

    def finish(self) -> None:
        """Nothing more comes."""
        self._tell(self._waiting)
        self._waiting = ""

    def _tell(self, text: str) -> None:
        if not text:
            return
        try:
            self._hear(text)
        except BaseException as problem:
            self.failed = problem
            raise
