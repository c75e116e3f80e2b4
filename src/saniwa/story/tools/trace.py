"""A story played along given choices, step by step."""

from collections.abc import Iterator, Sequence
from hashlib import md5
from typing import Final, Literal, Protocol

import msgspec
from msgspec import UNSET

from saniwa.story.player import Waiting
from saniwa.story.stepresult import Branch, Directive, Next, StepResult
from saniwa.story.tools.autoplay import find_ending

MOST_TRACE_STEPS: Final = 10_000
"""Steps before a trace is cut short."""

TraceEndReason = Literal[
    "ending",
    "end_of_file",
    "awaiting_choice",
    "awaiting_answer",
    "invalid_choice",
    "truncated",
]
"""Why a trace is over."""


class TraceablePlayer(Protocol):
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


class TraceEnd(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a trace came to its end."""

    reason: TraceEndReason
    """Why."""
    ending: str = ""
    """Which ending."""
    given: int | None = None
    """The choice that cannot be made, from 1; 0 for an answer."""
    available: tuple[int, ...] = ()
    """The choices that can be made here, from 1; 0 for an answer."""
    unused: tuple[int, ...] = ()
    """Choices that nobody asked for any more."""


def trace_story(
    player: TraceablePlayer,
    choices: Sequence[int],
    answers: Sequence[str] = (),
    most: int = MOST_TRACE_STEPS,
) -> Iterator[StepResult | TraceEnd]:
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
            yield _make_end(shown, left)
            return
        if player.waiting == "step":
            continue
        finish = _make_next_choice(player, shown, left, words)
        if finish is not None:
            yield finish
            return
    yield TraceEnd(reason="truncated", unused=tuple(left))


def _make_end(shown: StepResult, left: list[int]) -> TraceEnd:
    ending = find_ending(shown)
    if ending is None:
        return TraceEnd(reason="end_of_file", unused=tuple(left))
    return TraceEnd(reason="ending", ending=ending, unused=tuple(left))


def _make_next_choice(
    player: TraceablePlayer, shown: StepResult, left: list[int], words: list[str]
) -> TraceEnd | None:
    """Make the next choice; a finish where that cannot be done."""
    numbers = list_available_choices(player, shown)
    if numbers != (0,):
        if not left:
            return TraceEnd(reason="awaiting_choice", available=numbers)
        number = left.pop(0)
        if number not in numbers:
            return TraceEnd(
                reason="invalid_choice",
                given=number,
                available=numbers,
                unused=tuple(left),
            )
        if number:
            player.choose(number - 1)
            return None
    if not words:
        return TraceEnd(reason="awaiting_answer", available=(0,), unused=tuple(left))
    player.answer(words.pop(0))
    return None


def list_available_choices(
    player: TraceablePlayer, shown: StepResult
) -> tuple[int, ...]:
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


MOST_DUMP_STEPS: Final = 10_000
"""Steps before a dump is cut short."""


class DumpStep(msgspec.Struct, frozen=True):
    """One step, numbered."""

    step_number: int
    """From 0."""
    next_action: Next
    """What a host does after it."""
    directives: tuple[Directive, ...]
    """What is shown."""


class StoryDump(msgspec.Struct, frozen=True):
    """One playing, whole."""

    input_hash: str
    """MD5 of the file's bytes."""
    steps: tuple[DumpStep, ...]
    """Every step, the last one `Halt` unless it was cut short."""
    final_state: Literal["Completed", "Truncated"]
    """Whether the story came to its end."""

    def to_json(self) -> bytes:
        """The dump as JSON; the same file, the same bytes."""
        return msgspec.json.encode(self)


def dump_story(
    player: TraceablePlayer, content: bytes, most: int = MOST_DUMP_STEPS
) -> StoryDump:
    """Play what stands at its beginning, such as a performance on a world.

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
