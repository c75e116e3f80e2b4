"""How somebody leaves a story: what is kept of it, and what they are told of that."""

from collections.abc import Iterator
from contextlib import contextmanager

from saniwa.cli.showing import Screen
from saniwa.core.errors import SaniwaError
from saniwa.run.performance import Performance
from saniwa.wiring.keeping import StoryKeeping


def put_down(
    playing: Performance, keeping: StoryKeeping, screen: Screen, command: str | None
) -> tuple[SaniwaError, ...]:
    """Keep the place, then what was read; tell what was kept, and give what was not.

    `command` leads back; None where nobody is to come back. Each is tried, whatever
    became of the other.
    """
    place, seen = list[SaniwaError](), list[SaniwaError]()
    kept = ""
    with _noted(place):
        kept = _keep_place(playing, keeping)
    with _noted(seen):
        _keep_seen(playing, keeping)
    # Told last: where nobody can be told any more, what matters is done.
    if kept and command is not None:
        screen.tell(kept, command=command)
    if place and playing.waiting != "end":
        screen.tell("place_unkept", why=place[0].message)
    if seen:
        screen.tell("seen_unkept", why=seen[0].message)
    return (*place, *seen)


def _keep_place(playing: Performance, keeping: StoryKeeping) -> str:
    """Keep where the story stands, and give the phrase that says so.

    After its end there is nothing to go on with. Whoever has played on elsewhere has
    kept a later place.
    """
    if playing.overtaken():
        return "place_elsewhere"
    if playing.waiting == "end":
        keeping.forget()
        return ""
    keeping.keep(playing.state())
    return "story_kept"


def _keep_seen(playing: Performance, keeping: StoryKeeping) -> None:
    # Somebody else may have read on in the same story meanwhile.
    playing.player.mark_seen(keeping.seen())
    keeping.keep_seen(playing.player.seen_ids())


@contextmanager
def _noted(problems: list[SaniwaError]) -> Iterator[None]:
    try:
        yield
    except SaniwaError as problem:
        problems.append(problem)
