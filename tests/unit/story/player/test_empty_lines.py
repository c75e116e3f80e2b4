"""Lines whose text turns out empty."""

import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.player import Player
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.step_result import Next, PlayBgm, Say
from tests.fakes.stories import make_player, parse_story_text, play_steps, render_steps


@pytest.mark.parametrize("line", ["{n: Rain.}", "Ben: {n: Rain.}", "{!|}", "{n} {n}"])
def test_a_line_that_comes_to_nothing_is_not_described(line: str) -> None:
    """A line whose text is empty is not shown."""
    assert ["One.", "Two."] == render_steps(play_steps(make_player(f"One.\n\n{line}\n\nTwo.")))


def test_a_line_of_a_paragraph_that_comes_to_nothing_leaves_no_gap() -> None:
    """A line of a paragraph whose text is empty leaves no empty line."""
    assert ["One.\nTwo."] == render_steps(play_steps(make_player("One.\n{n: Rain.}\nTwo.")))


def test_what_is_shown_before_such_a_line_comes_with_the_next() -> None:
    """Directives before such a line are shown with the next one."""
    step = make_player("[PLAY_BGM name=x]\n\n{n: Rain.}\n\n[SET m = 1]\n\nTwo.").step()

    assert [PlayBgm, Say] == [type(each) for each in step.directives]


def test_a_choice_after_such_a_line_is_alone() -> None:
    """A choice after such a line is shown alone."""
    step = make_player("{n: Well?}\n\n- a\n  A.\n- b\n  B.").step()

    assert Next.WAIT_BRANCH == step.next
    assert ["[a / b]"] == render_steps([step])


def test_such_a_line_counts_once_also_after_saving_and_loading() -> None:
    """Such a line counts once, also after saving and restoring."""
    text = "## a\nHere.\n\n{!|} {&x|y}\n\n[again](#a)"
    reader = make_player(text)
    for _ in range(3):
        reader.step()
    other = Player(parse_story_text(text).program)
    restore_player(other, read_save(save_player(reader).to_json()))

    assert render_steps([reader.step()]) == render_steps([other.step(), other.step()])[1:]


def test_a_circle_of_such_lines_is_found() -> None:
    """A loop of such lines is an error."""
    with pytest.raises(ScriptError) as caught:
        make_player("## a\n{n: Rain.}\n\n[again](#a)").step()

    assert "LOOP_WITHOUT_WAIT" == caught.value.code


def test_where_every_command_is_a_step_such_a_line_shows_nothing() -> None:
    """With `batch="command"`, such a line is a step without directives."""
    steps = play_steps(Player(parse_story_text("{n: Rain.}\n\nTwo.").program, batch="command"))

    assert [("Next", 0), ("WaitUser", 1)] == [
        (step.next, len(step.directives)) for step in steps[:2]
    ]
