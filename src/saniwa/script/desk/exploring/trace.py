"""A story played along given choices, step by step."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, Protocol

import msgspec
from msgspec import UNSET

from saniwa.script.desk.exploring.onward import ending_in
from saniwa.script.directive import Branch, StepResult
from saniwa.script.playing.player import Waiting

MOST_STEPS: Final = 10_000
"""Steps before a trace is cut short."""

Reason = Literal[
    "ending",
    "end_of_file",
    "awaiting_choice",
    "awaiting_answer",
    "invalid_choice",
    "truncated",
]
"""Why a trace is over."""


class Traced(Protocol):
    """What can be played along choices: a player, or a performance on a world."""

    @property
    def waiting(self) -> Waiting:
        """What has to happen next."""
        ...

    def step(self) -> StepResult:
        """Go on to the next thing the host has to do."""
        ...

    def choose(self, index: int) -> None:
        """Take one of the options offered, counted from 0."""
        ...

    def answer(self, text: str) -> None:
        """Answer in one's own words."""
        ...


class Finish(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a trace came to its end."""

    reason: Reason
    """Why."""
    ending: str = ""
    """Which ending."""
    given: int | None = None
    """The choice that cannot be made, from 1; 0 for an answer."""
    available: tuple[int, ...] = ()
    """The choices that can be made here, from 1; 0 for an answer."""
    unused: tuple[int, ...] = ()
    """Choices that nobody asked for any more."""


def trace(
    player: Traced,
    choices: Sequence[int],
    answers: Sequence[str] = (),
    most: int = MOST_STEPS,
) -> Iterator[StepResult | Finish]:
    """Every step, and last how it came to its end.

    Choices count from 1. Where the story asks for words beside its options, 0 stands for
    the next answer; where it asks for nothing else, the next answer is given by itself.

    Raises:
        ScriptError: As for a player's `step`.
    """
    left, words = list(choices), list(answers)
    for _ in range(most):
        shown = player.step()
        yield shown
        if player.waiting == "end":
            yield _ended(shown, left)
            return
        if player.waiting == "step":
            continue
        finish = _decide(player, shown, left, words)
        if finish is not None:
            yield finish
            return
    yield Finish(reason="truncated", unused=tuple(left))


def _ended(shown: StepResult, left: list[int]) -> Finish:
    ending = ending_in(shown)
    if ending is None:
        return Finish(reason="end_of_file", unused=tuple(left))
    return Finish(reason="ending", ending=ending, unused=tuple(left))


def _decide(
    player: Traced, shown: StepResult, left: list[int], words: list[str]
) -> Finish | None:
    """Make the next choice; a finish where that cannot be done."""
    numbers = available(player, shown)
    if numbers != (0,):
        if not left:
            return Finish(reason="awaiting_choice", available=numbers)
        number = left.pop(0)
        if number not in numbers:
            return Finish(
                reason="invalid_choice",
                given=number,
                available=numbers,
                unused=tuple(left),
            )
        if number:
            player.choose(number - 1)
            return None
    if not words:
        return Finish(reason="awaiting_answer", available=(0,), unused=tuple(left))
    player.answer(words.pop(0))
    return None


def available(player: Traced, shown: StepResult) -> tuple[int, ...]:
    """The choices that can be made now, from 1; 0 first, for an answer."""
    own = (0,) if "answer" in player.waiting else ()
    for directive in shown.directives:
        if isinstance(directive, Branch):
            options = directive.args.options
            if options is UNSET:
                return (*own, *range(1, len(directive.args.choices) + 1))
            numbered = enumerate(options, start=1)
            return (*own, *(number for number, option in numbered if option.enabled))
    return own
