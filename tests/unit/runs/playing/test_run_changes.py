"""What is done to a hosted run beside its story: other rules, other seats."""

import asyncio
from typing import Any, Final

import pytest

from saniwa.core.errors import RulebookError, RunError, SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import Playing, PlayRequest, PlayState
from saniwa.runs.playing_story import StoredStoryPlaying
from saniwa.runs.run import Run
from saniwa.story.step_result import Say
from saniwa.turn.record import RulebookEdit, RunReturn, Seating
from tests.fakes.playing_stages import Kind, PlayingStage, make_move
from tests.fakes.runs import open_courtyard_run

NO_TAKING: Final[dict[str, Any]] = {
    "rules": [
        {
            "actionType": "take",
            "checks": [
                {
                    "id": "never",
                    "condition": {"not": {"inScope": "target"}},
                    "failReason": "MISSING_REQUIREMENT",
                    "failMessage": "Nobody takes anything today.",
                }
            ],
        }
    ]
}
ASKED: Final = IdempotencyKey(key="mika/1", digest="d")
WORLDS: Final[tuple[Kind, ...]] = ("scenario", "story on a world")


async def forbid_taking(hosted: Playing, asked: IdempotencyKey | None = None) -> PlayState:
    """Forbid taking, having seen the present revision."""

    async def edit(run: Run) -> object:
        return await run.edit_rulebook(NO_TAKING, asked=asked)

    request = PlayRequest(revision=hosted.revision, asked=asked)
    return await hosted.change_run(request, edit)


@pytest.mark.parametrize("kind", WORLDS)
def test_an_edit_raises_the_revision_and_shows_what_was_shown(kind: Kind) -> None:
    """Other rules are something that happened, and nothing the story tells."""

    async def play() -> None:
        hosted = await PlayingStage(kind).begin()
        before = hosted.read_state()
        after = await forbid_taking(hosted)
        assert after.revision == before.revision + 1 == hosted.revision
        assert after.step == before.step == hosted.read_state().step

    asyncio.run(play())


def test_a_story_goes_on_under_other_rules() -> None:
    """A deed after an edit is weighed by it, and the story follows the refusal."""

    async def play() -> None:
        hosted = await PlayingStage("story on a world").begin()
        await forbid_taking(hosted)
        moment = await make_move(hosted, 0)
        said = [each.args.text for each in moment.step.directives if isinstance(each, Say)]
        assert "Nobody takes anything today." in said

    asyncio.run(play())


@pytest.mark.parametrize("kind", WORLDS)
def test_the_same_request_edits_once(kind: Kind) -> None:
    """The first answer comes again, also from another process, and no turn is added."""

    async def play() -> None:
        stage = PlayingStage(kind)
        hosted = await stage.begin()
        first = await forbid_taking(hosted, ASKED)
        turns = stage.count_turns(hosted.id)
        other = await stage.resume(hosted.id)
        assert first.revision == (await forbid_taking(hosted, ASKED)).revision
        assert first.revision == (await forbid_taking(other, ASKED)).revision
        assert turns == stage.count_turns(hosted.id)

    asyncio.run(play())


def test_an_edit_whose_place_was_not_kept_is_not_made_twice() -> None:
    """A crash between the run's turn and the story's place loses neither."""

    async def play() -> None:
        stage = PlayingStage("story on a world")
        hosted = await stage.begin()
        stage.plays.refused = ("run-", "step-")
        with pytest.raises(StoreError):
            await forbid_taking(hosted, ASKED)
        stage.repair_stores()
        other = await stage.resume(hosted.id)
        await forbid_taking(other, ASKED)
        kept = [*stage.store.read_turns(hosted.id)]
        assert [RulebookEdit] == [type(turn.aside) for turn in kept]

    asyncio.run(play())


def test_an_edit_from_elsewhere_does_not_stop_a_story() -> None:
    """Rules edited in a terminal hold for a story that is open in a browser."""

    async def play() -> None:
        stage = PlayingStage("story on a world")
        hosted = await stage.begin()
        elsewhere = stage._resume_run(hosted.id)
        await elsewhere.edit_rulebook(NO_TAKING)
        await elsewhere.change_seating(Seating(seats={"player": "person"}))
        await make_move(hosted, 1)
        kept = [type(turn.aside) for turn in stage.store.read_turns(hosted.id)]
        assert [RulebookEdit, Seating, type(None)] == kept

    asyncio.run(play())


def test_a_deed_from_elsewhere_still_stops_a_story() -> None:
    """What somebody else has done in the world is not passed over."""

    async def play() -> None:
        stage = PlayingStage("story on a world")
        hosted = await stage.begin()
        assert isinstance(hosted, StoredStoryPlaying)
        hosted.patience = 0.0
        elsewhere = stage._resume_run(hosted.id)
        await elsewhere.edit_rulebook(NO_TAKING)
        await elsewhere.say("eat the loaf")
        with pytest.raises(StoreError, match="continued elsewhere"):
            await make_move(hosted, 1)

    asyncio.run(play())


def test_going_back_behind_an_edit_leaves_the_rules() -> None:
    """Steps are gone back over, the world with them, and the edit stays."""

    async def play() -> None:
        stage = PlayingStage("story on a world")
        hosted = await stage.begin()
        first = hosted.read_state().step
        await make_move(hosted, 1)
        await forbid_taking(hosted)
        back = await hosted.back(PlayRequest(revision=hosted.revision))
        assert first == back.step
        kept = [type(turn.aside) for turn in stage.store.read_turns(hosted.id)]
        assert [type(None), RulebookEdit, RunReturn] == kept

    asyncio.run(play())


def test_going_back_over_an_edit_alone_is_no_turn() -> None:
    """Where only the rules changed, there is nothing in the world to take back."""

    async def play() -> None:
        stage = PlayingStage("story on a world")
        hosted = await stage.begin()
        await make_move(hosted, 1)
        await forbid_taking(hosted)
        await make_move(hosted, None)
        await hosted.back(PlayRequest(revision=hosted.revision))
        kept = [type(turn.aside) for turn in stage.store.read_turns(hosted.id)]
        assert [type(None), RulebookEdit] == kept

    asyncio.run(play())


def test_a_story_without_a_world_has_no_rules_to_edit() -> None:
    """It is told so, and nothing happens."""

    async def play() -> None:
        hosted = await PlayingStage("story").begin()
        with pytest.raises(RunError) as problem:
            await forbid_taking(hosted)
        assert "WORLD_MISSING" == problem.value.code

    asyncio.run(play())


@pytest.mark.parametrize("kind", WORLDS)
def test_an_edit_that_cannot_be_read_changes_nothing(kind: Kind) -> None:
    """Neither the trace nor the place of the story."""

    async def play() -> None:
        stage = PlayingStage(kind)
        hosted = await stage.begin()
        kept = stage.read_state(hosted.id)
        with pytest.raises(SaniwaError):
            await hosted.change_run(
                PlayRequest(revision=hosted.revision), lambda run: run.edit_rulebook({"rules": 3})
            )
        assert kept == stage.read_state(hosted.id)

    asyncio.run(play())


@pytest.mark.parametrize(("base", "is_taken"), [("default", True), ("strict", False)])
def test_an_edit_extends_no_other_book_than_the_run_does(base: str, is_taken: bool) -> None:
    """A base that would be ignored is refused, and nothing is stored."""
    run = open_courtyard_run()
    edit = run.edit_rulebook(NO_TAKING | {"extends": base})

    if is_taken:
        asyncio.run(edit)
    else:
        with pytest.raises(RulebookError, match="does not extend 'strict'"):
            asyncio.run(edit)

    assert is_taken is bool(run.edits)
