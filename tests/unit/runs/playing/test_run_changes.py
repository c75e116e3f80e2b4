"""Changes to a hosted run outside its story: other rules, other seats."""

import asyncio
from typing import Any, Final

import pytest

from saniwa.core.errors import RulebookError, RunError, SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import Playing, PlayRequest, PlayState
from saniwa.runs.run import Run
from saniwa.runs.stored_story_playing import StoredStoryPlaying
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
    """Forbid taking, at the current revision."""

    async def edit(run: Run) -> object:
        return await run.edit_rulebook(NO_TAKING, asked=asked)

    request = PlayRequest(revision=hosted.revision, asked=asked)
    return await hosted.change_run(request, edit)


@pytest.mark.parametrize("kind", WORLDS)
def test_an_edit_raises_the_revision_and_shows_what_was_shown(kind: Kind) -> None:
    """An edit raises the revision, and the step shown stays the same."""

    async def play() -> None:
        hosted = await PlayingStage(kind).begin()
        before = hosted.read_state()
        after = await forbid_taking(hosted)
        assert after.revision == before.revision + 1 == hosted.revision
        assert after.step == before.step == hosted.read_state().step

    asyncio.run(play())


def test_a_story_continues_under_other_rules() -> None:
    """After an edit, the new rules judge the story's actions."""

    async def play() -> None:
        hosted = await PlayingStage("story on a world").begin()
        await forbid_taking(hosted)
        moment = await make_move(hosted, 0)
        said = [each.args.text for each in moment.step.directives if isinstance(each, Say)]
        assert "Nobody takes anything today." in said

    asyncio.run(play())


@pytest.mark.parametrize("kind", WORLDS)
def test_the_same_request_edits_once(kind: Kind) -> None:
    """A repeated edit gets the first answer, also from another process, and adds no turn."""

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
    """After a crash between the run's turn and the story's record, the edit is not made twice."""

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
    """An edit in another process does not stop an open story."""

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
    """An action in another process stops an open story with a conflict."""

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
    """Going back before an edit restores the world and keeps the edit."""

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
    """Going back over an edit only adds no turn."""

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
    """An edit in a story without a world is refused with WORLD_MISSING."""

    async def play() -> None:
        hosted = await PlayingStage("story").begin()
        with pytest.raises(RunError) as problem:
            await forbid_taking(hosted)
        assert "WORLD_MISSING" == problem.value.code

    asyncio.run(play())


@pytest.mark.parametrize("kind", WORLDS)
def test_an_edit_that_cannot_be_read_changes_nothing(kind: Kind) -> None:
    """An invalid edit changes neither the run nor the story."""

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
    """An edit may extend only the run's own base book."""
    run = open_courtyard_run()
    edit = run.edit_rulebook(NO_TAKING | {"extends": base})

    if is_taken:
        asyncio.run(edit)
    else:
        with pytest.raises(RulebookError, match="does not extend 'strict'"):
            asyncio.run(edit)

    assert is_taken is bool(run.edits)
