"""Stories nobody here wrote: told by inkjs and by us, word for word the same."""

from collections.abc import Iterator
from random import Random  # noqa: TID251 - seeded: the same seed chooses the same

import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.tools.rewriter import rewrite_story
from tests.strangers.conftest import Tally
from tests.strangers.drawing import drawn
from tests.strangers.fresh import again, rounds, seed_of
from tests.strangers.ink_form import as_ink
from tests.strangers.inkjs import Inkjs
from tests.strangers.markdown_form import as_markdown
from tests.strangers.plot import Plot
from tests.strangers.shrinking import shrunk
from tests.strangers.telling import Events, told

_CHOICES, _EVENTS = 12, 80
_UNTOLD = ("unreadable", "error")


@pytest.fixture(scope="module")
def inkjs() -> Iterator[Inkjs]:
    """One Node process for all stories."""
    with Inkjs() as opened:
        yield opened


@pytest.mark.parametrize("nth", rounds(40, 5000))
def test_a_story_nobody_wrote_is_told_as_inkjs_tells_it(
    nth: int, inkjs: Inkjs, tally: Tally
) -> None:
    """The same lines with the same tags, the same options, the same end."""
    seed = seed_of(nth)
    plot, chance = drawn(seed), Random(seed)
    picks = [chance.randrange(1000) for _ in range(_CHOICES)]
    theirs = inkjs.told(as_ink(plot), picks, _EVENTS)
    if theirs != _ours(plot, picks):
        raise AssertionError(_told(seed, plot, picks, inkjs))

    assert theirs[0][0] not in _UNTOLD, _told(seed, plot, picks, inkjs)
    text = as_markdown(plot)
    assert theirs == told(text, picks, _EVENTS, broken=True), (
        f"saved and loaded it is another story: "
        f"{again(seed, 'tests/strangers/test_stories.py')}\n{text}"
    )
    tally("stories", 1)
    tally("lines", sum(event[0] == "say" for event in theirs))
    tally("choices", sum(event[0] == "offer" for event in theirs))


@pytest.mark.parametrize("nth", rounds(8, 500))
def test_a_story_nobody_wrote_is_the_same_after_it_was_put_in_order(nth: int) -> None:
    """What `fmt` writes, with ids or without, is told as what it read."""
    seed = seed_of(nth)
    text, chance = as_markdown(drawn(seed)), Random(seed)
    picks = [chance.randrange(1000) for _ in range(_CHOICES)]
    rewritten = rewrite_story(text, ids=seed % 2 == 0).text

    assert told(text, picks, _EVENTS) == told(rewritten, picks, _EVENTS), (
        f"{again(seed, 'tests/strangers/test_stories.py')}\n{text}"
    )


def _ours(plot: Plot, picks: list[int]) -> Events:
    try:
        return told(as_markdown(plot), picks, _EVENTS)
    except ScriptError as problem:
        return [["error", str(problem)]]


def _told(seed: int, plot: Plot, picks: list[int], inkjs: Inkjs) -> str:
    """Both texts, as small as they can be made, and where they part."""

    def differs(plot: Plot) -> bool:
        try:
            theirs = inkjs.told(as_ink(plot), picks, _EVENTS)
        except KeyError:
            return False
        return theirs[0][0] not in _UNTOLD and theirs != _ours(plot, picks)

    plot = shrunk(plot, differs)
    theirs, ours = inkjs.told(as_ink(plot), picks, _EVENTS), _ours(plot, picks)
    both = [a == b for a, b in zip(theirs, ours, strict=False)]
    same = (*both, False).index(False)
    return (
        f"{again(seed, 'tests/strangers/test_stories.py')}\n"
        f"{as_ink(plot)}\n{'-' * 40}\n{as_markdown(plot)}\n{'-' * 40}\n"
        f"both: {theirs[:same]}\ninkjs: {theirs[same:][:3]}\nours: {ours[same:][:3]}\n"
        f"choices: {picks}"
    )
