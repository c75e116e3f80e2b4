import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import ScriptError, StoreError
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.saves import LARGEST, Resumption
from saniwa.story.story import parse_story
from saniwa.turn.record import RunReturn, Turn
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id
from saniwa.world.queries import is_holding
from tests.fakes.runs import GARDEN, open_courtyard_run, resume_restarted
from tests.unit.runs.story.courtyard_story import (
    HEAD,
    TAKE,
    TRY,
    YARD,
    get_run,
    play_moves,
    play_on_courtyard,
    read_words,
)


class StubbornRunStore(MemoryRunStore):
    """A store that refuses the next turns a given number of times."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals = 0

    async def append(self, run_id: str, turn: Turn) -> None:
        """Store the turn, unless it must be refused."""
        if self.refusals:
            self.refusals -= 1
            raise StoreError("TRACE_UNWRITABLE", "the disk is full", recoverable=True)
        await super().append(run_id, turn)


def test_a_state_resumed_shows_the_same_again() -> None:
    """At every step, a new story that loads the state continues the same."""
    store = MemoryRunStore()
    garden = play_on_courtyard(store=store)
    moves = [TAKE, None, "unlock the gate with the brass key", None, None, TRY, None]

    async def compare() -> None:
        shown = await garden.step()
        for move in moves:
            run = resume_restarted(get_run(garden), store)
            twin = StoryPlaying(parse_story(YARD), run)
            assert "exactly" == (await twin.load(garden.encode_state())).found
            assert not twin.taken_back
            assert shown == await twin.step()
            assert garden.waiting == twin.waiting
            assert garden.encode_state() == twin.encode_state()
            if isinstance(move, int):
                await garden.choose(move)
            elif isinstance(move, str):
                await garden.answer(move)
            shown = await garden.step()

    asyncio.run(compare())
    assert 3 == get_run(garden).count


def keep_until_deed(store: MemoryRunStore) -> tuple[bytes, StoryPlaying]:
    """The state stored by a choice, and the story after its action."""
    states: list[bytes] = []
    garden = play_on_courtyard(store=store, keep=states.append)
    play_moves(TAKE, of=garden)
    assert 2 == len(states)
    return states[0], garden


def test_a_deed_whose_story_was_not_kept_is_not_done_twice() -> None:
    """After a crash between the turn and the story's state, the turn's result is used."""
    store = MemoryRunStore()
    state, garden = keep_until_deed(store)
    later = StoryPlaying(parse_story(YARD), resume_restarted(get_run(garden), store))

    asyncio.run(later.load(state))

    assert ["It is yours."] == play_moves(of=later)
    assert 1 == get_run(later).count
    assert garden.encode_state() == later.encode_state()


def test_conditions_before_a_deed_done_already_see_the_world_before_it() -> None:
    """Until the story has reached a turn already done, conditions see the world before it."""
    text = HEAD + (
        '# T\n\nSo.\n\n- Go\n  :::when not holds("player", "key")\n'
        "  :::do take the brass key\n  Taken.\n  :::\n  :::\n- Stay\n  S.\n\nEnd.\n"
    )
    store, states = MemoryRunStore(), list[bytes]()
    garden = play_on_courtyard(text, store, keep=states.append)
    play_moves(0, of=garden)
    later = StoryPlaying(parse_story(text), resume_restarted(get_run(garden), store))

    asyncio.run(later.load(states[0]))

    assert ["Taken."] == play_moves(of=later)
    assert 1 == get_run(later).count


def test_another_deed_than_the_one_done_takes_that_one_back() -> None:
    """Another action than the one already done undoes that one."""
    store = MemoryRunStore()
    garden = play_on_courtyard(store=store)
    play_moves(of=garden)
    state = garden.encode_state()
    play_moves(TAKE, of=garden)

    asyncio.run(garden.load(state))

    assert ["It holds: LOCKED."] == play_moves(TRY, of=garden)
    told = [turn.raw_text or turn.aside for turn in get_run(garden).read_turns()]
    assert ["take the brass key", RunReturn(to=-1, why="load"), "open the gate"] == told
    assert not is_holding(get_run(garden).world, Id("player"), Id("key"))


def test_loading_an_older_state_brings_the_world_back_at_once() -> None:
    """Loading an older state restores its world as a turn, which can be undone."""
    garden = play_on_courtyard()
    play_moves(of=garden)
    state, before = garden.encode_state(), compute_fingerprint(get_run(garden).world)
    play_moves(TAKE, None, "look around", of=garden)

    asyncio.run(garden.load(state))

    assert garden.taken_back
    assert before == compute_fingerprint(get_run(garden).world)
    *_, last = get_run(garden).read_turns()
    assert RunReturn(to=-1, why="load") == last.aside


def test_a_state_of_another_run_reopens_it() -> None:
    """A state from an earlier run continues in that run."""
    store = MemoryRunStore()
    first = play_on_courtyard(store=store)
    play_moves(TAKE, of=first)
    again = StoryPlaying(
        parse_story(YARD),
        open_courtyard_run(store, ids=_make_other_ids()),
        reopen=lambda _: resume_restarted(get_run(first), store),
    )

    asyncio.run(again.load(first.encode_state()))

    assert get_run(first).id == get_run(again).id
    assert ["It is yours."] == play_moves(of=again)


def _make_other_ids() -> Any:
    from saniwa.core.ids import CountingIds

    ids = CountingIds()
    ids.create_id("run")
    return ids


def test_where_the_world_fails_the_story_waits() -> None:
    """If a turn cannot be stored, the story is unchanged, and the next step tries again."""
    store = StubbornRunStore()
    garden = play_on_courtyard(store=store)
    play_moves(of=garden)
    asyncio.run(garden.choose(TAKE))
    before = garden.encode_state()
    store.refusals = 1

    with pytest.raises(StoreError):
        asyncio.run(garden.step())
    assert before == garden.encode_state()
    assert "world" == garden.waiting
    assert ["It is yours."] == play_moves(of=garden)
    assert 1 == get_run(garden).count


def test_a_state_saved_after_a_failure_asks_for_the_same_deed() -> None:
    """A state saved after such a failure asks for the same action, even if its words vary."""
    text = HEAD + ("# T\n\nSo.\n\n- Take {do take the {&brass|rusty} key}\n  T.\n- No\n  N.\n")
    store = StubbornRunStore()
    garden = play_on_courtyard(text, store)
    play_moves(of=garden)
    asyncio.run(garden.choose(0))
    store.refusals = 1
    with pytest.raises(StoreError):
        asyncio.run(garden.step())

    asyncio.run(garden.load(garden.encode_state()))
    play_moves(of=garden)

    assert ["take the brass key"] == [t.raw_text for t in get_run(garden).read_turns()]


def test_where_the_world_cannot_go_back_neither_does_the_story() -> None:
    """If going back cannot be stored, the story is unchanged."""
    store = StubbornRunStore()
    garden = play_on_courtyard(store=store)
    play_moves(TAKE, None, of=garden)
    before = garden.encode_state()
    store.refusals = 1

    with pytest.raises(StoreError):
        asyncio.run(garden.back(2))
    assert before == garden.encode_state()


def test_choices_answers_and_deeds_are_kept_at_once() -> None:
    """Choices, answers and actions store the state at once; a plain step does not."""
    states: list[bytes] = []
    garden = play_on_courtyard(keep=states.append)

    async def count(doing: Awaitable[object]) -> int:
        before = len(states)
        await doing
        return len(states) - before

    async def count_kept() -> list[int]:
        return [
            await count(garden.step()),
            await count(garden.choose(TAKE)),
            await count(garden.step()),
            await count(garden.step()),
            await count(garden.answer("look around")),
            await count(garden.back()),
        ]

    assert [0, 1, 1, 0, 1, 1] == asyncio.run(count_kept())
    assert garden.encode_state() == states[-1]


def test_a_wrong_choice_keeps_nothing() -> None:
    """An invalid choice stores nothing."""
    states: list[bytes] = []
    garden = play_on_courtyard(keep=states.append)
    play_moves(of=garden)

    with pytest.raises(ScriptError, match="out of range"):
        asyncio.run(garden.choose(9))
    assert [] == states


def test_an_edited_story_continues_at_the_same_place() -> None:
    """An edited story continues at the same line, and the world is unchanged."""
    garden = play_on_courtyard()
    play_moves(TAKE, of=garden)

    found = asyncio.run(garden.reload(parse_story(YARD.replace("## yard", "Hm.\n\n## yard"))))

    assert "id" == found.found
    assert ["It is yours."] == play_moves(of=garden)
    assert 1 == get_run(garden).count


def test_an_edited_story_can_be_gone_back_in() -> None:
    """In an edited story going back works, and restores the world."""
    garden = play_on_courtyard()
    first = play_moves(of=garden)
    play_moves(TAKE, of=garden)
    shown = len(garden.backlog)

    asyncio.run(garden.reload(parse_story(YARD.replace("## yard", "Hm.\n\n## yard"))))
    play_moves(of=garden)

    assert shown == len(garden.backlog)
    back = asyncio.run(garden.back())
    assert back is not None
    assert first == read_words(back)
    assert not is_holding(get_run(garden).world, Id("player"), Id("key"))


RELOADS: dict[str, tuple[str, str]] = {
    "an error": ("WORLD_MISSING", YARD.replace("scenario: garden\n", "")),
    "an unknown name": ("FACT_UNKNOWN", YARD.replace('"key"', '"kye"')),
    "another world": ("WORLD_CHANGED", YARD.replace("scenario: garden", "scenario: x")),
}


@pytest.mark.parametrize("case", RELOADS)
def test_an_edit_that_cannot_be_played_changes_nothing(case: str) -> None:
    """An invalid edit is an error, and the story is unchanged."""
    code, text = RELOADS[case]
    garden = play_on_courtyard()
    play_moves(of=garden)
    before = garden.encode_state(), garden.story

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.reload(parse_story(text)))
    assert code == caught.value.code
    assert before == (garden.encode_state(), garden.story)


def _make_change(**fields: object) -> Callable[[bytes], bytes]:
    def change(state: bytes) -> bytes:
        return msgspec.json.encode(msgspec.json.decode(state) | fields)

    return change


STATES: dict[str, Callable[[bytes], bytes]] = {
    "no JSON": lambda _: b"{",
    "no text": lambda _: b"\xff",
    "too large": lambda _: b" " * 4_000_001,
    "another version": _make_change(performance=9),
    "a turn before the first": _make_change(turn=-1),
    "another run": _make_change(run="run-x"),
    "no run": _make_change(run=""),
    "no story": _make_change(story={}),
}


@pytest.mark.parametrize("case", STATES)
def test_a_state_that_is_invalid_changes_nothing(case: str) -> None:
    """An invalid state is refused, and the story is unchanged."""
    garden = play_on_courtyard()
    play_moves(of=garden)
    before = garden.encode_state()

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.load(STATES[case](before)))
    assert "STATE_UNREADABLE" == caught.value.code
    assert before == garden.encode_state()


def test_a_state_beyond_its_run_is_damage() -> None:
    """A state with more turns than its run is corrupt."""
    garden = play_on_courtyard()
    play_moves(of=garden)
    before = garden.encode_state()

    with pytest.raises(StoreError) as caught:
        asyncio.run(garden.load(_make_change(turn=7)(before)))
    assert "TRACE_CORRUPT" == caught.value.code
    assert before == garden.encode_state()


def test_a_state_says_how_it_was_found() -> None:
    """Loading returns a sentence that says how the position was found."""
    garden = play_on_courtyard()
    play_moves(of=garden)

    found: Resumption = asyncio.run(garden.load(garden.encode_state()))

    assert "the story is unchanged: continuing at line 7" == str(found)


FOREIGN: dict[str, dict[str, Any]] = {
    "another scenario": {"scenario": {**GARDEN, "name": "orchard"}},
    "another character": {"actor": "keeper"},
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_state_does_not_take_over_a_run_of_another_kind(case: str) -> None:
    """A state with a run of another scenario or listener is refused."""
    store, kept = MemoryRunStore(), list[bytes]()
    foreign = open_courtyard_run(store, ids=_make_other_ids(), **FOREIGN[case])
    garden = play_on_courtyard(
        store=store, keep=kept.append, reopen=lambda _: resume_restarted(foreign, store)
    )
    play_moves(of=garden)
    before = garden.encode_state()

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.load(_make_change(run=foreign.id)(before)))
    assert "STATE_UNREADABLE" == caught.value.code
    assert (before, []) == (garden.encode_state(), kept)


def test_a_state_names_its_run_in_full() -> None:
    """A state must have the complete id of its run."""
    store = MemoryRunStore()
    garden: StoryPlaying = play_on_courtyard(
        store=store, reopen=lambda _: resume_restarted(get_run(garden), store)
    )
    play_moves(of=garden)

    with pytest.raises(ScriptError, match="'last' is not the whole id"):
        asyncio.run(garden.load(_make_change(run="last")(garden.encode_state())))


def make_nearly_full(letters: int) -> StoryPlaying:
    """A story whose variables fill the state up to the limit, plus some more characters."""
    plain = StoryPlaying(parse_story("# T\n\nOne.\n\n- a\n  A.\n"))
    for number in range(399):
        plain.player.memory.set_variable(f"v{number}", "x" * 9_990)
    plain.player.memory.set_variable("more", "x" * letters)
    play_moves(of=plain)
    return plain


def test_no_state_is_given_that_could_not_be_read_again() -> None:
    """A state over the limit is refused when it is encoded."""
    room = LARGEST - len(make_nearly_full(0).encode_state())
    content = make_nearly_full(room).encode_state()

    assert LARGEST == len(content)
    asyncio.run(make_nearly_full(0).load(content))
    with pytest.raises(ScriptError) as caught:
        make_nearly_full(room + 1).encode_state()
    assert "STATE_TOO_LARGE" == caught.value.code
