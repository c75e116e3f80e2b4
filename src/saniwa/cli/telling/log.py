"""What was told so far, with what the reader made of it."""

from collections.abc import Iterator

from saniwa.cli.telling.choosing import options_of
from saniwa.run.performance import Performance
from saniwa.script.directive import Ask, Branch, Say, StepResult


def logged(playing: Performance) -> Iterator[tuple[StepResult, str | None]]:
    """The words of every step, oldest first, and what was chosen or answered there.

    None stands where nothing was asked, or nobody has answered yet.
    """
    steps = playing.backlog
    asking = [number for number, step in enumerate(steps) if _asks(step)]
    if "choice" in playing.waiting or "answer" in playing.waiting:
        del asking[-1:]
    # Older choices may belong to steps that are not kept: the two end together.
    moves = playing.player.choices[-len(asking) :] if asking else ()
    made = dict(zip(asking, moves, strict=True))
    for number, step in enumerate(steps):
        said = tuple(d for d in step.directives if isinstance(d, Say | Ask))
        yield StepResult(next=step.next, directives=said), _told(step, made.get(number))


def _asks(step: StepResult) -> bool:
    return any(isinstance(each, Branch | Ask) for each in step.directives)


def _told(step: StepResult, move: int | str | None) -> str | None:
    return options_of(step)[move].text if isinstance(move, int) else move
