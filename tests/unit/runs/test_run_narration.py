"""A run with a narrator, whose words are recorded with the turn and change nothing."""

import asyncio
import json

import pytest

from saniwa.agent.layer_contracts import QueryOptions, QueryResult
from saniwa.agent.model_listener import ModelListener
from saniwa.agent.narration.narrator import ModelNarrator
from saniwa.core.errors import SdkConnectionError, StoreError
from saniwa.runs.ports import Listener
from saniwa.runs.replay import replay_run
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.run_factory import resume_run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.step_result import Next, Say
from saniwa.turn.record import Turn
from saniwa.world.fingerprint import compute_fingerprint
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.runs import open_courtyard_run

GOOD = "You pick up the brass key.\nIt is cool in your hand."
BAD = "You take the brass key. A dragon lands."


def _make_narrated_run(
    *answers: str, store: MemoryRunStore | None = None, listener: Listener | None = None
) -> tuple[Run, AnsweringBridge]:
    bridge = AnsweringBridge(*answers)
    run = open_courtyard_run(store, narrator=ModelNarrator(bridge), listener=listener)
    return run, bridge


def _list_texts(told: TurnResult) -> list[str]:
    return [each.args.text for each in told.step.directives if isinstance(each, Say)]


def test_the_models_words_are_described() -> None:
    """The lines of a model's narration are shown and recorded."""
    run, _ = _make_narrated_run(GOOD)
    told = asyncio.run(run.say("take the brass key"))

    assert GOOD.split("\n") == _list_texts(told)
    assert told.turn.narration is not None
    assert "model" == told.turn.narration.by


def test_flagged_words_are_never_described() -> None:
    """A flagged narration is replaced by the plain one, and its flags are recorded."""
    run, _ = _make_narrated_run(BAD)
    told = asyncio.run(run.say("take the brass key"))
    (kept,) = run.read_turns()

    assert ["You take the brass key."] == _list_texts(told)
    assert kept.narration is not None
    assert ["unknown", "unknown"] == [flag.kind for flag in kept.narration.flags][:2]


def test_words_change_no_world() -> None:
    """Any narrator leaves the same world and the same verdicts."""
    without = open_courtyard_run()
    worlds = []
    for run in (
        without,
        _make_narrated_run(GOOD)[0],
        _make_narrated_run(BAD)[0],
        _make_narrated_run("You win. The end.")[0],
    ):
        asyncio.run(run.say("take the brass key"))
        asyncio.run(run.say("open the gate"))
        worlds.append(compute_fingerprint(run.world))

    assert 1 == len(set(worlds))


def test_shown_again_it_is_the_same_and_no_model_is_asked() -> None:
    """A recorded narration is shown again without calling a model."""
    store = MemoryRunStore()
    run, bridge = _make_narrated_run(GOOD, store=store)
    first = asyncio.run(run.say("take the brass key"))
    asyncio.run(run.save("here"))
    asyncio.run(run.undo())
    asyncio.run(run.load("here"))
    asked = len(bridge.asked)
    again = resume_run(run.id, store)

    assert first == run.present_turn(0) == again.present_turn(0)
    assert asked == len(bridge.asked)
    assert replay_run(store, run.id).first_difference is None


def test_a_question_is_asked_plainly() -> None:
    """A question is not narrated by a model."""
    run, bridge = _make_narrated_run(GOOD)
    told = asyncio.run(run.say("take the old metal"))

    assert Next.WAIT_BRANCH == told.step.next
    assert told.turn.narration is None
    assert [] == bridge.asked


def test_where_the_story_ends_well_the_author_has_the_last_word() -> None:
    """A model may narrate the last step, but the author's ending is shown as written."""
    run, _ = _make_narrated_run("You walk through the gate into the orchard.")
    for words in ("take the brass key", "unlock the gate", "open the gate"):
        asyncio.run(run.say(words))
    told = asyncio.run(run.say("go north"))

    assert Next.HALT == told.step.next
    assert _list_texts(told)[-1].startswith("You have reached the end")
    assert "You walk through the gate into the orchard." == _list_texts(told)[0]


def test_a_turn_costs_two_calls_at_most() -> None:
    """The parser and the narrator share two calls per turn."""
    heard = AnsweringBridge(json.dumps({"claims": [{"type": "take", "target": "brass key"}]}))
    run, spoken = _make_narrated_run(BAD, GOOD, listener=ModelListener(heard))
    asyncio.run(run.say("the shiny one, if you please"))

    assert (1, 1) == (len(heard.asked), len(spoken.asked))


@pytest.mark.parametrize(("spent", "asked"), [(0, 2), (1, 1), (2, 0), (9, 0)])
def test_what_a_character_has_spent_is_gone(spent: int, asked: int) -> None:
    """Calls of an agent count towards those of the turn."""
    run, bridge = _make_narrated_run(BAD)
    asyncio.run(run.say("take the brass key", calls=spent))

    assert asked == len(bridge.asked)


def test_a_narrator_that_fails_loses_no_turn() -> None:
    """If the narrator fails, the turn is narrated plainly, with the error's code."""
    bridge = AnsweringBridge(SdkConnectionError("SDK_CONNECTION", "gone"))
    run = open_courtyard_run(narrator=ModelNarrator(bridge))
    told = asyncio.run(run.say("take the brass key"))

    assert ["You take the brass key."] == _list_texts(told)
    assert told.turn.narration is not None
    assert "SDK_CONNECTION" == told.turn.narration.error
    assert 1 == run.count


def test_another_viewer_is_informed_in_their_own_words() -> None:
    """Other viewers get the plain narration."""
    run, _ = _make_narrated_run("Player takes the brass key.")
    told = asyncio.run(run.say("take the brass key", viewer="keeper"))

    assert ["Player takes the brass key."] == _list_texts(told)
    assert told == run.present_turn(0, "keeper")
    assert ["You take the brass key."] == _list_texts(run.present_turn(0))


def test_a_bystander_does_not_learn_what_had_no_effect() -> None:
    """A viewer's narration of another character's refusal calls no model."""
    run, bridge = _make_narrated_run("The gate is locked.")
    told = asyncio.run(run.say("open the gate", viewer="keeper"))

    assert [] == bridge.asked
    assert told.turn.narration is not None
    assert 0 == told.turn.narration.attempts


class _UnhurriedBridge(AnsweringBridge):
    """Never answers."""

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """Wait forever."""
        self.asked.append((prompt, options))
        await asyncio.Event().wait()
        return await super().query(prompt, options)


def test_a_run_cut_off_while_the_model_speaks_has_done_nothing() -> None:
    """A turn cancelled during its narration is not recorded, and the run can be used afterwards."""
    bridge = _UnhurriedBridge()
    run = open_courtyard_run(narrator=ModelNarrator(bridge))
    before = compute_fingerprint(run.world)

    async def cut_off() -> None:
        speaking = asyncio.create_task(run.say("take the brass key"))
        while not bridge.asked:
            await asyncio.sleep(0)
        speaking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await speaking

    asyncio.run(cut_off())

    assert 0 == run.count == len(list(run.read_turns()))
    assert before == compute_fingerprint(run.world)
    assert 1 == len(asyncio.run(run.say("take the brass key", calls=2)).turn.applied_actions)


class _FullTurnStore(MemoryRunStore):
    """A store without room for a turn."""

    async def append(self, run_id: str, turn: Turn) -> None:  # noqa: ARG002 - the port's signature
        """Refuse."""
        raise StoreError("TRACE_UNWRITABLE", "full")


def test_nothing_is_shown_that_is_not_kept() -> None:
    """If a turn cannot be stored, its narration is not shown."""
    run, _ = _make_narrated_run(GOOD, store=_FullTurnStore())

    with pytest.raises(StoreError):
        asyncio.run(run.say("take the brass key"))
    assert 0 == run.count
