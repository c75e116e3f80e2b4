"""A provider's pieces on their way to whoever listens."""

from typing import Any, Final

from saniwa.agent.bridges.text import LONGEST
from saniwa.agent.oracle import Hear
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redaction
from saniwa.core.sound import sound

_SPOKEN: Final = ("text", "tool_call")


class Scrubbed:
    """Passes pieces on as they come, but no secret, also none that comes in two."""

    def __init__(self, hear: Hear, redaction: Redaction) -> None:
        self._hear = hear
        self._redaction = redaction
        self._waiting = ""
        self._heard = 0
        self.failed: BaseException | None = None
        """What went wrong with whoever listens: no mistake of the provider's."""

    def event(self, event: Any) -> None:
        """Hear what an event of the library says; most say nothing."""
        if event.event_kind == "part_start":
            self._begin(event.part)
        elif event.event_kind == "part_delta":
            delta = event.delta
            said = getattr(delta, "content_delta", "") or getattr(
                delta, "args_delta", ""
            )
            if delta.part_delta_kind in _SPOKEN and isinstance(said, str):
                self._piece(said)

    def _begin(self, part: Any) -> None:
        if part.part_kind == "text":
            self._piece(part.content)
        elif part.part_kind == "tool-call" and part.args:
            self._piece(part.args_as_json_str())

    def finish(self) -> None:
        """Nothing more comes."""
        self._tell(self._waiting)
        self._waiting = ""

    def _piece(self, piece: str) -> None:
        self._heard += len(piece)
        if self._heard > LONGEST:
            raise SdkBridgeError(
                "BRIDGE_REFUSED",
                f"the answer has more than {LONGEST} letters and is not heard to its end",
                hint="ask for a shorter answer",
            )
        known = self._redaction.text(self._waiting + sound(piece))
        held = self._redaction.held(known)
        self._waiting = known[len(known) - held :]
        self._tell(known[: len(known) - held])

    def _tell(self, text: str) -> None:
        if not text:
            return
        try:
            self._hear(text)
        except BaseException as problem:
            self.failed = problem
            raise
