"""Elements that are passed a second time."""

from tests.fakes.stories import make_player, render_steps

OFFER = """\
## x
[SET n += 1]
Well?
- a
- b {if n > 1}
- c
- d {once}
- e {show if n > 2}
- never shown {else}
[again](#x)
"""
ROUND = "## a\nOne.\n\nTwo.\n\n[again](#a)"


def test_a_line_shown_again_is_as_seen_as_before() -> None:
    """Skipping does not stop at a line shown twice."""
    reader = make_player(ROUND)
    steps = [reader.step() for _ in range(4)]

    assert ["One.", "Two.", "One.", "Two."] == render_steps(steps)
    assert reader.list_seen_ids() == frozenset(reader.program.ids)


def test_a_line_shown_again_can_be_taken_back() -> None:
    """Going back works for a line shown twice."""
    reader = make_player(ROUND)
    steps = [reader.step() for _ in range(5)]

    assert tuple(steps) == reader.backlog
    assert steps[2] == reader.back(2)
    assert tuple(steps[:3]) == reader.backlog
    assert steps[3] == reader.step()


def test_unconditional_options_keep_their_places() -> None:
    """Conditional options appear in the written order among the others."""
    reader = make_player(OFFER)
    seen = list[str]()
    for choice in (2, 0, 0):
        seen += render_steps([reader.step()])[1:]
        reader.choose(choice)

    assert ["[a / c / d / e]", "[a / b / c / e]", "[a / b / c / e]"] == seen
