import asyncio
from collections.abc import Awaitable, Callable

import pytest

from saniwa.core.errors import StoreError
from saniwa.runs.story import StoryPlaying
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.story import parse_story
from tests.fakes.runs import resumed
from tests.unit.runs.story.yard import HEAD, YARD, on_garden, played, world_of

TWICE = HEAD + (
    "# T\n\nSo.\n\n- East {do go east}\n  Gone.\n  :::refused\n  No: {reason}.\n  :::\n"
    "- Key {do take the brass key}\n  Taken.\n\nThen.\n\nEnd.\n"
)


def two_at_the_same_place(first: int, second: int) -> tuple[StoryPlaying, StoryPlaying]:
    """Two processes in one run, each with a choice made and nothing done yet."""
    store = MemoryRunStore()
    one = on_garden(TWICE, store)
    played(of=one)
    other = StoryPlaying(parse_story(TWICE), resumed(world_of(one), store))
    asyncio.run(other.load(one.encode_state()))
    played(of=other)
    asyncio.run(one.choose(first))
    asyncio.run(other.choose(second))
    return one, other


def told_in_conflict(performance: StoryPlaying) -> StoreError:
    """The conflict that the next step meets."""
    with pytest.raises(StoreError) as caught:
        asyncio.run(performance.step())
    assert "REVISION_CONFLICT" == caught.value.code
    return caught.value


def deeds(performance: StoryPlaying) -> list[object]:
    """What was said and done in the run beneath."""
    return [turn.raw_text or turn.aside for turn in world_of(performance).read_turns()]


def test_a_deed_that_another_process_has_done_is_not_done_again() -> None:
    """After the conflict, the same deed is the one that was done; it has one outcome."""
    one, other = two_at_the_same_place(0, 0)
    assert ["Gone."] == played(of=one)

    before = other.encode_state()
    told_in_conflict(other)

    assert before == other.encode_state()
    assert ["Gone."] == played(of=other)
    assert ["go east"] == deeds(other)
    assert one.encode_state() == other.encode_state()


def test_a_state_kept_after_a_conflict_does_not_do_the_deed_again() -> None:
    """It knows of no turn that its story has not seen."""
    one, other = two_at_the_same_place(0, 0)
    played(of=one)
    told_in_conflict(other)

    asyncio.run(one.load(other.encode_state()))

    assert ["Gone."] == played(of=one)
    assert ["go east"] == deeds(one)


@pytest.mark.parametrize(("first", "more"), [(1, 0), (0, 1)])
def test_a_story_played_on_elsewhere_does_nothing_until_it_is_loaded(first: int, more: int) -> None:
    """Another deed, or more than one: it is told each time, and nothing is taken back."""
    one, other = two_at_the_same_place(first, 0)
    played(of=one)
    for _ in range(more):
        asyncio.run(world_of(one).say("look around"))
    done, before = deeds(one), other.encode_state()

    for _ in range(2):
        assert "load" in told_in_conflict(other).hint
        assert other.is_overtaken()
        assert before == other.encode_state()
    assert done == deeds(other)

    asyncio.run(other.load(before))
    assert not other.is_overtaken()
    assert ["Gone."] == played(of=other)


MOVES: dict[str, Callable[[StoryPlaying], Awaitable[object]]] = {
    "choose": lambda playing: playing.choose(0),
    "answer": lambda playing: playing.answer("look around"),
    "back": lambda playing: playing.back(),
}


@pytest.mark.parametrize("case", MOVES)
def test_nothing_is_chosen_where_somebody_else_has_played_on(case: str) -> None:
    """The later place that they have kept is not replaced by an older one."""
    store, kept = MemoryRunStore(), list[bytes]()
    text = TWICE.replace("Then.", "Or.\n\n- Own words {ask}\n  Y.\n- No\n  N.\n")
    one = on_garden(text, store)
    played(0, None, of=one)
    other = StoryPlaying(
        parse_story(text),
        resumed(world_of(one), store),
        keep=kept.append,
        reopen=lambda _: resumed(world_of(one), store),
    )
    asyncio.run(other.load(one.encode_state()))
    played(of=other)
    if case == "back":
        asyncio.run(other.choose(0))
        played(of=other)
    later = resumed(world_of(one), store)
    asyncio.run(later.say("look around"))
    kept.clear()
    before = other.encode_state()

    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            asyncio.run(_awaited(MOVES[case](other)))
        assert "REVISION_CONFLICT" == caught.value.code
        assert "it knows 1 turns of run" in caught.value.message
        assert caught.value.message.endswith("which has 2")
    assert other.is_overtaken()
    assert (before, []) == (other.encode_state(), kept)

    asyncio.run(other.load(before))
    assert not other.is_overtaken()
    assert 1 == len(kept)


async def _awaited(work: Awaitable[object]) -> None:
    await work


def test_an_edit_does_not_replace_a_later_place() -> None:
    """A story read again goes on, and keeps nothing where somebody else has played on."""
    store, kept = MemoryRunStore(), list[bytes]()
    garden = on_garden(store=store, keep=kept.append)
    played(of=garden)
    asyncio.run(garden.reload(parse_story(YARD)))
    assert 1 == len(kept)
    asyncio.run(resumed(world_of(garden), store).say("look around"))

    asyncio.run(garden.reload(parse_story(YARD)))

    assert 1 == len(kept)


def test_what_somebody_else_has_done_is_not_taken_back_by_going_back() -> None:
    """Neither when it is met nor when it is tried again; the story stands."""
    text = HEAD + "# T\n\nSo. {do look around}\n\nOn.\n\nEnd.\n"
    store = MemoryRunStore()
    mine = on_garden(text, store)
    played(None, of=mine)
    asyncio.run(resumed(world_of(mine), store).say("take the brass key"))

    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            asyncio.run(mine.back())
        assert "REVISION_CONFLICT" == caught.value.code
    assert ["look around", "take the brass key"] == deeds(mine)


def test_a_turn_beside_the_story_is_none_of_its_own() -> None:
    """A step back of somebody else is not taken for words that say nothing."""
    store = MemoryRunStore()
    text = HEAD + '# T\n\nSo.\n\n[ASK prompt="?"]\nOn.\n'
    one = on_garden(text, store)
    played(of=one)
    asyncio.run(one.step())
    asyncio.run(one.answer(""))
    asyncio.run(resumed(world_of(one), store).go_back_to(-1, "load"))

    for _ in range(2):
        told_in_conflict(one)
    assert 1 == world_of(one).count


def test_a_save_further_on_than_we_have_heard_is_loaded() -> None:
    """Somebody else has played on and saved there: their run is read again."""
    store = MemoryRunStore()
    one = on_garden(TWICE, store)
    played(of=one)
    other = StoryPlaying(
        parse_story(TWICE),
        resumed(world_of(one), store),
        reopen=lambda _: resumed(world_of(one), store),
    )
    played(0, of=one)

    asyncio.run(other.load(one.encode_state()))

    assert ["Gone."] == played(of=other)
    assert 1 == world_of(other).count
