import asyncio
from collections.abc import Awaitable, Callable

import pytest

from saniwa.core.errors import StoreError
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.story import parse_story
from tests.fakes.runs import resume_restarted
from tests.unit.runs.story.courtyard_story import HEAD, YARD, get_run, play_moves, play_on_courtyard

TWICE = HEAD + (
    "# T\n\nSo.\n\n- East {do go east}\n  Gone.\n  :::refused\n  No: {reason}.\n  :::\n"
    "- Key {do take the brass key}\n  Taken.\n\nThen.\n\nEnd.\n"
)


def open_two_at_choice(first: int, second: int) -> tuple[StoryPlaying, StoryPlaying]:
    """Two processes in one run, each after a choice whose action is not done yet."""
    store = MemoryRunStore()
    one = play_on_courtyard(TWICE, store)
    play_moves(of=one)
    other = StoryPlaying(parse_story(TWICE), resume_restarted(get_run(one), store))
    asyncio.run(other.load(one.encode_state()))
    play_moves(of=other)
    asyncio.run(one.choose(first))
    asyncio.run(other.choose(second))
    return one, other


def expect_conflict(performance: StoryPlaying) -> StoreError:
    """The conflict that the next step raises."""
    with pytest.raises(StoreError) as caught:
        asyncio.run(performance.step())
    assert "REVISION_CONFLICT" == caught.value.code
    return caught.value


def list_deeds(performance: StoryPlaying) -> list[object]:
    """The words and changes of the run."""
    return [turn.raw_text or turn.aside for turn in get_run(performance).read_turns()]


def test_a_deed_that_another_process_has_done_is_not_done_again() -> None:
    """After the conflict, the same action of another process is used, and not done again."""
    one, other = open_two_at_choice(0, 0)
    assert ["Gone."] == play_moves(of=one)

    before = other.encode_state()
    expect_conflict(other)

    assert before == other.encode_state()
    assert ["Gone."] == play_moves(of=other)
    assert ["go east"] == list_deeds(other)
    assert one.encode_state() == other.encode_state()


def test_a_state_kept_after_a_conflict_does_not_do_the_deed_again() -> None:
    """A state stored after a conflict does not contain turns that its story has not seen."""
    one, other = open_two_at_choice(0, 0)
    play_moves(of=one)
    expect_conflict(other)

    asyncio.run(one.load(other.encode_state()))

    assert ["Gone."] == play_moves(of=one)
    assert ["go east"] == list_deeds(one)


@pytest.mark.parametrize(("first", "more"), [(1, 0), (0, 1)])
def test_a_story_played_on_elsewhere_does_nothing_until_it_is_loaded(first: int, more: int) -> None:
    """After other actions elsewhere, every step is a conflict until the story is loaded."""
    one, other = open_two_at_choice(first, 0)
    play_moves(of=one)
    for _ in range(more):
        asyncio.run(get_run(one).say("look around"))
    done, before = list_deeds(one), other.encode_state()

    for _ in range(2):
        assert "load" in expect_conflict(other).hint
        assert other.is_overtaken()
        assert before == other.encode_state()
    assert done == list_deeds(other)

    asyncio.run(other.load(before))
    assert not other.is_overtaken()
    assert ["Gone."] == play_moves(of=other)


MOVES: dict[str, Callable[[StoryPlaying], Awaitable[object]]] = {
    "choose": lambda playing: playing.choose(0),
    "answer": lambda playing: playing.answer("look around"),
    "back": lambda playing: playing.back(),
}


@pytest.mark.parametrize("case", MOVES)
def test_nothing_is_chosen_where_another_process_has_continued(case: str) -> None:
    """A choice is refused where another process has continued, and its record is not replaced."""
    store, kept = MemoryRunStore(), list[bytes]()
    text = TWICE.replace("Then.", "Or.\n\n- Own words {ask}\n  Y.\n- No\n  N.\n")
    one = play_on_courtyard(text, store)
    play_moves(0, None, of=one)
    other = StoryPlaying(
        parse_story(text),
        resume_restarted(get_run(one), store),
        keep=kept.append,
        reopen=lambda _: resume_restarted(get_run(one), store),
    )
    asyncio.run(other.load(one.encode_state()))
    play_moves(of=other)
    if case == "back":
        asyncio.run(other.choose(0))
        play_moves(of=other)
    later = resume_restarted(get_run(one), store)
    asyncio.run(later.say("look around"))
    kept.clear()
    before = other.encode_state()

    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            asyncio.run(_await_work(MOVES[case](other)))
        assert "REVISION_CONFLICT" == caught.value.code
        assert "it has 1 turns of run" in caught.value.message
        assert caught.value.message.endswith("which has 2")
    assert other.is_overtaken()
    assert (before, []) == (other.encode_state(), kept)

    asyncio.run(other.load(before))
    assert not other.is_overtaken()
    assert 1 == len(kept)


async def _await_work(work: Awaitable[object]) -> None:
    await work


def test_an_edit_does_not_replace_a_later_place() -> None:
    """Reloading an edited story stores nothing where another process has continued."""
    store, kept = MemoryRunStore(), list[bytes]()
    garden = play_on_courtyard(store=store, keep=kept.append)
    play_moves(of=garden)
    asyncio.run(garden.reload(parse_story(YARD)))
    assert 1 == len(kept)
    asyncio.run(resume_restarted(get_run(garden), store).say("look around"))

    asyncio.run(garden.reload(parse_story(YARD)))

    assert 1 == len(kept)


def test_what_another_process_has_done_is_not_taken_back_by_going_back() -> None:
    """Going back does not undo what another process has done."""
    text = HEAD + "# T\n\nSo. {do look around}\n\nOn.\n\nEnd.\n"
    store = MemoryRunStore()
    mine = play_on_courtyard(text, store)
    play_moves(None, of=mine)
    asyncio.run(resume_restarted(get_run(mine), store).say("take the brass key"))

    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            asyncio.run(mine.back())
        assert "REVISION_CONFLICT" == caught.value.code
    assert ["look around", "take the brass key"] == list_deeds(mine)


def test_a_turn_outside_the_story_is_not_its_own() -> None:
    """A step back of another process is not taken for the story's own turn."""
    store = MemoryRunStore()
    text = HEAD + '# T\n\nSo.\n\n[ASK prompt="?"]\nOn.\n'
    one = play_on_courtyard(text, store)
    play_moves(of=one)
    asyncio.run(one.step())
    asyncio.run(one.answer(""))
    asyncio.run(resume_restarted(get_run(one), store).go_back_to(-1, "load"))

    for _ in range(2):
        expect_conflict(one)
    assert 1 == get_run(one).count


def test_a_save_further_on_than_we_have_heard_is_loaded() -> None:
    """A save of another process that is ahead of this one can be loaded."""
    store = MemoryRunStore()
    one = play_on_courtyard(TWICE, store)
    play_moves(of=one)
    other = StoryPlaying(
        parse_story(TWICE),
        resume_restarted(get_run(one), store),
        reopen=lambda _: resume_restarted(get_run(one), store),
    )
    play_moves(0, of=one)

    asyncio.run(other.load(one.encode_state()))

    assert ["Gone."] == play_moves(of=other)
    assert 1 == get_run(other).count
