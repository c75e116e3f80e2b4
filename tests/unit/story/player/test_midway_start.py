import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.flow_analysis import StoryFlow
from saniwa.story.player import Player, resolve_address, start_at
from saniwa.story.program import EnterOp
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.step_result import ShowImage, StepResult
from tests.fakes.stories import make_player, parse_story_text, render_steps

GARDEN = """\
---
background: dusk
vars: {coins: 1}
---
## Gate
[PLAY_BGM name=rain]
Rain at the gate.

- Knock {#knock}
  [SET coins += 2]
  [Inside](#hall)
- Climb
  [SHOW_IMAGE file=cat layer=character]
  A cat looks down.

  [Over](#wall)

## Hall
You have {coins} coins.

{visits("gate")} visits, {chosen("knock")} knocks.

## Wall
You sit on the wall.

## Nowhere
Nobody comes here.
"""


def _start_player_at(text: str, at: str) -> Player:
    reader = make_player(text)
    start_at(reader, resolve_address(reader.program, at))
    return reader


def _list_layers(step: StepResult) -> list[str]:
    return [each.args.layer for each in step.directives if isinstance(each, ShowImage)]


def test_a_story_begins_at_a_label() -> None:
    """A story can be started at a label, in any spelling."""
    for name in ("Wall", "wall"):
        assert ["You sit on the wall."] == render_steps([_start_player_at(GARDEN, name).step()])


def test_the_shortest_way_is_remembered() -> None:
    """Variables, visits and choices are those of the shortest path to the label."""
    reader = _start_player_at(GARDEN, "hall")
    assert ["You have 3 coins.", "1 visits, 1 knocks."] == render_steps(
        [reader.step(), reader.step()]
    )


def test_the_scenery_of_the_way_is_shown() -> None:
    """Pictures and music of the path are shown, and no others."""
    over, inside = _start_player_at(GARDEN, "wall"), _start_player_at(GARDEN, "hall")
    assert ["background", "character"] == _list_layers(over.build_scenery())
    assert ["background"] == _list_layers(inside.build_scenery())
    assert "rain" == inside.memory.music


def test_what_no_way_leads_to_begins_bare() -> None:
    """A section without a path to it starts without scenery."""
    text = GARDEN.replace("## Nowhere", "[END]\n\n## Nowhere")
    reader = _start_player_at(text, "nowhere")
    assert () == reader.build_scenery().directives
    assert ["Nobody comes here."] == render_steps([reader.step()])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (":1", "Rain at the gate."),
        (":7", "Rain at the gate."),
        (":8", "Rain at the gate."),
        ("story.md:14", "A cat looks down."),
        (":18", "You have 1 coins."),
        (":24", "You sit on the wall."),
        (":99999", None),
    ],
)
def test_a_story_begins_at_a_line(line: str, text: str | None) -> None:
    """A story can be started at a line, with the element there or the last before it."""
    reader = make_player(GARDEN)
    address = resolve_address(reader.program, line)
    reader.move_to(address, reader.memory.take_snapshot(), ())
    assert ([] if text is None else [text]) == render_steps([reader.step()])[:1]


def test_the_line_of_an_option_is_its_choice() -> None:
    """Started at an option, the whole choice is shown."""
    reader = _start_player_at(GARDEN, ":12")
    reader.step()
    assert "choice" == reader.waiting


def test_a_story_begun_in_its_middle_can_be_put_down() -> None:
    """A story started in its middle can be saved and restored."""
    reader = _start_player_at(GARDEN, "hall")
    shown = reader.step()
    other = make_player(GARDEN)
    restore_player(other, read_save(save_player(reader).to_json()))
    assert shown == other.step()


def test_a_call_returns_from_where_we_came_in() -> None:
    """A story started in a called section continues after the call."""
    text = "[CALL label=aside]\nBack again.\n\n[END]\n\n## aside\nBy the way.\n"
    reader = _start_player_at(text, "aside")
    assert ["By the way.", "Back again."] == render_steps([reader.step(), reader.step()])


def test_what_cannot_be_worked_out_is_left() -> None:
    """A value that fails on the path is skipped."""
    text = "---\nvars: {n: 0}\n---\n[SET x = 1 / n]\nOne.\n\n## two\nTwo.\n"
    assert ["Two."] == render_steps([_start_player_at(text, "two").step()])


@pytest.mark.parametrize(
    ("at", "hint"),
    [("Wal", "did you mean 'wall'?"), ("other.md:3", "use a file that a link leads to")],
)
def test_a_place_that_is_not_there_is_an_error(at: str, hint: str) -> None:
    """An unknown label is an error with the nearest name."""
    with pytest.raises(ScriptError) as caught:
        _start_player_at(GARDEN, at)
    assert ("LABEL_UNRESOLVED", hint) == (caught.value.code, caught.value.hint.lower())


def test_a_way_is_a_shortest_one() -> None:
    """The path is a shortest one, and each operation follows the one before it."""
    program = parse_story_text(GARDEN).program
    wall = next(
        at for at, op in enumerate(program.ops) if isinstance(op, EnterOp) and "Wall" in op.name
    )
    way = StoryFlow(program).find_path(wall)
    assert (0, wall) == (way[0], way[-1])
    assert len(way) < wall
