"""Play a story along given choices (trace), or always taking the first (dump)."""

from collections.abc import Iterator, Sequence
from hashlib import md5
from typing import Final, Literal, Protocol

import msgspec
from msgspec import UNSET

from saniwa.story.player import Waiting
from saniwa.story.step_result import Branch, Directive, Next, StepResult
from saniwa.story.tools.autoplay import find_ending

MOST_TRACE_STEPS: Final = 10_000
"""The most steps of a trace."""

TraceEndReason = Literal[
    "ending", "end_of_file", "awaiting_choice", "awaiting_answer", "invalid_choice", "truncated"
]
"""Why a trace ended."""


class TraceablePlayer(Protocol):
    """What can be traced: a player of a story, with or without a world."""

    @property
    def waiting(self) -> Waiting:
        """What has to happen next."""

    def step(self) -> StepResult:
        """Advance to the next thing the host has to do."""

    def choose(self, index: int) -> None:
        """Take one of the options offered, counted from 0."""

    def answer(self, text: str) -> None:
        """Answer with free text."""


class TraceEnd(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a trace ended."""

    reason: TraceEndReason
    """The reason."""
    ending: str = ""
    """The id of the ending."""
    given: int | None = None
    """The choice that is not possible, from 1; 0 for an answer."""
    available: tuple[int, ...] = ()
    """The choices possible here, from 1; 0 for an answer."""
    unused: tuple[int, ...] = ()
    """Choices that were not used."""


def trace_story(
    player: TraceablePlayer,
    choices: Sequence[int],
    answers: Sequence[str] = (),
    most: int = MOST_TRACE_STEPS,
) -> Iterator[StepResult | TraceEnd]:
    """Yield every step, and last how the trace ended.

    Choices count from 1. If the story accepts free text in addition to its options, 0 selects
    the next answer; if it asks only for text, the next answer is given automatically.

    Raises:
        ScriptError: As for a player's `step`.
    """
    remaining, words = list(choices), list(answers)
    for _ in range(most):
        shown = player.step()
        yield shown
        if player.waiting == "end":
            yield _make_end(shown, remaining)
            return
        if player.waiting == "step":
            continue
        finish = _make_next_choice(player, shown, remaining, words)
        if finish is not None:
            yield finish
            return
    yield TraceEnd(reason="truncated", unused=tuple(remaining))


def _make_end(shown: StepResult, remaining: list[int]) -> TraceEnd:
    ending = find_ending(shown)
    if ending is None:
        return TraceEnd(reason="end_of_file", unused=tuple(remaining))
    return TraceEnd(reason="ending", ending=ending, unused=tuple(remaining))


def _make_next_choice(
    player: TraceablePlayer, shown: StepResult, remaining: list[int], words: list[str]
) -> TraceEnd | None:
    """Make the next choice; return how the trace ends if that is not possible."""
    numbers = list_available_choices(player, shown)
    if numbers != (0,):
        if not remaining:
            return TraceEnd(reason="awaiting_choice", available=numbers)
        number = remaining.pop(0)
        if number not in numbers:
            return TraceEnd(
                reason="invalid_choice", given=number, available=numbers, unused=tuple(remaining)
            )
        if number:
            player.choose(number - 1)
            return None
    if not words:
        return TraceEnd(reason="awaiting_answer", available=(0,), unused=tuple(remaining))
    player.answer(words.pop(0))
    return None


def list_available_choices(player: TraceablePlayer, shown: StepResult) -> tuple[int, ...]:
    """List the possible choices, from 1; 0 first, for an answer."""
    own = (0,) if "answer" in player.waiting else ()
    for directive in shown.directives:
        if isinstance(directive, Branch):
            options = directive.args.options
            if options is UNSET:
                return (*own, *range(1, len(directive.args.choices) + 1))
            numbered = enumerate(options, start=1)
            return (*own, *(number for number, option in numbered if option.enabled))
    return own


MOST_DUMP_STEPS: Final = 10_000
"""The most steps of a dump."""


class DumpStep(msgspec.Struct, frozen=True):
    """One numbered step."""

    step_number: int
    """The number, from 0."""
    next_action: Next
    """What a host does after it."""
    directives: tuple[Directive, ...]
    """What is shown."""


class StoryDump(msgspec.Struct, frozen=True):
    """A complete playthrough."""

    input_hash: str
    """MD5 of the file's bytes."""
    steps: tuple[DumpStep, ...]
    """Every step; the last one is `Halt` unless the dump was cut short."""
    final_state: Literal["Completed", "Truncated"]
    """Whether the story reached its end."""

    def to_json(self) -> bytes:
        """Encode as JSON; the same file gives the same bytes."""
        return msgspec.json.encode(self)


def dump_story(player: TraceablePlayer, content: bytes, most: int = MOST_DUMP_STEPS) -> StoryDump:
    """Play a story from its beginning, always taking the first choice.

    Raises:
        ScriptError: As for a player's `step`.
    """
    steps: list[DumpStep] = []
    while player.waiting != "end" and len(steps) < most:
        shown = player.step()
        steps.append(DumpStep(len(steps), shown.next, shown.directives))
        _choose_first(player, shown)
    ended = player.waiting == "end"
    digest = md5(content, usedforsecurity=False).hexdigest()
    return StoryDump(digest, tuple(steps), "Completed" if ended else "Truncated")


def _choose_first(player: TraceablePlayer, shown: StepResult) -> None:
    numbers = [number for number in list_available_choices(player, shown) if number]
    if numbers:
        player.choose(numbers[0] - 1)
    elif "answer" in player.waiting:
        player.answer("")
