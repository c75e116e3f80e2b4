"""A provider's pieces on their way to whoever listens."""

from typing import Any, Final

from saniwa.agent.bridges.provider.words import carries_answer
from saniwa.agent.bridges.scrubbed import Scrubbed
from saniwa.agent.bridges.text import LONGEST
from saniwa.core.errors import SdkBridgeError

_PART: Final = 1_000
"""Letters that the beginning of a part counts as: the library keeps every part."""


class Pieces:
    """Tells what the library's events say, and stops where they do not end.

    Thoughts and calls of tools that were not asked for are not told, but the library keeps
    them: they count as words do.
    """

    def __init__(self, ear: Scrubbed, *, by_tool: bool = False) -> None:
        self._ear = ear
        self._by_tool = by_tool
        self._heard = 0
        self._answers = set[int]()

    def event(self, event: Any) -> None:
        """Hear what an event of the library says; most say nothing.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`: it said too much.
        """
        if event.event_kind == "part_start":
            self._count(_PART + _letters(event.part, ""))
            self._begin(event.index, event.part)
        elif event.event_kind == "part_delta":
            self._count(_letters(event.delta, "_delta"))
            said = _said(event.delta)
            if event.index in self._answers and isinstance(said, str):
                self._ear(said)

    def _begin(self, index: int, part: Any) -> None:
        self._answers.discard(index)
        if part.part_kind == "text":
            self._answers.add(index)
            self._ear(part.content)
        elif carries_answer(part, by_tool=self._by_tool):
            self._answers.add(index)
            if part.args:
                self._ear(part.args_as_json_str())

    def _count(self, letters: int) -> None:
        self._heard += letters
        if self._heard > LONGEST:
            raise SdkBridgeError(
                "BRIDGE_REFUSED",
                f"the answer has more than {LONGEST} letters and is not heard to its end",
                hint="ask for a shorter answer",
            )


def _said(delta: Any) -> Any:
    return getattr(delta, "content_delta", "") or getattr(delta, "args_delta", "")


def _letters(part: Any, ending: str) -> int:
    """Letters of everything in it whose name ends so: words, thoughts, calls of tools."""
    return sum(
        len(value)
        for name, value in vars(part).items()
        if name.endswith(ending) and isinstance(value, str)
    )
