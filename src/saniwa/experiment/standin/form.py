"""An answer written down: in the two lines that were asked for, or broken.

Every way of breaking the form that models are known for, so that every repair is tried.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from saniwa.experiment.standin.deed import Tongue
from saniwa.experiment.standin.luck import Luck


class Draft(NamedTuple):
    """What an answer says."""

    thought: str
    """What is thought."""
    deed: str
    """What is done, without asterisks; empty for nothing."""
    speech: str
    """What is said aloud."""

    @property
    def output(self) -> str:
        """Deed and speech on one line."""
        done = f"*{self.deed}*" if self.deed else ""
        return f"{done} {self.speech}".strip()


def written(draft: Draft) -> str:
    """The two lines that were asked for."""
    return f"Thought: {draft.thought}\nOutput: {draft.output}"


def garbled(draft: Draft, tongue: Tongue, luck: Luck) -> str:
    """The same, in a form that was not asked for."""
    return luck.pick("break", _BREAKS)(draft, tongue)


def _led(draft: Draft, tongue: Tongue) -> str:
    begun = {"en": "Sure! Here is my turn:", "ja": "はい、私の番ですね。"}
    return f"{begun[tongue]}\n{written(draft)}"


def _trailed(draft: Draft, tongue: Tongue) -> str:
    more = {"en": "User: What happens next?", "ja": "User: それからどうなる？"}
    return f"{written(draft)}\n{more[tongue]}"


def _stopped(draft: Draft, tongue: Tongue) -> str:
    del tongue
    return f"{written(draft)}<|im_end|>"


def _untagged(draft: Draft, tongue: Tongue) -> str:
    del tongue
    return f"Thought: {draft.thought}\n{draft.output}"


def _inline(draft: Draft, tongue: Tongue) -> str:
    del tongue
    return f"Thought: {draft.thought} Output: {draft.output}"


def _thoughtless(draft: Draft, tongue: Tongue) -> str:
    del tongue
    return f"Output: {draft.output}"


def _unclosed(draft: Draft, tongue: Tongue) -> str:
    if not draft.deed:
        return _led(draft, tongue)
    return f"Thought: {draft.thought}\nOutput: {draft.speech} *{draft.deed}"


def _empty(draft: Draft, tongue: Tongue) -> str:
    del draft, tongue
    return ""


_Break = Callable[[Draft, Tongue], str]
_BREAKS: Final[tuple[_Break, ...]] = (
    _led,
    _trailed,
    _stopped,
    _untagged,
    _inline,
    _thoughtless,
    _unclosed,
    _empty,
)
