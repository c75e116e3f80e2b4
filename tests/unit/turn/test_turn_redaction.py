import asyncio

import msgspec

from saniwa.runs import presentation
from saniwa.runs.run import Run
from saniwa.story.step_result import Next, Say
from saniwa.turn.record import Narration, Turn, redact_turn, render_public_words
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN, open_courtyard_run

PLAYER = Id("player")


def _say_words(words: str, run: Run | None = None) -> tuple[Turn, Run]:
    run = run or open_courtyard_run()
    return asyncio.run(run.say(words, "keeper")).turn, run


def _present_to(turn: Turn, run: Run, viewer: Id = PLAYER) -> list[str]:
    number = turn.number
    before, after = run.find_world_after(number - 1), run.find_world_after(number)
    step = presentation.present_turn(turn, before, after, viewer)
    return [said.args.text for said in step.directives if isinstance(said, Say)]


def test_of_a_turn_half_refused_only_the_deeds_are_reported() -> None:
    """Of a partly refused turn, another viewer sees only the actions, not the refusal."""
    turn, run = _say_words("take the brass key and eat the bench")

    assert ["The keeper takes the brass key."] == _present_to(turn, run)
    assert 1 == len(redact_turn(turn, PLAYER).validation_results)


def test_a_question_back_is_asked_of_the_actor_alone() -> None:
    """Another viewer sees neither a question nor its options."""
    turn, run = _say_words("take the old metal")

    assert turn.clarification is not None
    assert [] == _present_to(turn, run)


def test_a_turn_in_which_all_came_true_is_described_whole() -> None:
    """A turn without refusals is shown in full."""
    turn, run = _say_words("take the brass key")

    assert turn == msgspec.structs.replace(redact_turn(turn, PLAYER), claimed=turn.claimed)
    assert ["The keeper takes the brass key."] == _present_to(turn, run)


def test_the_goal_of_another_ends_the_story_for_everyone() -> None:
    """The story ends for every viewer when one character reaches the goal."""
    people = {"player": {"location": "shed"}, "keeper": {"location": "yard"}}
    goal = {"type": "reach_location", "target": "orchard", "actor": "keeper"}
    garden = GARDEN | {"characters": people, "clear_condition": goal}
    run = open_courtyard_run(scenario=garden, actor="player")
    turn, run = _say_words("take the brass key and open the gate and go north", run)
    before, after = run.find_world_after(-1), run.find_world_after(turn.number)

    assert Next.HALT == presentation.present_turn(turn, before, after, PLAYER).next


def test_a_models_words_are_shown_to_the_viewer_they_were_made_for() -> None:
    """A model's narration is shown only to the viewer it was written for."""
    turn, run = _say_words("take the brass key")
    mine = Narration(by="model", text="A key is gone.", viewer=PLAYER)
    told = msgspec.structs.replace(turn, narration=mine)
    vain, other = _say_words("take the moon")
    nothing = msgspec.structs.replace(vain, narration=mine)

    assert ["A key is gone."] == _present_to(told, run)
    assert ["You take the brass key."] == _present_to(told, run, Id("keeper"))
    assert [] == _present_to(nothing, other)


def test_words_for_others_leave_out_what_was_thought() -> None:
    """Words shown to others have the actions but not the thoughts of a reply."""
    turn, run = _say_words("Thought: Now!\nOutput: Mine. *take the brass key* Ha.")
    plain, _ = _say_words("look", run)

    assert "Mine. *take the brass key* Ha." == render_public_words(turn)
    assert "look" == render_public_words(plain)
