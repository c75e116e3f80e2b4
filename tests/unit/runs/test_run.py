import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import RulebookError, RunError, StoreError
from saniwa.core.ids import CountingIds
from saniwa.models.metering import CallBudget
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.word_interpreter import PhraseListener
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.run_records import RunSave
from saniwa.story.step_result import Branch, Next, Say
from saniwa.turn.record import RulebookEdit, RunReturn, Seating, Turn
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.queries import find_room, is_holding
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.rulebooks import HANDS_OFF
from tests.fakes.runs import (
    GARDEN,
    GO_EAST,
    GO_NORTH,
    OPEN_GATE,
    TAKE_KEY,
    ScriptedListener,
    make_action,
    open_courtyard_run,
    resume_restarted,
)
from tests.fakes.stepresults import assert_keeps_contract

KEY, PLAYER = Id("key"), Id("player")


def play_actions(run: Run, *actions: dict[str, str]) -> list[Turn]:
    """The turns of these actions."""

    async def act_all() -> list[Turn]:
        return [(await run.act(action)).turn for action in actions]

    return asyncio.run(act_all())


def test_a_turn_is_kept_and_then_the_world_moves() -> None:
    """After a turn, the store, the world and the answer agree."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    (turn,) = play_actions(run, TAKE_KEY)

    assert [turn] == list(store.read_turns(run.id))
    assert is_holding(run.world, PLAYER, KEY)
    assert turn.world_after == compute_fingerprint(run.world)


def test_what_cannot_be_kept_has_not_happened() -> None:
    """If the store fails, the error is raised and the world is unchanged."""
    store = FullRunStore()
    run = open_courtyard_run(store)
    before = run.world
    store.full = True

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        play_actions(run, TAKE_KEY)
    assert before is run.world
    assert 0 == run.count
    store.full = False
    play_actions(run, TAKE_KEY)
    assert is_holding(run.world, PLAYER, KEY)


class FullRunStore(MemoryRunStore):
    """A store that can be full."""

    full = False

    async def append(self, run_id: str, turn: Turn) -> None:
        """Store the turn unless the store is full."""
        if self.full:
            raise StoreError("TRACE_UNWRITABLE", "no room")
        await super().append(run_id, turn)


def test_words_are_heard_by_the_listener_and_judged_by_the_book() -> None:
    """The listener's claims are played, and recorded with the turn."""
    listener = ScriptedListener({"取る": [{"type": "take", "targetId": "key"}]})
    run = open_courtyard_run(listener=listener)
    turn, step = asyncio.run(run.say("取る"))

    assert "取る" == turn.raw_text
    assert ({"type": "take", "targetId": "key"},) == turn.parsed_actions
    assert [KEY] == [a.target_id for a in turn.applied_actions]  # type: ignore[union-attr]
    assert Next.WAIT_USER == step.next
    assert_keeps_contract(step)


def test_a_refused_action_changes_nothing_and_is_kept() -> None:
    """A refusal is recorded as a turn with the world unchanged."""
    run = open_courtyard_run()
    (turn,) = play_actions(run, OPEN_GATE)

    assert [False] == [v.success for v in turn.validation_results]
    assert turn.world_before == turn.world_after
    assert 1 == run.count


def test_reaching_the_goal_halts_and_play_may_continue() -> None:
    """Reaching the goal gives HALT, and playing on is possible."""
    run = open_courtyard_run()
    ended = [run.is_finished for _ in play_actions(run, TAKE_KEY, OPEN_GATE)]
    told = asyncio.run(run.act(GO_NORTH))
    ended.append(run.is_finished)
    (back,) = play_actions(run, make_action("move", targetId="yard"))
    ended.append(run.is_finished)

    assert [False, False, True, False] == ended
    assert Next.HALT == told.step.next
    assert back.applied_actions


def test_the_opening_shows_the_authors_words_first() -> None:
    """The opening shows the author's message, then the scene."""
    step = open_courtyard_run().present_opening()

    assert Say.build("", "The gate is locked.") == step.directives[0]
    assert len(step.directives) > 1
    assert Next.WAIT_USER == step.next
    assert_keeps_contract(step)


def test_the_opening_is_described_until_words_were_said() -> None:
    """The author's opening is shown until the first words, also after seats were assigned."""
    run = open_courtyard_run()
    asyncio.run(run.change_seating(Seating(seats={"player": "person"})))
    seated = run.present_opening()
    play_actions(run, GO_EAST)

    assert Say.build("", "The gate is locked.") == seated.directives[0]
    assert Say.build("", "The gate is locked.") != run.present_opening().directives[0]


def test_undo_takes_back_one_step_and_again_one_more() -> None:
    """Each undo goes one step further back, and skips turns without an effect."""
    run = open_courtyard_run()
    beginning = compute_fingerprint(run.world)
    play_actions(run, GO_EAST)
    in_the_shed = compute_fingerprint(run.world)
    play_actions(run, make_action("take", targetId="loaf"), make_action("take", targetId="moon"))

    first = asyncio.run(run.undo())
    assert in_the_shed == compute_fingerprint(run.world)
    assert first.turn is not None
    assert RunReturn(to=0, why="undo") == first.turn.aside
    second = asyncio.run(run.undo())
    assert beginning == compute_fingerprint(run.world)
    assert second.turn is not None
    assert RunReturn(to=-1, why="undo") == second.turn.aside
    assert_keeps_contract(second.step)


def test_at_the_beginning_there_is_nothing_to_undo() -> None:
    """Undo at the beginning is answered and not recorded."""
    run = open_courtyard_run()
    turn, step = asyncio.run(run.undo())

    assert turn is None
    assert (Say.build("", "There is nothing to take back."),) == step.directives
    assert 0 == run.count
    assert_keeps_contract(step)


def test_an_eaten_item_comes_back_only_by_undo() -> None:
    """Undo restores a removed thing, also after resuming."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    play_actions(
        run, GO_EAST, make_action("take", targetId="loaf"), make_action("eat", targetId="loaf")
    )
    assert Id("loaf") not in run.world.entities
    asyncio.run(run.undo())

    assert is_holding(run.world, PLAYER, Id("loaf"))
    assert is_holding(resume_restarted(run, store).world, PLAYER, Id("loaf"))


def test_a_save_can_be_loaded_and_the_loading_undone() -> None:
    """Loading a save restores its world, and can be undone."""
    run = open_courtyard_run()
    play_actions(run, TAKE_KEY)
    save = asyncio.run(run.save("with the key"))
    play_actions(run, OPEN_GATE, GO_NORTH)
    told = asyncio.run(run.load("with the key"))

    assert RunSave(run_id=run.id, name="with the key", turn=0, created=save.created) == save
    assert "yard" == find_room(run.world, PLAYER)
    assert is_holding(run.world, PLAYER, KEY)
    assert_keeps_contract(told.step)
    asyncio.run(run.undo())
    assert "orchard" == find_room(run.world, PLAYER)


def test_a_save_that_is_not_there_is_reported_with_the_nearest() -> None:
    """An unknown save is an error with the nearest name."""
    run = open_courtyard_run()
    asyncio.run(run.save("before the gate"))

    with pytest.raises(RunError) as caught:
        asyncio.run(run.load("before the gat"))
    assert "SAVE_NOT_FOUND" == caught.value.code
    assert "did you mean 'before the gate'?" == caught.value.hint
    assert 0 == run.count


def test_an_edit_judges_the_next_turn_and_survives_a_restart() -> None:
    """An edit applies from the next turn, also after resuming."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    play_actions(run, TAKE_KEY)
    edit = asyncio.run(run.edit_rulebook(HANDS_OFF))
    take_other = make_action("take", targetId="rusty")
    (refused,) = play_actions(run, take_other)
    again = resume_restarted(run, store)
    (still_refused,) = play_actions(again, take_other)

    assert RulebookEdit(book=HANDS_OFF) == edit.aside
    assert "Hands off." == refused.validation_results[0].message
    assert "Hands off." == still_refused.validation_results[0].message
    assert run.book.fingerprint == again.book.fingerprint == edit.book
    assert is_holding(again.world, PLAYER, KEY)


def test_undo_leaves_the_rules_as_they_were_edited() -> None:
    """Undo does not undo an edit of the rulebook."""
    run = open_courtyard_run()
    play_actions(run, GO_EAST)
    edit = asyncio.run(run.edit_rulebook(HANDS_OFF))
    asyncio.run(run.undo())

    assert "yard" == find_room(run.world, PLAYER)
    assert edit.book == run.book.fingerprint


def test_a_broken_edit_is_refused_and_not_kept() -> None:
    """An invalid layer is refused, and the run is unchanged."""
    run = open_courtyard_run()
    before = run.book

    with pytest.raises(RulebookError):
        asyncio.run(run.edit_rulebook({"rules": [{"actionType": "fly", "checks": []}]}))
    assert 0 == run.count
    assert before is run.book


def test_a_resumed_run_is_where_it_was() -> None:
    """A resumed run has the same world, undo and next number."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    play_actions(run, TAKE_KEY, OPEN_GATE)
    asyncio.run(run.undo())
    asyncio.run(run.save("here"))
    play_actions(run, OPEN_GATE, GO_NORTH)
    asyncio.run(run.load("here"))
    again = resume_restarted(run, store)

    assert compute_fingerprint(run.world) == compute_fingerprint(again.world)
    assert run.count == again.count == 6
    first, second = asyncio.run(run.undo()), None
    again = resume_restarted(run, store)
    second = asyncio.run(again.undo())
    assert first.turn is not None
    assert second.turn is not None
    assert RunReturn(to=4, why="undo") == first.turn.aside
    assert RunReturn(to=3, why="undo") == second.turn.aside


def test_a_run_whose_turn_leads_elsewhere_is_not_resumed() -> None:
    """Resuming reports a turn that no longer gives its recorded world."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    play_actions(run, TAKE_KEY)
    forged = msgspec.structs.replace(
        next(store.read_turns(run.id)), number=1, world_before="0" * 16
    )
    finish_coroutine(store.append(run.id, forged))

    with pytest.raises(RunError) as caught:
        resume_restarted(run, store)
    assert "RUN_DIVERGED" == caught.value.code
    assert 1 == caught.value.details["turn"]


@pytest.mark.parametrize(
    "changes",
    [
        {"applied_actions": ()},
        {"aside": RunReturn(to=7)},
        {"aside": RunReturn(to=-2)},
        {"world_after": "0" * 16},
    ],
)
def test_a_turn_that_cannot_have_led_there_is_named(changes: dict[str, Any]) -> None:
    """Resuming reports any part of a turn that is inconsistent."""
    store = MemoryRunStore()
    ids = CountingIds()
    run = open_courtyard_run(store, ids=ids)
    (turn,) = play_actions(run, TAKE_KEY)
    other = open_courtyard_run(store, ids=ids)
    finish_coroutine(store.append(other.id, msgspec.structs.replace(turn, **changes)))

    with pytest.raises(RunError, match="RUN_DIVERGED"):
        resume_restarted(other, store)


def test_a_scenario_that_opens_another_world_today_is_not_resumed() -> None:
    """A run whose scenario opens another world is not resumed."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    store.create(msgspec.structs.replace(run.record, run_id="run-other", world_hash="0" * 16))

    with pytest.raises(RunError, match="differs at its beginning"):
        Run(store.load_record("run-other"), store)


class PonderingListener:
    """Lets other tasks run before it claims to take the key."""

    async def listen(
        self,
        text: str,  # noqa: ARG002 - the port's signature
        actor: Id,  # noqa: ARG002 - the port's signature
        world: World,  # noqa: ARG002 - the port's signature
        calls: CallBudget,  # noqa: ARG002 - the port's signature
    ) -> Sequence[object]:
        """Always take the key."""
        for _ in range(10):
            await asyncio.sleep(0)
        return [TAKE_KEY]


def test_two_speakers_on_one_run_wait_for_each_other() -> None:
    """Concurrent calls on one run are played one after another."""
    run = open_courtyard_run(listener=PonderingListener())

    async def say_all_at_once() -> list[TurnResult]:
        return await asyncio.gather(*(run.say(f"take {n}") for n in range(5)))

    told = asyncio.run(say_all_at_once())

    assert [0, 1, 2, 3, 4] == [t.turn.number for t in told]
    assert [1, 0, 0, 0, 0] == [len(t.turn.applied_actions) for t in told]


def test_a_speaker_who_is_cut_off_leaves_nothing_behind() -> None:
    """A cancelled turn is not recorded, and the run can be used afterwards."""
    run = open_courtyard_run(listener=PonderingListener())

    async def cut_off() -> None:
        speaking = asyncio.create_task(run.say("take"))
        await asyncio.sleep(0)
        speaking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await speaking

    asyncio.run(cut_off())

    assert 0 == run.count
    assert 0 == asyncio.run(run.say("take")).turn.number


def test_the_slower_of_two_is_informed_and_follows_the_other() -> None:
    """After a conflict the run reads the other turn, and the same words work again."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    slow = resume_restarted(run, store)
    play_actions(run, TAKE_KEY)

    with pytest.raises(StoreError) as caught:
        play_actions(slow, GO_EAST)
    assert "REVISION_CONFLICT" == caught.value.code
    assert compute_fingerprint(run.world) == compute_fingerprint(slow.world)
    (turn,) = play_actions(slow, GO_EAST)
    assert 1 == turn.number
    assert [0, 1] == [t.number for t in store.read_turns(run.id)]


def test_a_preview_shows_and_does_nothing() -> None:
    """A preview changes neither the world nor the trace."""
    listener = ScriptedListener({"take": [TAKE_KEY]})
    run = open_courtyard_run(listener=listener)
    turn, sentences = asyncio.run(run.preview("take"))

    assert [True] == [v.success for v in turn.validation_results]
    assert 1 == len(sentences)
    assert 0 == run.count
    assert not is_holding(run.world, PLAYER, KEY)


def test_half_a_character_is_no_text() -> None:
    """Words with an unpaired surrogate are refused."""
    run = open_courtyard_run()

    with pytest.raises(RunError, match="TEXT_UNREADABLE"):
        asyncio.run(run.say("take \ud800"))
    with pytest.raises(RunError, match="TEXT_UNREADABLE"):
        asyncio.run(run.act({"type": "speak", "content": "\ud800"}))
    with pytest.raises(RunError, match="TEXT_UNREADABLE"):
        asyncio.run(run.act({"type": "speak", "content": object()}))
    assert 0 == run.count


def test_a_stranger_cannot_act() -> None:
    """An action of an unknown actor is refused, and nothing changes."""
    run = open_courtyard_run()
    (turn,) = play_actions(run, {"type": "take", "actorId": "nobody", "targetId": "key"})

    assert [False] == [v.success for v in turn.validation_results]
    assert turn.world_before == turn.world_after


def test_a_player_is_one_of_the_cast() -> None:
    """An unknown player is an error with the nearest name."""
    with pytest.raises(RunError) as caught:
        open_courtyard_run(actor="keper")
    assert "ACTOR_UNKNOWN" == caught.value.code
    assert "did you mean 'keeper'?" == caught.value.hint
    assert "keeper" == open_courtyard_run(actor="keeper").actor


def test_a_story_is_described_in_a_language_we_have() -> None:
    """The language is the scenario's unless it is chosen; an unknown one is refused."""
    assert "en" == open_courtyard_run().world.language
    assert "ja" == open_courtyard_run(language="ja").world.language
    with pytest.raises(RunError, match="LANGUAGE_UNKNOWN"):
        open_courtyard_run(language="xx")


def test_a_run_keeps_its_own_conditions() -> None:
    """A run stores its scenario and books, so that editing them later has no effect."""
    store = MemoryRunStore()
    scenario = msgspec.json.decode(msgspec.json.encode(GARDEN))
    run = open_courtyard_run(store, scenario=scenario)
    scenario["props"]["key"]["location"] = "shed"

    assert GARDEN == store.load_record(run.id).scenario
    play_actions(run, TAKE_KEY)
    assert is_holding(resume_restarted(run, store).world, PLAYER, KEY)


def test_the_same_run_twice_gives_the_same_bytes() -> None:
    """With counted ids and fixed times, the same actions give the same trace."""
    traces = []
    for _ in range(2):
        store = MemoryRunStore()
        run = open_courtyard_run(store)
        play_actions(run, OPEN_GATE, TAKE_KEY, OPEN_GATE)
        asyncio.run(run.undo())
        traces.append(b"\n".join(msgspec.json.encode(t) for t in store.read_turns(run.id)))

    assert traces[0] == traces[1]


def test_what_may_be_done_is_listed_for_anyone() -> None:
    """The allowed actions are those of the given actor, by default the player."""
    run = open_courtyard_run()

    assert {"player"} == {a.actor_id for a in run.list_admissible()}
    assert {"keeper"} == {a.actor_id for a in run.list_admissible("keeper")}


WHICH: dict[str, Any] = {"take metal": [{"type": "take", "target": "old metal"}]}


def test_a_question_is_asked_as_a_branch_and_answered_by_choosing() -> None:
    """Two candidates become choices, and choosing one completes the action."""
    run = open_courtyard_run(listener=ScriptedListener(WHICH))
    asked = asyncio.run(run.say("take metal"))
    told = asyncio.run(run.choose(1))

    assert Next.WAIT_BRANCH == asked.step.next
    assert Branch.build("brass key", "rusty key") == asked.step.directives[-1]
    assert_keeps_contract(asked.step)
    assert () == asked.turn.applied_actions
    assert is_holding(run.world, PLAYER, Id("rusty"))
    assert "rusty key" == told.turn.raw_text


@pytest.mark.parametrize("words", ["2", "rusty", "the rusty one", "rusty key"])
def test_a_question_is_answered_in_words(words: str) -> None:
    """The next words are first read as an answer, also after resuming."""
    store = MemoryRunStore()
    run = open_courtyard_run(store, listener=ScriptedListener(WHICH))
    asyncio.run(run.say("take metal"))
    asyncio.run(resume_restarted(run, store).say(words))

    assert is_holding(resume_restarted(run, store).world, PLAYER, Id("rusty"))


def test_only_the_character_that_was_asked_can_answer() -> None:
    """Words of another character are not read as an answer."""
    heard = WHICH | {"2": [{"type": "wait"}]}
    run = open_courtyard_run(listener=ScriptedListener(heard))
    asyncio.run(run.say("take metal"))
    other = asyncio.run(run.say("2", actor="keeper"))

    assert ({"type": "wait"},) == other.turn.parsed_actions
    assert not is_holding(run.world, PLAYER, Id("rusty"))


@pytest.mark.parametrize("index", [-1, 2, 99])
def test_a_wrong_choice_changes_nothing_and_says_what_is_allowed(index: int) -> None:
    """A choice out of range is an error with the range, and the question stays open."""
    run = open_courtyard_run(listener=ScriptedListener(WHICH))
    asyncio.run(run.say("take metal"))

    with pytest.raises(RunError) as caught:
        asyncio.run(run.choose(index))
    assert "CHOICE_OUT_OF_RANGE" == caught.value.code
    assert "choose from 0 to 1" == caught.value.hint
    asyncio.run(run.choose(0))
    assert is_holding(run.world, PLAYER, KEY)


def test_a_choice_without_a_question_is_an_error() -> None:
    """A choice without a question is an error."""
    run = open_courtyard_run()

    with pytest.raises(RunError, match="CHOICE_NOT_AWAITED"):
        asyncio.run(run.choose(0))
    assert 0 == run.count


def test_phrases_are_understood_without_any_listener_named() -> None:
    """The default listener parses English and Japanese."""
    run = open_courtyard_run()
    asyncio.run(run.say("take the brass key and open the gate"))

    assert is_holding(run.world, PLAYER, KEY)
    assert run.world.entities[Id("gate")].open
    japanese = open_courtyard_run()
    asyncio.run(japanese.say("brass keyを取る"))
    assert is_holding(japanese.world, PLAYER, KEY)


def test_a_models_reply_is_kept_with_both_its_texts() -> None:
    """A Thought/Output reply is parsed, and recorded with both of its texts."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    text = "Thought: I need it.\nOutput: *take the brass key* Here we go."
    turn, _ = asyncio.run(run.say(text))

    assert is_holding(run.world, PLAYER, KEY)
    assert text == turn.raw_text
    assert turn.reply is not None
    assert text == turn.reply["raw_output"]
    assert [turn] == list(store.read_turns(run.id))


def test_undo_takes_back_what_changed_something_and_says_what() -> None:
    """Undo skips looks and talk, and shows the words that were taken back."""
    run = open_courtyard_run(listener=PhraseListener())
    asyncio.run(run.say("take the brass key"))
    asyncio.run(run.say("look"))

    step = asyncio.run(run.undo()).step

    assert not is_holding(run.world, PLAYER, KEY)
    told = (
        "You take that back: take the brass key "
        "(After it you had only talked, or tried what was refused.)"
    )
    assert Say.build("", told) == step.directives[0]


def test_a_resumed_run_does_not_begin_again() -> None:
    """A resumed run shows the scene without the author's opening."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    opening = Say.build("", GARDEN["gm_opening_message"])
    assert opening in run.present_opening().directives

    play_actions(run, TAKE_KEY)

    assert opening not in resume_restarted(run, store).present_opening().directives


def test_a_save_made_by_another_process_is_caught_up_with() -> None:
    """A save of another process beyond this one is a conflict at first, and then loads."""
    store = MemoryRunStore()
    ahead = open_courtyard_run(store)
    behind = resume_restarted(ahead, store)
    play_actions(ahead, TAKE_KEY, GO_EAST)
    asyncio.run(ahead.save("x"))

    with pytest.raises(StoreError) as caught:
        asyncio.run(behind.load("x"))
    assert "REVISION_CONFLICT" == caught.value.code
    assert caught.value.recoverable
    assert 2 == caught.value.details["current"]
    assert 2 == behind.count
    told = asyncio.run(behind.load("x"))
    assert RunReturn(to=1, why="load") == told.turn.aside
    assert compute_fingerprint(ahead.world) == compute_fingerprint(behind.world)


@pytest.mark.parametrize("number", [2, 99, -2])
def test_a_save_of_no_turn_is_damage(number: int) -> None:
    """A save with a turn that does not exist is corrupt."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    play_actions(run, TAKE_KEY, GO_EAST)
    store.save(RunSave(run_id=run.id, name="x", turn=number))

    with pytest.raises(StoreError, match="the save 'x'") as caught:
        asyncio.run(run.load("x"))
    assert "TRACE_CORRUPT" == caught.value.code
    assert 2 == len(list(store.read_turns(run.id)))


def test_going_back_to_a_turn_is_a_turn() -> None:
    """Going back to a turn is recorded as a turn, and undo goes further back from there."""
    run = open_courtyard_run()
    play_actions(run, TAKE_KEY, GO_EAST)
    then = compute_fingerprint(run.find_world_after(0))

    told = asyncio.run(run.go_back_to(0))

    assert RunReturn(to=0, why="undo") == told.turn.aside
    assert then == compute_fingerprint(run.world)
    asyncio.run(run.undo())
    assert compute_fingerprint(run.find_world_after(-1)) == compute_fingerprint(run.world)


@pytest.mark.parametrize("number", [2, 99, -2])
def test_there_is_no_going_back_to_a_turn_that_never_was(number: int) -> None:
    """Going back to a turn that does not exist is an error."""
    run = open_courtyard_run()
    play_actions(run, TAKE_KEY, GO_EAST)

    with pytest.raises(StoreError) as caught:
        asyncio.run(run.go_back_to(number))
    assert "TRACE_CORRUPT" == caught.value.code
    assert 2 == run.count


def test_a_turn_can_be_shown_again() -> None:
    """A recorded turn is presented again as when it was played."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    first = asyncio.run(run.say("take the brass key"))
    asyncio.run(run.say("go east"))

    assert first == resume_restarted(run, store).present_turn(0)


@pytest.mark.parametrize(
    ("action", "missing"),
    [
        ({"type": "take"}, "targetId"),
        ({"type": "take", "targetId": None}, "targetId"),
        ({"type": "take", "target": " "}, "targetId"),
        ({"type": "put", "targetId": "key"}, "destinationId"),
        ({"type": "give", "targetId": "key"}, "recipientId"),
        ({"type": "speak"}, "content"),
    ],
)
def test_an_action_with_a_missing_field_is_refused(action: dict[str, Any], missing: str) -> None:
    """An action with a missing field is refused, even if only one value is possible."""
    run = open_courtyard_run()

    with pytest.raises(RunError) as refused:
        asyncio.run(run.act(action))

    assert "ACTION_INCOMPLETE" == refused.value.code
    assert repr(missing) in refused.value.message
    assert [] == list(run.read_turns())
