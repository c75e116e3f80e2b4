import asyncio
from collections.abc import Iterator

import pytest

from saniwa.core.errors import RunError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import PlayRequest
from saniwa.runs.scenario_playing import MOST_SHOWN_TURNS, ScenarioPlaying
from saniwa.turn.record import Turn
from saniwa.world.actions import Take
from saniwa.world.model import Id
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.playing_stages import FailingRunStore, SlowListener, make_move, run_elsewhere
from tests.fakes.runs import GARDEN, open_courtyard_run, resume_restarted
from tests.fakes.scripted_players import ScriptedCompany
from tests.fakes.stories import render_steps


def _make_playing(store: FailingRunStore | None = None) -> ScenarioPlaying:
    return ScenarioPlaying(open_courtyard_run(store or FailingRunStore()))


@run_coroutine
async def test_words_are_awaited_until_the_goal_is_reached() -> None:
    """Words are awaited until the goal is reached, and again after going back."""
    hosted = _make_playing()
    for words in ("take the brass key", "open the gate"):
        assert "words" == (await make_move(hosted, words)).waiting
    assert "end" == (await make_move(hosted, "go north")).waiting
    assert "end" == hosted.read_state().waiting
    assert "words" == (await hosted.back(PlayRequest(revision=3))).waiting


@run_coroutine
async def test_a_question_is_a_choice_or_words() -> None:
    """A question is answered by a choice or by words."""
    hosted = _make_playing()
    asked = await make_move(hosted, "take the old metal")
    chosen = await make_move(hosted, 1)

    assert "choice or words" == asked.waiting
    assert ["You take the rusty key."] == render_steps([chosen.step])
    assert "words" == chosen.waiting


@run_coroutine
async def test_a_question_outlives_other_rules() -> None:
    """An option can be chosen after the rulebook was edited."""
    store = FailingRunStore()
    hosted = _make_playing(store)
    await make_move(hosted, "take the old metal")
    await hosted.run.edit_rulebook({"rules": []})
    again = ScenarioPlaying(resume_restarted(hosted.run, store))

    for each in (hosted, again):
        assert "choice or words" == each.read_state().waiting
        assert 2 == each.read_state().revision
    assert ["You take the brass key."] == render_steps([(await make_move(again, 0)).step])


@run_coroutine
async def test_an_old_answer_says_whether_one_could_go_back_then() -> None:
    """A repeated answer says whether going back was possible at that time."""
    hosted = _make_playing()
    asked = IdempotencyKey(key="k", digest="d")
    first = await make_move(hosted, "look", asked=asked)
    await make_move(hosted, "take the brass key")

    assert not first.back
    assert first == await make_move(hosted, "look", asked=asked)
    assert hosted.read_state().back


@run_coroutine
async def test_going_back_says_what_was_taken_back() -> None:
    """Going back over a single step shows its words, also after a restart."""
    store = FailingRunStore()
    hosted = _make_playing(store)
    for words in ("take the brass key", "go east", "take the loaf"):
        await make_move(hosted, words)
    await hosted.back(PlayRequest(revision=3), 2)
    twice = hosted.read_state()
    once = await hosted.back(PlayRequest(revision=4))

    assert "You take that back." == render_steps([twice.step])[0]
    assert "You take that back: take the brass key" == render_steps([once.step])[0]
    assert once == ScenarioPlaying(resume_restarted(hosted.run, store)).read_state()


@run_coroutine
async def test_another_character_may_speak() -> None:
    """The named character acts."""
    hosted = _make_playing()
    moment = await hosted.say(PlayRequest(revision=0), "take the brass key", "keeper")
    (turn,) = hosted.run.read_turns()

    assert "keeper" == turn.actor_id
    assert 1 == moment.revision


@run_coroutine
async def test_a_save_of_a_run_stays_named() -> None:
    """A save of a scenario cannot be removed, because its trace is kept."""
    hosted = _make_playing()
    slot = await hosted.save("here")
    with pytest.raises(RunError) as caught:
        await hosted.remove_save("here")

    assert "SAVE_KEPT" == caught.value.code
    assert not slot.removable
    assert [slot] == list(hosted.list_saves())


@run_coroutine
async def test_a_long_run_shows_its_last_turns() -> None:
    """The backlog of a long run has only its last turns, without the opening."""
    hosted = _make_playing()
    for _ in range(MOST_SHOWN_TURNS + 2):
        await make_move(hosted, "look")

    assert MOST_SHOWN_TURNS == len(hosted.list_backlog())
    assert "The gate is locked." not in render_steps(hosted.list_backlog()[:1])


class _CountingFailingStore(FailingRunStore):
    """A store that counts how often turns are read."""

    asked = 0

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Read the turns, and count."""
        self.asked += 1
        return super().read_turns(run_id, start)


@run_coroutine
async def test_a_backlog_is_read_in_one_go() -> None:
    """Listing a backlog reads the turns twice, whatever their number."""
    store = _CountingFailingStore()
    hosted = _make_playing(store)
    for _ in range(12):
        await make_move(hosted, "look")
    before = store.asked

    assert 13 == len(hosted.list_backlog())
    assert 2 == store.asked - before


@run_coroutine
async def test_other_rules_are_no_part_of_the_backlog() -> None:
    """An edit raises the revision and is not in the backlog."""
    hosted = _make_playing()
    await make_move(hosted, "take the brass key")
    await hosted.run.edit_rulebook({"rules": []})

    assert 2 == hosted.read_state().revision
    assert ["You take the brass key."] == render_steps([hosted.read_state().step])
    assert 2 == len(hosted.list_backlog())


@run_coroutine
async def test_requests_wait_for_each_other() -> None:
    """A request waits for the one before it, and is then too late."""
    listener = SlowListener()
    hosted = ScenarioPlaying(open_courtyard_run(listener=listener))
    first = asyncio.create_task(make_move(hosted, "take the brass key"))
    await listener.asked.wait()
    second = asyncio.create_task(make_move(hosted, "go east", seen=0))
    await asyncio.sleep(0)
    listener.done.set()

    assert 1 == (await first).revision
    with pytest.raises(StoreError) as caught:
        await second
    assert "REVISION_CONFLICT" == caught.value.code
    assert 1 == hosted.run.count


@run_coroutine
async def test_the_first_stored_request_gives_the_answer() -> None:
    """If another process stores the same request first, both get its answer."""
    store = FailingRunStore()
    first = _make_playing(store)
    second = ScenarioPlaying(resume_restarted(first.run, store))
    asked, theirs = IdempotencyKey(key="k", digest="d"), []
    store.before = lambda: theirs.append(
        run_elsewhere(lambda: make_move(second, "take the brass key", asked=asked))
    )
    ours = await make_move(first, "take the brass key", asked=asked)

    assert theirs == [ours]
    assert 1 == first.revision == second.revision


@run_coroutine
async def test_the_second_stored_request_is_a_conflict() -> None:
    """If another process stores another request first, this one is a conflict and has no effect."""
    store = FailingRunStore()
    first = _make_playing(store)
    second = ScenarioPlaying(resume_restarted(first.run, store))
    store.before = lambda: run_elsewhere(lambda: make_move(second, "go east"))
    with pytest.raises(StoreError) as caught:
        await make_move(first, "take the brass key", asked=IdempotencyKey(key="k", digest="d"))

    assert "REVISION_CONFLICT" == caught.value.code
    assert second.read_state() == first.read_state()


@run_coroutine
async def test_words_after_a_turn_of_another_process_are_refused() -> None:
    """A turn of another process is noticed when appending, and the answer is a conflict."""
    store = FailingRunStore()
    first = _make_playing(store)
    second = ScenarioPlaying(resume_restarted(first.run, store))
    await make_move(second, "go east")
    with pytest.raises(StoreError) as caught:
        await make_move(first, "take the brass key", seen=0)

    assert ("REVISION_CONFLICT", None) == (caught.value.code, caught.value.where)
    assert {"run": first.id, "number": 0, "current": 1} == caught.value.details
    assert second.read_state() == first.read_state()


@run_coroutine
async def test_a_request_that_another_process_has_done_gets_its_answer() -> None:
    """A repeated request that another process has done gets that answer."""
    store = FailingRunStore()
    first = _make_playing(store)
    second = ScenarioPlaying(resume_restarted(first.run, store))
    asked = IdempotencyKey(key="k", digest="d")
    theirs = await make_move(second, "take the brass key", asked=asked)

    assert theirs == await make_move(first, "take the brass key", seen=0, asked=asked)
    assert 1 == first.revision


def _seat_keeper(*lines: str, elsewhere: bool = False) -> tuple[ScenarioPlaying, ScriptedCompany]:
    """A garden in which an agent plays the keeper, next to the player or in the shed."""
    place = "shed" if elsewhere else "yard"
    people = {"player": {"location": "yard"}, "keeper": {"location": place}}
    run = open_courtyard_run(scenario=GARDEN | {"characters": people})
    return ScenarioPlaying(run), ScriptedCompany(run, keeper=lines)


@run_coroutine
async def test_what_an_agent_does_is_described_to_the_persons_character() -> None:
    """An agent's action is narrated in the third person to the player."""
    hosted, company = _seat_keeper("take the rusty key")
    await company.game.seat_agents({"keeper": "character"})
    await hosted.run.say("say hi")
    await company.game.play_next()

    assert ["The keeper takes the rusty key."] == render_steps([hosted.read_state().step])
    assert ["The keeper takes the rusty key."] == render_steps(hosted.list_backlog()[-1:])


@run_coroutine
async def test_words_of_an_agent_in_another_room_are_not_shown() -> None:
    """Speech in another room is not shown."""
    hosted, company = _seat_keeper("say the password is swordfish", elsewhere=True)
    await company.game.seat_agents({"keeper": "character"})
    await hosted.run.say("take the brass key")
    await company.game.play_next()

    assert 3 == hosted.revision
    assert [] == render_steps([hosted.read_state().step])
    assert "swordfish" not in " ".join(render_steps(hosted.list_backlog()))


@run_coroutine
async def test_going_back_says_that_turns_after_it_had_changed_nothing() -> None:
    """Undo passes over turns that changed nothing, and says so, also after a restart."""
    store = FailingRunStore()
    hosted = _make_playing(store)
    await make_move(hosted, "take the brass key")
    await make_move(hosted, "look")
    once = await hosted.back(PlayRequest(revision=2))

    assert [
        "You take that back: take the brass key "
        "(After it you had only talked, or tried what was refused.)"
    ] == render_steps([once.step])[:1]
    assert once == ScenarioPlaying(resume_restarted(hosted.run, store)).read_state()


@run_coroutine
async def test_taking_back_at_a_table_takes_back_what_agents_did_since() -> None:
    """Going back at a table undoes the person's action and the agents' actions after it."""
    hosted, company = _seat_keeper("take the rusty key", "drop the rusty key")
    await company.game.seat_agents({"keeper": "character"})
    for words in ("take the brass key", "go east"):
        await hosted.run.say(words)
        await company.game.play_next()
    once = await hosted.back(PlayRequest(revision=5))
    assert "yard" == hosted.run.world.entities[Id("player")].place
    twice = await hosted.back(PlayRequest(revision=6))

    assert "You take that back, with all that followed: go east" == render_steps([once.step])[0]
    assert "bench" == hosted.run.world.entities[Id("key")].place
    assert 7 == twice.revision


@run_coroutine
async def test_an_agents_deed_alone_is_not_taken_back() -> None:
    """If the person has done nothing, an agent's action is not undone, and the reason is shown."""
    hosted, company = _seat_keeper("take the rusty key")
    await company.game.seat_agents({"keeper": "character"})
    await hosted.run.say("look")
    await company.game.play_next()
    moment = await hosted.back(PlayRequest(revision=3))

    assert 3 == moment.revision
    assert ["You have done nothing to take back; what others did stays."] == render_steps(
        [moment.step]
    )


@run_coroutine
async def test_two_steps_back_at_a_table_are_two_deeds_of_the_person() -> None:
    """Two steps back at a table undo two actions of the person."""
    hosted, company = _seat_keeper("take the rusty key", "drop the rusty key")
    await company.game.seat_agents({"keeper": "character"})
    for words in ("take the brass key", "go east"):
        await hosted.run.say(words)
        await company.game.play_next()
    await hosted.back(PlayRequest(revision=5), 3)

    assert "bench" == hosted.run.world.entities[Id("key")].place
    assert "bench" == hosted.run.world.entities[Id("rusty")].place


@run_coroutine
async def test_again_does_the_last_line_once_more() -> None:
    """It is a turn of its own; questions between and unknown words are passed over. It is shown."""
    store = FailingRunStore()
    hosted = _make_playing(store)
    for words in ("open the gate", "where am I?", "xyzzy"):
        await make_move(hosted, words)
    again = ScenarioPlaying(resume_restarted(hosted.run, store))
    shown = await make_move(again, "again")
    await make_move(again, "g")

    assert "> open the gate" == render_steps([shown.step])[0]
    first, *_, fourth, fifth = again.run.read_turns()
    assert ("again", "g") == (fourth.raw_text, fifth.raw_text)
    assert first.normalized_actions == fourth.normalized_actions == fifth.normalized_actions
    assert first.normalized_actions


@run_coroutine
async def test_again_after_an_answer_does_what_was_chosen() -> None:
    """The option that was chosen is meant, not its number."""
    hosted = _make_playing()
    await make_move(hosted, "take the old metal")
    await make_move(hosted, "1")
    await make_move(hosted, "again")

    _, chosen, again = hosted.run.read_turns()
    assert chosen.normalized_actions == again.normalized_actions


@run_coroutine
async def test_again_does_not_repeat_what_was_taken_back() -> None:
    """After undo it is the line before; with none left, nothing happens and it is said."""
    hosted = _make_playing()
    await make_move(hosted, "take the brass key")
    await make_move(hosted, "open the gate")
    await hosted.back(PlayRequest(revision=2))
    await make_move(hosted, "again")
    (again,) = hosted.run.read_turns(3)
    assert isinstance(again.normalized_actions[0], Take)
    await hosted.back(PlayRequest(revision=4))
    nothing = await make_move(hosted, "again")

    assert ["There is nothing to do again yet."] == render_steps([nothing.step])


@run_coroutine
async def test_again_repeats_only_ones_own_lines() -> None:
    """What another character did is not repeated."""
    run = open_courtyard_run(FailingRunStore())
    await run.say("take the brass key", "keeper")
    asked = await run.preview("again")

    assert not asked.turn.normalized_actions
    assert (await run.preview("again", "keeper")).turn.normalized_actions
