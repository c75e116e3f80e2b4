import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import ScriptError, StoreError
from saniwa.run.conductor import Run
from saniwa.run.performance import MOST_DEEDS, Performance
from saniwa.script.directive import (
    Branch,
    Ending,
    Next,
    PlayBgm,
    Say,
    ShowImage,
    StepResult,
)
from saniwa.script.playing.player import MOST_SKIPPED
from saniwa.script.playing.state import LARGEST, Resumption
from saniwa.script.story import Story, story_of
from saniwa.store.memory import MemoryStore
from saniwa.turn.trace import Return, Turn
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Id
from saniwa.world.view import holds
from tests.fakes.runs import GARDEN, garden_run, resumed
from tests.fakes.stepresults import assert_keeps_contract

HEAD = "---\nid: g\nscenario: garden\n---\n"
YARD = (
    HEAD
    + """# Garden
## yard
The gate is {state("gate")}. {holds("player", "key"): Key in hand.|Empty hands.}

- Take the key {do take the brass key}
  It is yours.
- Try the gate {do open the gate}
  It swings.
  :::refused
  It holds: {reason}.
  :::
- Go through {do go north}
  You are there. <!-- ending: orchard -->
- In your own words {ask}
  So you did.

[again](#yard)
"""
)
TAKE, TRY, NORTH = 0, 1, 2


class StubbornStore(MemoryStore):
    """Refuses the next turn as often as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals = 0

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep the turn, unless a refusal is due."""
        if self.refusals:
            self.refusals -= 1
            raise StoreError("TRACE_UNWRITABLE", "the disk is full", recoverable=True)
        super().append(run_id, turn)


def on_garden(
    text: str = YARD, store: MemoryStore | None = None, **more: Any
) -> Performance:
    """A performance of the text on a new run of the garden."""
    return Performance(story_of(text), garden_run(store), **more)


def world_of(performance: Performance) -> Run:
    """The run beneath, which is there."""
    assert performance.run is not None
    return performance.run


def said(result: StepResult) -> list[str]:
    """The words of a result."""
    return [each.args.text for each in result.directives if isinstance(each, Say)]


def played(*moves: int | str | None, of: Performance) -> list[str]:
    """The words of the last step after some moves: choices, answers, None for a step."""

    async def all_of_them() -> list[str]:
        result = await of.step()
        for move in moves:
            if isinstance(move, int):
                await of.choose(move)
            elif isinstance(move, str):
                await of.answer(move)
            result = await of.step()
            assert_keeps_contract(result)
        return said(result)

    return asyncio.run(all_of_them())


def test_a_story_without_a_world_is_played_as_it_is() -> None:
    """Without a scenario, the performance steps, chooses and ends like the player."""
    story = "# T\n\nHello.\n\n- left\n  L.\n- right\n  R. <!-- ending: r -->\n"
    plain = Performance(story_of(story))

    assert ["Hello."] == played(of=plain)
    assert plain.player.waiting.startswith("choice")
    assert ["R."] == played(1, of=plain)
    assert 2 == len(plain.backlog)
    (end,) = asyncio.run(plain.step()).directives
    assert isinstance(end, Ending)
    assert "end" == plain.waiting


def test_a_deed_that_comes_true_is_a_turn_and_its_arm_follows() -> None:
    """Choosing a deed plays its words in the run; then the arm is told."""
    garden = on_garden()

    assert ["It is yours."] == played(TAKE, of=garden)
    (turn,) = world_of(garden).turns()
    assert "take the brass key" == turn.raw_text
    assert holds(world_of(garden).world, Id("player"), Id("key"))
    assert ["The gate is locked. Key in hand."] == played(of=garden)


def test_a_refused_deed_tells_its_refused_block_with_the_reason() -> None:
    """What the author wrote for a refusal is told; the code can be read."""
    garden = on_garden()

    assert ["It holds: LOCKED."] == played(TRY, of=garden)
    assert False is garden.player.variables["allowed"]


def test_without_a_refused_block_the_world_tells_why() -> None:
    """A refusal nobody wrote about is told in the world's words, and nothing follows."""
    garden = on_garden()

    (why,) = played(NORTH, of=garden)

    assert "gate" in why
    assert ["The gate is locked. Empty hands."] == played(of=garden)


def test_a_persons_words_are_played_and_told_by_the_world() -> None:
    """Free text becomes a turn: the world tells it, then the arm follows."""
    garden = on_garden()

    (taken,) = played("take the brass key", of=garden)

    assert "brass key" in taken
    assert ["So you did."] == played(of=garden)


def test_an_unclear_word_is_asked_about_and_counts_as_refused() -> None:
    """The question and its options are told; the next words may answer it."""
    garden = on_garden()

    told = played("take the old metal", of=garden)

    assert ["1. brass key", "2. rusty key"] == told[1:]
    assert "AMBIGUOUS_REFERENCE" == garden.player.variables["reason"]
    played("1", of=garden)
    assert holds(world_of(garden).world, Id("player"), Id("key"))


def test_an_authors_unclear_deed_is_refused_with_its_code() -> None:
    """A deed that could mean two things comes to nothing."""
    deed = "- Take it {do take the old metal}\n  Ok.\n  :::refused\n  {reason}\n  :::\n"
    garden = on_garden(HEAD + f"# T\n\nSo.\n\n{deed}\nEnd.\n")

    assert ["AMBIGUOUS_REFERENCE"] == played(0, of=garden)


def test_a_deed_partly_done_came_true_and_keeps_its_reason() -> None:
    """As a turn passes if anything in it was applied, so does a deed."""
    deed = "- Both {do take the brass key and go north}\n  {allowed} {reason}\n- No\n  N.\n"
    garden = on_garden(HEAD + f"# T\n\nSo.\n\n{deed}")

    ((text,), reason) = played(0, of=garden), garden.player.variables["reason"]

    assert f"true {reason}" == text
    assert reason


def test_the_story_goes_on_when_the_world_reaches_its_goal() -> None:
    """A goal of the scenario ends nothing; endings are the author's."""
    garden = on_garden()

    played(TAKE, None, "unlock the gate with the brass key", None, None, TRY, of=garden)
    assert ["You are there."] == played(NORTH, of=garden)
    assert world_of(garden).finished


def test_going_back_past_a_deed_takes_the_world_back() -> None:
    """Rollback undoes the deed, as a turn of its own; the story shows the choice again."""
    garden = on_garden()
    played(TAKE, None, of=garden)

    shown = asyncio.run(garden.back(2))

    assert shown is not None
    assert ["The gate is locked. Empty hands."] == said(shown)
    *_, last = world_of(garden).turns()
    assert Return(to=-1, why="undo") == last.aside
    assert ["It is yours."] == played(TAKE, of=garden)


def test_going_back_over_plain_lines_leaves_the_world_alone() -> None:
    """Where no deed lies between, no turn is kept."""
    garden = on_garden(HEAD + "# T\n\nOne.\n\nTwo.\n\nThree.\n")
    played(None, None, of=garden)

    shown = asyncio.run(garden.back())

    assert shown is not None
    assert ["Two."] == said(shown)
    assert 0 == world_of(garden).count


def test_the_scenery_is_what_stands_on_the_stage() -> None:
    """For a host that comes in here: pictures and music, whatever was shown last."""
    text = "# T\n\n[SHOW_IMAGE file=a layer=bg]\n[PLAY_BGM name=b]\n\nOne.\n\nTwo.\n"
    plain = Performance(story_of(text))
    played(None, of=plain)

    scenery = plain.scenery()

    assert Next.NEXT is scenery.next
    assert [ShowImage, PlayBgm] == [type(each) for each in scenery.directives]


def test_there_is_nothing_before_the_beginning() -> None:
    """Going back further than was shown changes nothing."""
    garden = on_garden()
    played(TAKE, of=garden)

    assert None is asyncio.run(garden.back(2))
    assert None is asyncio.run(garden.back(0))
    assert 1 == world_of(garden).count
    assert "step" == garden.waiting


def test_a_state_taken_up_shows_the_same_again() -> None:
    """At every wait, a fresh performance that loads the state goes on alike."""
    store = MemoryStore()
    garden = on_garden(store=store)
    moves = [TAKE, None, "unlock the gate with the brass key", None, None, TRY, None]

    async def compare() -> None:
        shown = await garden.step()
        for move in moves:
            run = resumed(world_of(garden), store)
            twin = Performance(story_of(YARD), run)
            assert "exactly" == (await twin.load(garden.state())).found
            assert not twin.taken_back
            assert shown == await twin.step()
            assert garden.waiting == twin.waiting
            assert garden.state() == twin.state()
            if isinstance(move, int):
                await garden.choose(move)
            elif isinstance(move, str):
                await garden.answer(move)
            shown = await garden.step()

    asyncio.run(compare())
    assert 3 == world_of(garden).count


def kept_until_the_deed(store: MemoryStore) -> tuple[bytes, Performance]:
    """The state kept by a choice, and the performance after its deed."""
    states: list[bytes] = []
    garden = on_garden(store=store, keep=states.append)
    played(TAKE, of=garden)
    assert 2 == len(states)
    return states[0], garden


def test_a_deed_whose_story_was_not_kept_is_not_done_twice() -> None:
    """If we stop between the turn and the story's state, the turn's outcome is used."""
    store = MemoryStore()
    state, garden = kept_until_the_deed(store)
    later = Performance(story_of(YARD), resumed(world_of(garden), store))

    asyncio.run(later.load(state))

    assert ["It is yours."] == played(of=later)
    assert 1 == world_of(later).count
    assert garden.state() == later.state()


def test_conditions_before_a_deed_done_already_see_the_world_before_it() -> None:
    """Until the story has caught up, facts are those of its own moment."""
    text = HEAD + (
        '# T\n\nSo.\n\n- Go\n  :::when not holds("player", "key")\n'
        "  :::do take the brass key\n  Taken.\n  :::\n  :::\n- Stay\n  S.\n\nEnd.\n"
    )
    store, states = MemoryStore(), list[bytes]()
    garden = on_garden(text, store, keep=states.append)
    played(0, of=garden)
    later = Performance(story_of(text), resumed(world_of(garden), store))

    asyncio.run(later.load(states[0]))

    assert ["Taken."] == played(of=later)
    assert 1 == world_of(later).count


def test_another_deed_than_the_one_done_takes_that_one_back() -> None:
    """Whoever loads and then chooses otherwise gets the world of the state."""
    store = MemoryStore()
    garden = on_garden(store=store)
    played(of=garden)
    state = garden.state()
    played(TAKE, of=garden)

    asyncio.run(garden.load(state))

    assert ["It holds: LOCKED."] == played(TRY, of=garden)
    told = [turn.raw_text or turn.aside for turn in world_of(garden).turns()]
    assert ["take the brass key", Return(to=-1, why="load"), "open the gate"] == told
    assert not holds(world_of(garden).world, Id("player"), Id("key"))


def test_loading_an_older_state_brings_the_world_back_at_once() -> None:
    """Further behind than one deed, going back is kept as a turn, and undo returns."""
    garden = on_garden()
    played(of=garden)
    state, before = garden.state(), fingerprint(world_of(garden).world)
    played(TAKE, None, "look around", of=garden)

    asyncio.run(garden.load(state))

    assert garden.taken_back
    assert before == fingerprint(world_of(garden).world)
    *_, last = world_of(garden).turns()
    assert Return(to=-1, why="load") == last.aside


def test_a_state_of_another_run_reopens_it() -> None:
    """A save from an earlier playing goes on in that playing's run."""
    store = MemoryStore()
    first = on_garden(store=store)
    played(TAKE, of=first)
    again = Performance(
        story_of(YARD),
        garden_run(store, ids=_others()),
        reopen=lambda _: resumed(world_of(first), store),
    )

    asyncio.run(again.load(first.state()))

    assert world_of(first).id == world_of(again).id
    assert ["It is yours."] == played(of=again)


def _others() -> Any:
    from saniwa.core.ids import CountingIds

    ids = CountingIds()
    ids.fresh("run")
    return ids


def test_where_the_world_fails_the_story_stands_still() -> None:
    """A turn that cannot be kept moves nothing; the next step tries again."""
    store = StubbornStore()
    garden = on_garden(store=store)
    played(of=garden)
    asyncio.run(garden.choose(TAKE))
    before = garden.state()
    store.refusals = 1

    with pytest.raises(StoreError):
        asyncio.run(garden.step())
    assert before == garden.state()
    assert "world" == garden.waiting
    assert ["It is yours."] == played(of=garden)
    assert 1 == world_of(garden).count


def test_a_state_saved_after_a_failure_asks_for_the_same_deed() -> None:
    """Words that vary from time to time have not varied if nothing was done."""
    text = HEAD + (
        "# T\n\nSo.\n\n- Take {do take the {&brass|rusty} key}\n  T.\n- No\n  N.\n"
    )
    store = StubbornStore()
    garden = on_garden(text, store)
    played(of=garden)
    asyncio.run(garden.choose(0))
    store.refusals = 1
    with pytest.raises(StoreError):
        asyncio.run(garden.step())

    asyncio.run(garden.load(garden.state()))
    played(of=garden)

    assert ["take the brass key"] == [t.raw_text for t in world_of(garden).turns()]


def test_where_the_world_cannot_go_back_neither_does_the_story() -> None:
    """A rollback that cannot be kept changes nothing."""
    store = StubbornStore()
    garden = on_garden(store=store)
    played(TAKE, None, of=garden)
    before = garden.state()
    store.refusals = 1

    with pytest.raises(StoreError):
        asyncio.run(garden.back(2))
    assert before == garden.state()


def test_choices_answers_and_deeds_are_kept_at_once() -> None:
    """After each, the keeper has a state; a mere step is not worth a write."""
    states: list[bytes] = []
    garden = on_garden(keep=states.append)

    async def count(doing: Awaitable[object]) -> int:
        before = len(states)
        await doing
        return len(states) - before

    async def counts() -> list[int]:
        return [
            await count(garden.step()),
            await count(garden.choose(TAKE)),
            await count(garden.step()),
            await count(garden.step()),
            await count(garden.answer("look around")),
            await count(garden.back()),
        ]

    assert [0, 1, 1, 0, 1, 1] == asyncio.run(counts())
    assert garden.state() == states[-1]


def test_a_wrong_choice_keeps_nothing() -> None:
    """What changes nothing is not written."""
    states: list[bytes] = []
    garden = on_garden(keep=states.append)
    played(of=garden)

    with pytest.raises(ScriptError, match="out of range"):
        asyncio.run(garden.choose(9))
    assert [] == states


def test_deeds_in_a_circle_are_stopped() -> None:
    """A story that does things for ever and never waits is an error, not a hang."""
    circle = HEAD + "# T\n## a\n:::do look around\n:::refused\n:::\n[again](#a)\n"
    garden = on_garden(circle)

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.step())
    assert "LOOP_WITHOUT_WAIT" == caught.value.code
    assert MOST_DEEDS == world_of(garden).count


def test_an_edited_story_goes_on_at_the_same_place() -> None:
    """Hot reload finds the line again, and the world stays as it is."""
    garden = on_garden()
    played(TAKE, of=garden)

    found = asyncio.run(
        garden.reload(story_of(YARD.replace("## yard", "Hm.\n\n## yard")))
    )

    assert "id" == found.found
    assert ["It is yours."] == played(of=garden)
    assert 1 == world_of(garden).count


RELOADS: dict[str, tuple[str, str]] = {
    "an error": ("WORLD_MISSING", YARD.replace("scenario: garden\n", "")),
    "an unknown name": ("FACT_UNKNOWN", YARD.replace('"key"', '"kye"')),
    "another world": ("WORLD_CHANGED", YARD.replace("scenario: garden", "scenario: x")),
}


@pytest.mark.parametrize("case", RELOADS)
def test_an_edit_that_cannot_be_played_changes_nothing(case: str) -> None:
    """A broken edit is told, and the story as it was goes on."""
    code, text = RELOADS[case]
    garden = on_garden()
    played(of=garden)
    before = garden.state(), garden.story

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.reload(story_of(text)))
    assert code == caught.value.code
    assert before == (garden.state(), garden.story)


def _changed(**fields: object) -> Callable[[bytes], bytes]:
    def change(state: bytes) -> bytes:
        return msgspec.json.encode(msgspec.json.decode(state) | fields)

    return change


STATES: dict[str, Callable[[bytes], bytes]] = {
    "no JSON": lambda _: b"{",
    "no text": lambda _: b"\xff",
    "too large": lambda _: b" " * 4_000_001,
    "another version": _changed(performance=9),
    "a turn before the first": _changed(turn=-1),
    "another run": _changed(run="run-x"),
    "no run": _changed(run=""),
    "no story": _changed(story={}),
}


@pytest.mark.parametrize("case", STATES)
def test_a_state_that_is_none_changes_nothing(case: str) -> None:
    """Whatever is no state of this story is refused, and the story stands."""
    garden = on_garden()
    played(of=garden)
    before = garden.state()

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.load(STATES[case](before)))
    assert "STATE_UNREADABLE" == caught.value.code
    assert before == garden.state()


def test_a_state_beyond_its_run_is_damage() -> None:
    """A state that knows of more turns than the run has is told as such."""
    garden = on_garden()
    played(of=garden)
    before = garden.state()

    with pytest.raises(StoreError) as caught:
        asyncio.run(garden.load(_changed(turn=7)(before)))
    assert "TRACE_CORRUPT" == caught.value.code
    assert before == garden.state()


def test_skipping_runs_through_what_was_seen_and_stops_at_news() -> None:
    """Seen lines pass by; a new line or a choice is where it stops."""
    story = story_of("# T\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n")
    first, again = Performance(story), Performance(story)
    played(None, of=first)
    again.player.mark_seen(first.player.seen_ids())

    async def skipped() -> list[str]:
        return [word async for result in again.skip() for word in said(result)]

    assert ["One.", "Two.", "Three."] == asyncio.run(skipped())


def test_skipping_stops_where_the_world_has_something_to_say() -> None:
    """A deed on the way is done, and what came of it is not skipped."""
    garden = on_garden(HEAD + "# T\n\nOne. {do look around}\n\nTwo.\n\nThree.\n")
    played(None, None, of=garden)
    twin = on_garden(HEAD + "# T\n\nOne. {do look around}\n\nTwo.\n\nThree.\n")
    twin.player.mark_seen(garden.player.seen_ids())

    async def skipped() -> list[str]:
        return [word async for result in twin.skip() for word in said(result)]

    assert ["One.", "Two."] == asyncio.run(skipped())


def test_a_state_says_how_it_was_found() -> None:
    """Loading answers with a sentence for people."""
    garden = on_garden()
    played(of=garden)

    found: Resumption = asyncio.run(garden.load(garden.state()))

    assert "the story is unchanged: going on at line 7" == str(found)


def test_options_follow_the_world() -> None:
    """What cannot be is not offered: conditions are asked when the choice is."""
    text = HEAD + (
        "# T\n\n## a\nSo.\n\n"
        '- Take {do take the brass key} {if not holds("player", "key")}\n  T.\n'
        "- Wait\n  W.\n\n[a](#a)\n"
    )
    garden = on_garden(text)

    async def choices() -> list[tuple[str, ...]]:
        seen = []
        for _ in range(2):
            result = await garden.step()
            seen += [d.args.choices for d in result.directives if isinstance(d, Branch)]
            await garden.choose(0)
            await garden.step()
        return seen

    assert [("Take", "Wait"), ("Wait",)] == asyncio.run(choices())


def story(text: str) -> Story:
    """The story in a text, which has no errors."""
    made = story_of(text)
    assert made.report.passed
    return made


def test_the_sample_story_is_sound() -> None:
    """The story these tests play has no findings of its own."""
    assert () == story(YARD).report.findings


TWICE = HEAD + (
    "# T\n\nSo.\n\n- East {do go east}\n  Gone.\n  :::refused\n  No: {reason}.\n  :::\n"
    "- Key {do take the brass key}\n  Taken.\n\nThen.\n\nEnd.\n"
)


def two_at_the_same_place(first: int, second: int) -> tuple[Performance, Performance]:
    """Two processes in one run, each with a choice made and nothing done yet."""
    store = MemoryStore()
    one = on_garden(TWICE, store)
    played(of=one)
    other = Performance(story_of(TWICE), resumed(world_of(one), store))
    asyncio.run(other.load(one.state()))
    played(of=other)
    asyncio.run(one.choose(first))
    asyncio.run(other.choose(second))
    return one, other


def told_in_conflict(performance: Performance) -> StoreError:
    """The conflict that the next step meets."""
    with pytest.raises(StoreError) as caught:
        asyncio.run(performance.step())
    assert "REVISION_CONFLICT" == caught.value.code
    return caught.value


def deeds(performance: Performance) -> list[object]:
    """What was said and done in the run beneath."""
    return [turn.raw_text or turn.aside for turn in world_of(performance).turns()]


def test_a_deed_that_another_process_has_done_is_not_done_again() -> None:
    """After the conflict, the same deed is the one that was done; it has one outcome."""
    one, other = two_at_the_same_place(0, 0)
    assert ["Gone."] == played(of=one)

    before = other.state()
    told_in_conflict(other)

    assert before == other.state()
    assert ["Gone."] == played(of=other)
    assert ["go east"] == deeds(other)
    assert one.state() == other.state()


def test_a_state_kept_after_a_conflict_does_not_do_the_deed_again() -> None:
    """It knows of no turn that its story has not seen."""
    one, other = two_at_the_same_place(0, 0)
    played(of=one)
    told_in_conflict(other)

    asyncio.run(one.load(other.state()))

    assert ["Gone."] == played(of=one)
    assert ["go east"] == deeds(one)


@pytest.mark.parametrize(("first", "more"), [(1, 0), (0, 1)])
def test_a_story_played_on_elsewhere_does_nothing_until_it_is_loaded(
    first: int, more: int
) -> None:
    """Another deed, or more than one: it is told each time, and nothing is taken back."""
    one, other = two_at_the_same_place(first, 0)
    played(of=one)
    for _ in range(more):
        asyncio.run(world_of(one).say("look around"))
    done, before = deeds(one), other.state()

    for _ in range(2):
        assert "load" in told_in_conflict(other).hint
        assert other.overtaken()
        assert before == other.state()
    assert done == deeds(other)

    asyncio.run(other.load(before))
    assert not other.overtaken()
    assert ["Gone."] == played(of=other)


MOVES: dict[str, Callable[[Performance], Awaitable[object]]] = {
    "choose": lambda playing: playing.choose(0),
    "answer": lambda playing: playing.answer("look around"),
    "back": lambda playing: playing.back(),
}


@pytest.mark.parametrize("case", MOVES)
def test_nothing_is_chosen_where_somebody_else_has_played_on(case: str) -> None:
    """The later place that they have kept is not replaced by an older one."""
    store, kept = MemoryStore(), list[bytes]()
    text = TWICE.replace("Then.", "Or.\n\n- Own words {ask}\n  Y.\n- No\n  N.\n")
    one = on_garden(text, store)
    played(0, None, of=one)
    other = Performance(
        story_of(text),
        resumed(world_of(one), store),
        keep=kept.append,
        reopen=lambda _: resumed(world_of(one), store),
    )
    asyncio.run(other.load(one.state()))
    played(of=other)
    if case == "back":
        asyncio.run(other.choose(0))
        played(of=other)
    later = resumed(world_of(one), store)
    asyncio.run(later.say("look around"))
    kept.clear()
    before = other.state()

    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            asyncio.run(_awaited(MOVES[case](other)))
        assert "REVISION_CONFLICT" == caught.value.code
        assert "it knows 1 turns of run" in caught.value.message
        assert caught.value.message.endswith("which has 2")
    assert other.overtaken()
    assert (before, []) == (other.state(), kept)

    asyncio.run(other.load(before))
    assert not other.overtaken()
    assert 1 == len(kept)


async def _awaited(work: Awaitable[object]) -> None:
    await work


def test_an_edit_does_not_replace_a_later_place() -> None:
    """A story read again goes on, and keeps nothing where somebody else has played on."""
    store, kept = MemoryStore(), list[bytes]()
    garden = on_garden(store=store, keep=kept.append)
    played(of=garden)
    asyncio.run(garden.reload(story_of(YARD)))
    assert 1 == len(kept)
    asyncio.run(resumed(world_of(garden), store).say("look around"))

    asyncio.run(garden.reload(story_of(YARD)))

    assert 1 == len(kept)


def test_what_somebody_else_has_done_is_not_taken_back_by_going_back() -> None:
    """Neither when it is met nor when it is tried again; the story stands."""
    text = HEAD + "# T\n\nSo. {do look around}\n\nOn.\n\nEnd.\n"
    store = MemoryStore()
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
    store = MemoryStore()
    text = HEAD + '# T\n\nSo.\n\n[ASK prompt="?"]\nOn.\n'
    one = on_garden(text, store)
    played(of=one)
    asyncio.run(one.step())
    asyncio.run(one.answer(""))
    asyncio.run(resumed(world_of(one), store).back_to(-1, "load"))

    for _ in range(2):
        told_in_conflict(one)
    assert 1 == world_of(one).count


def test_a_save_further_on_than_we_have_heard_is_loaded() -> None:
    """Somebody else has played on and saved there: their run is read again."""
    store = MemoryStore()
    one = on_garden(TWICE, store)
    played(of=one)
    other = Performance(
        story_of(TWICE),
        resumed(world_of(one), store),
        reopen=lambda _: resumed(world_of(one), store),
    )
    played(0, of=one)

    asyncio.run(other.load(one.state()))

    assert ["Gone."] == played(of=other)
    assert 1 == world_of(other).count


FOREIGN: dict[str, dict[str, Any]] = {
    "another scenario": {"scenario": {**GARDEN, "name": "orchard"}},
    "another character": {"actor": "keeper"},
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_state_does_not_take_over_a_run_of_another_kind(case: str) -> None:
    """A run id put into a save is refused if its world or its reader is another."""
    store, kept = MemoryStore(), list[bytes]()
    foreign = garden_run(store, ids=_others(), **FOREIGN[case])
    garden = on_garden(
        store=store, keep=kept.append, reopen=lambda _: resumed(foreign, store)
    )
    played(of=garden)
    before = garden.state()

    with pytest.raises(ScriptError) as caught:
        asyncio.run(garden.load(_changed(run=foreign.id)(before)))
    assert "STATE_UNREADABLE" == caught.value.code
    assert (before, []) == (garden.state(), kept)


def test_a_state_names_its_run_in_full() -> None:
    """What people may type to mean a run is no id in a save."""
    store = MemoryStore()
    garden: Performance = on_garden(
        store=store, reopen=lambda _: resumed(world_of(garden), store)
    )
    played(of=garden)

    with pytest.raises(ScriptError, match="'last' is not the whole id"):
        asyncio.run(garden.load(_changed(run="last")(garden.state())))


def remembering(letters: int) -> Performance:
    """A performance whose variables are all but full, and have so many letters more."""
    plain = Performance(story_of("# T\n\nOne.\n\n- a\n  A.\n"))
    for number in range(399):
        plain.player.memory.set(f"v{number}", "x" * 9_990)
    plain.player.memory.set("more", "x" * letters)
    played(of=plain)
    return plain


def test_no_state_is_given_that_could_not_be_read_again() -> None:
    """At the bound it is taken up; one letter more, and it is refused at once."""
    room = LARGEST - len(remembering(0).state())
    content = remembering(room).state()

    assert LARGEST == len(content)
    asyncio.run(remembering(0).load(content))
    with pytest.raises(ScriptError) as caught:
        remembering(room + 1).state()
    assert "STATE_TOO_LARGE" == caught.value.code


def test_skipping_in_a_circle_ends() -> None:
    """A story that goes round without a choice is not skipped for ever."""
    circle = Performance(story_of("# T\n## a\nHello.\n\n[again](#a)\n"))
    played(None, of=circle)

    async def skipped() -> int:
        return len([step async for step in circle.skip()])

    assert MOST_SKIPPED == asyncio.run(skipped())
