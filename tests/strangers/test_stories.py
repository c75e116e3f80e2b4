"""Random stories, which inkjs and Saniwa must tell word for word the same."""

from collections.abc import Iterator
from random import Random  # noqa: TID251 - seeded: the same seed chooses the same

import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.tools.notation_update import update_notation
from tests.strangers.conftest import Tally
from tests.strangers.fresh_seeds import draw_seed, list_rounds, render_command
from tests.strangers.ink_form import write_ink
from tests.strangers.inkjs import InkjsProcess
from tests.strangers.markdown_form import write_markdown
from tests.strangers.plot import Plot
from tests.strangers.plot_drawing import draw_plot
from tests.strangers.plot_shrinking import shrink_plot
from tests.strangers.story_events import Events, tell_story

_CHOICES, _EVENTS = 12, 80
_UNTOLD = ("unreadable", "error")


@pytest.fixture(scope="module")
def inkjs() -> Iterator[InkjsProcess]:
    """One Node process for all stories."""
    with InkjsProcess() as opened:
        yield opened


@pytest.mark.parametrize("nth", list_rounds(40, 5000))
def test_a_random_story_is_described_as_inkjs_shows_it(
    nth: int, inkjs: InkjsProcess, tally: Tally
) -> None:
    """Both give the same lines with the same tags, the same options and the same end."""
    seed = draw_seed(nth)
    plot, chance = draw_plot(seed), Random(seed)
    picks = [chance.randrange(1000) for _ in range(_CHOICES)]
    theirs = inkjs.tell_story(write_ink(plot), picks, _EVENTS)
    if theirs != _tell_ours(plot, picks):
        raise AssertionError(_explain_difference(seed, plot, picks, inkjs))

    assert theirs[0][0] not in _UNTOLD, _explain_difference(seed, plot, picks, inkjs)
    text = write_markdown(plot)
    assert theirs == tell_story(text, picks, _EVENTS, broken=True), (
        f"saved and loaded it is another story: "
        f"{render_command(seed, 'tests/strangers/test_stories.py')}\n{text}"
    )
    tally("stories", 1)
    tally("lines", sum(event[0] == "say" for event in theirs))
    tally("choices", sum(event[0] == "offer" for event in theirs))


@pytest.mark.parametrize("nth", list_rounds(8, 500))
def test_a_random_story_is_the_same_after_it_was_put_in_order(nth: int) -> None:
    """What `fmt` writes, with or without ids, plays the same as what it read."""
    seed = draw_seed(nth)
    text, chance = write_markdown(draw_plot(seed)), Random(seed)
    picks = [chance.randrange(1000) for _ in range(_CHOICES)]
    rewritten = update_notation(text, ids=seed % 2 == 0).text

    assert tell_story(text, picks, _EVENTS) == tell_story(rewritten, picks, _EVENTS), (
        f"{render_command(seed, 'tests/strangers/test_stories.py')}\n{text}"
    )


def _tell_ours(plot: Plot, picks: list[int]) -> Events:
    try:
        return tell_story(write_markdown(plot), picks, _EVENTS)
    except ScriptError as problem:
        return [["error", str(problem)]]


def _explain_difference(seed: int, plot: Plot, picks: list[int], inkjs: InkjsProcess) -> str:
    """Both texts, as small as possible, and where they differ."""

    def differs(plot: Plot) -> bool:
        try:
            theirs = inkjs.tell_story(write_ink(plot), picks, _EVENTS)
        except KeyError:
            return False
        return theirs[0][0] not in _UNTOLD and theirs != _tell_ours(plot, picks)

    plot = shrink_plot(plot, differs)
    theirs, ours = inkjs.tell_story(write_ink(plot), picks, _EVENTS), _tell_ours(plot, picks)
    both = [a == b for a, b in zip(theirs, ours, strict=False)]
    same = (*both, False).index(False)
    return (
        f"{render_command(seed, 'tests/strangers/test_stories.py')}\n"
        f"{write_ink(plot)}\n{'-' * 40}\n{write_markdown(plot)}\n{'-' * 40}\n"
        f"both: {theirs[:same]}\ninkjs: {theirs[same:][:3]}\nours: {ours[same:][:3]}\n"
        f"choices: {picks}"
    )
