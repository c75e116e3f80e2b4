import asyncio

import pytest

from saniwa.core.errors import ScriptError
from saniwa.runs.story_playing import MOST_DEEDS, StoryPlaying
from saniwa.story.player import MOST_SKIPPED
from saniwa.story.step_result import Branch, Ending, Next, PlayBgm, ShowImage
from saniwa.story.story import Story, parse_story
from saniwa.turn.record import RunReturn
from saniwa.world.model import Id
from saniwa.world.queries import is_holding
from tests.unit.runs.story.courtyard_story import (
    HEAD,
    NORTH,
    TAKE,
    TRY,
    YARD,
    get_run,
    play_moves,
    play_on_courtyard,
    read_words,
)


def test_a_story_without_a_world_is_played_as_it_is() -> None:
    """Without a scenario, a story plays like the plain player."""
    story = "# T\n\nHello.\n\n- left\n  L.\n- right\n  R. <!-- ending: r -->\n"
    plain = StoryPlaying(parse_story(story))

    assert ["Hello."] == play_moves(of=plain)
    assert plain.player.waiting.startswith("choice")
    assert ["R."] == play_moves(1, of=plain)
    assert 2 == len(plain.backlog)
    (end,) = asyncio.run(plain.step()).directives
    assert isinstance(end, Ending)
    assert "end" == plain.waiting


def test_a_deed_that_comes_true_is_a_turn_and_its_arm_follows() -> None:
    """Choosing an action plays its words in the run, and its branch follows."""
    garden = play_on_courtyard()

    assert ["It is yours."] == play_moves(TAKE, of=garden)
    (turn,) = get_run(garden).read_turns()
    assert "take the brass key" == turn.raw_text
    assert is_holding(get_run(garden).world, Id("player"), Id("key"))
    assert ["The gate is locked. Key in hand."] == play_moves(of=garden)


def test_a_refused_deed_shows_its_refused_block_with_the_reason() -> None:
    """A refused action shows the author's `refused` block, and sets the reason."""
    garden = play_on_courtyard()

    assert ["It holds: LOCKED."] == play_moves(TRY, of=garden)
    assert False is garden.player.variables["allowed"]


def test_without_a_refused_block_the_world_says_why() -> None:
    """Without a `refused` block, the world's refusal is shown."""
    garden = play_on_courtyard()

    (why,) = play_moves(NORTH, of=garden)

    assert "gate" in why
    assert ["The gate is locked. Empty hands."] == play_moves(of=garden)


def test_a_persons_words_are_played_and_narrated_by_the_world() -> None:
    """A player's free words become a turn, are narrated by the world, and their branch follows."""
    garden = play_on_courtyard()

    (taken,) = play_moves("take the brass key", of=garden)

    assert "brass key" in taken
    assert ["So you did."] == play_moves(of=garden)


def test_an_unclear_word_is_asked_about_and_counts_as_refused() -> None:
    """Ambiguous words show a question, count as refused, and can be answered."""
    garden = play_on_courtyard()

    told = play_moves("take the old metal", of=garden)

    assert ["1. brass key", "2. rusty key"] == told[1:]
    assert "AMBIGUOUS_REFERENCE" == garden.player.variables["reason"]
    play_moves("1", of=garden)
    assert is_holding(get_run(garden).world, Id("player"), Id("key"))


def test_an_authors_unclear_deed_is_refused_with_its_code() -> None:
    """An ambiguous action of the author is refused with its code."""
    deed = "- Take it {do take the old metal}\n  Ok.\n  :::refused\n  {reason}\n  :::\n"
    garden = play_on_courtyard(HEAD + f"# T\n\nSo.\n\n{deed}\nEnd.\n")

    assert ["AMBIGUOUS_REFERENCE"] == play_moves(0, of=garden)


def test_a_deed_partly_done_came_true_and_keeps_its_reason() -> None:
    """An action of which a part succeeded counts as done, and has a reason."""
    deed = "- Both {do take the brass key and go north}\n  {allowed} {reason}\n- No\n  N.\n"
    garden = play_on_courtyard(HEAD + f"# T\n\nSo.\n\n{deed}")

    ((text,), reason) = play_moves(0, of=garden), garden.player.variables["reason"]

    assert f"true {reason}" == text
    assert reason


def test_the_story_continues_when_the_world_reaches_its_goal() -> None:
    """Reaching the scenario's goal does not end the story."""
    garden = play_on_courtyard()

    play_moves(TAKE, None, "unlock the gate with the brass key", None, None, TRY, of=garden)
    assert ["You are there."] == play_moves(NORTH, of=garden)
    assert get_run(garden).is_finished


def test_going_back_past_a_deed_takes_the_world_back() -> None:
    """Going back over an action undoes it in the world, as a turn."""
    garden = play_on_courtyard()
    play_moves(TAKE, None, of=garden)

    shown = asyncio.run(garden.back(2))

    assert shown is not None
    assert ["The gate is locked. Empty hands."] == read_words(shown)
    *_, last = get_run(garden).read_turns()
    assert RunReturn(to=-1, why="undo") == last.aside
    assert ["It is yours."] == play_moves(TAKE, of=garden)


def test_going_back_over_plain_lines_leaves_the_world_alone() -> None:
    """Going back over plain lines adds no turn."""
    garden = play_on_courtyard(HEAD + "# T\n\nOne.\n\nTwo.\n\nThree.\n")
    play_moves(None, None, of=garden)

    shown = asyncio.run(garden.back())

    assert shown is not None
    assert ["Two."] == read_words(shown)
    assert 0 == get_run(garden).count


def test_the_scenery_is_what_is_on_the_stage() -> None:
    """The scenery has the current pictures and music."""
    text = "# T\n\n[SHOW_IMAGE file=a layer=bg]\n[PLAY_BGM name=b]\n\nOne.\n\nTwo.\n"
    plain = StoryPlaying(parse_story(text))
    play_moves(None, of=plain)

    scenery = plain.build_scenery()

    assert Next.NEXT is scenery.next
    assert [ShowImage, PlayBgm] == [type(each) for each in scenery.directives]


def test_there_is_nothing_before_the_beginning() -> None:
    """Going back before the beginning changes nothing."""
    garden = play_on_courtyard()
    play_moves(TAKE, of=garden)

    assert None is asyncio.run(garden.back(2))
    assert None is asyncio.run(garden.back(0))
    assert 1 == get_run(garden).count
    assert "step" == garden.waiting


def test_deeds_in_a_loop_are_stopped() -> None:
    """A loop of actions without a choice is an error."""
    circle = HEAD + "# T\n## a\n:::do look around\n:::refused\n:::\n[again](#a)\n"
    garden = play_on_courtyard(circle)

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.step())
    assert "LOOP_WITHOUT_WAIT" == caught.value.code
    assert MOST_DEEDS == get_run(garden).count


def test_skipping_runs_through_what_was_seen_and_stops_at_news() -> None:
    """Skipping passes seen lines, and stops at a new line or a choice."""
    story = parse_story("# T\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n")
    first, again = StoryPlaying(story), StoryPlaying(story)
    play_moves(None, of=first)
    again.player.mark_seen(first.player.list_seen_ids())

    async def skip_seen() -> list[str]:
        return [word async for result in again.skip() for word in read_words(result)]

    assert ["One.", "Two.", "Three."] == asyncio.run(skip_seen())


def test_skipping_stops_where_the_world_has_something_to_say() -> None:
    """Skipping stops at an action, whose result is shown."""
    garden = play_on_courtyard(HEAD + "# T\n\nOne. {do look around}\n\nTwo.\n\nThree.\n")
    play_moves(None, None, of=garden)
    twin = play_on_courtyard(HEAD + "# T\n\nOne. {do look around}\n\nTwo.\n\nThree.\n")
    twin.player.mark_seen(garden.player.list_seen_ids())

    async def skip_seen() -> list[str]:
        return [word async for result in twin.skip() for word in read_words(result)]

    assert ["One.", "Two."] == asyncio.run(skip_seen())


def test_options_follow_the_world() -> None:
    """The conditions of options use the world's facts at the time of the choice."""
    text = HEAD + (
        "# T\n\n## a\nSo.\n\n"
        '- Take {do take the brass key} {if not holds("player", "key")}\n  T.\n'
        "- Wait\n  W.\n\n[a](#a)\n"
    )
    garden = play_on_courtyard(text)

    async def collect_choices() -> list[tuple[str, ...]]:
        seen = []
        for _ in range(2):
            result = await garden.step()
            seen += [d.args.choices for d in result.directives if isinstance(d, Branch)]
            await garden.choose(0)
            await garden.step()
        return seen

    assert [("Take", "Wait"), ("Wait",)] == asyncio.run(collect_choices())


def parse_text(text: str) -> Story:
    """The story in a text, which must have no errors."""
    made = parse_story(text)
    assert made.report.has_passed
    return made


def test_the_sample_story_is_sound() -> None:
    """The story of these tests has no findings."""
    assert () == parse_text(YARD).report.findings


def test_skipping_in_a_loop_ends() -> None:
    """Skipping a loop without a choice ends."""
    circle = StoryPlaying(parse_story("# T\n## a\nHello.\n\n[again](#a)\n"))
    play_moves(None, of=circle)

    async def count_skipped() -> int:
        return len([step async for step in circle.skip()])

    assert MOST_SKIPPED == asyncio.run(count_skipped())
