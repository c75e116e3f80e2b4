"""A story played through once, in the form the first engine wrote.

One step for each command, always the first option, and the hash of the file it came from.
"""

from hashlib import md5
from typing import Final, Literal

import msgspec

from saniwa.script.desk.exploring.trace import Traced, available
from saniwa.script.directive import Directive, Next, StepResult

MOST_STEPS: Final = 10_000
"""Steps before a dump is cut short."""


class Step(msgspec.Struct, frozen=True):
    """One step, numbered."""

    step_number: int
    """From 0."""
    next_action: Next
    """What a host does after it."""
    directives: tuple[Directive, ...]
    """What is shown."""


class Dump(msgspec.Struct, frozen=True):
    """One playing, whole."""

    input_hash: str
    """MD5 of the file's bytes."""
    steps: tuple[Step, ...]
    """Every step, the last one `Halt` unless it was cut short."""
    final_state: Literal["Completed", "Truncated"]
    """Whether the story came to its end."""

    def as_json(self) -> bytes:
        """The dump as JSON; the same file, the same bytes."""
        return msgspec.json.encode(self)


def dump_of(player: Traced, content: bytes, most: int = MOST_STEPS) -> Dump:
    """Play what stands at its beginning, such as a performance on a world.

    Raises:
        ScriptError: As for a player's `step`.
    """
    steps: list[Step] = []
    while player.waiting != "end" and len(steps) < most:
        shown = player.step()
        steps.append(Step(len(steps), shown.next, shown.directives))
        _decide(player, shown)
    ended = player.waiting == "end"
    digest = md5(content, usedforsecurity=False).hexdigest()
    return Dump(digest, tuple(steps), "Completed" if ended else "Truncated")


def _decide(player: Traced, shown: StepResult) -> None:
    numbers = [number for number in available(player, shown) if number]
    if numbers:
        player.choose(numbers[0] - 1)
    elif "answer" in player.waiting:
        player.answer("")
