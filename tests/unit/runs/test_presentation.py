import msgspec
import pytest

from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.runs import presentation
from saniwa.story.step_result import Branch, Next, Say, StepResult
from saniwa.turn.play import TurnOutcome, play_turn
from saniwa.turn.record import Clarification, RunReturn, SpokenWords
from saniwa.world.model import World
from tests.fakes.stepresults import assert_keeps_contract
from tests.fakes.worlds import PLAYER, make_courtyard

BOOK = build_rulebook(resolve_layers("default"))


def _play_claims(world: World, *claims: object) -> TurnOutcome:
    return play_turn(SpokenWords(actor_id=PLAYER, text="x"), claims, world, BOOK)


def _present_claims(*claims: object) -> StepResult:
    before = make_courtyard()
    turn, after = _play_claims(before, *claims)
    return presentation.present_turn(turn, before, after)


def test_what_happened_is_said_and_the_host_waits() -> None:
    """An ordinary turn is lines of text, and then waits for the user."""
    step = _present_claims({"type": "take", "targetId": "key"})

    assert Next.WAIT_USER == step.next
    assert all(isinstance(directive, Say) for directive in step.directives)
    assert step.directives
    assert_keeps_contract(step)


def test_a_refusal_is_said_like_anything_else() -> None:
    """A refusal is a line of text, and then waits for the user."""
    step = _present_claims({"type": "open", "targetId": "gate"})

    assert Next.WAIT_USER == step.next
    (said,) = step.directives
    assert isinstance(said, Say)
    assert "locked" in said.args.text
    assert_keeps_contract(step)


def test_a_question_with_options_is_a_branch() -> None:
    """A question is a line, with its options as a branch in order."""
    before = make_courtyard()
    shed = _play_claims(
        before, {"type": "take", "targetId": "key"}, {"type": "move", "targetId": "shed"}
    )
    asked = _play_claims(
        shed.world, {"type": "drop", "target": "key"}, {"type": "take", "target": "key"}
    )
    assert asked.turn.clarification is not None
    step = presentation.present_turn(asked.turn, shed.world, asked.world)

    assert Next.WAIT_BRANCH == step.next
    assert Say.build("", asked.turn.clarification.question) == step.directives[0]
    labels = [option.label for option in asked.turn.clarification.options]
    assert Branch.build(*labels) == step.directives[-1]
    assert_keeps_contract(step)


def test_a_question_without_options_waits_for_words() -> None:
    """A question without options waits for the user's words."""
    turn, world = _play_claims(make_courtyard())
    empty = Clarification(code="EMPTY_INPUT", question="What do you do?")
    turn = msgspec.structs.replace(turn, clarification=empty)
    step = presentation.present_turn(turn, world, world)

    expected = StepResult(next=Next.WAIT_USER, directives=(Say.build("", "What do you do?"),))
    assert expected == step


def test_the_goal_halts() -> None:
    """Reaching the goal gives HALT."""
    step = _present_claims(
        {"type": "take", "targetId": "key"},
        {"type": "open", "targetId": "gate"},
        {"type": "move", "targetId": "orchard"},
    )

    assert Next.HALT == step.next
    assert_keeps_contract(step)


def test_an_opening_without_words_is_the_scene() -> None:
    """Without an author's opening, the scene is shown first."""
    step = presentation.present_opening("", make_courtyard(), PLAYER)

    assert Say.build("", "Yard") == step.directives[0]
    assert_keeps_contract(step)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_going_back_is_described_in_the_worlds_language(language: str) -> None:
    """Texts about the run itself exist in every language."""
    from msgspec.structs import replace

    world = replace(make_courtyard(), language=language)
    steps = [
        presentation.present_return(RunReturn(to=0, why="undo"), world, PLAYER),
        presentation.present_return(RunReturn(to=0, why="load"), world, PLAYER),
        presentation.present_nothing_to_undo(world),
    ]
    notes = []
    for step in steps:
        assert_keeps_contract(step)
        first = step.directives[0]
        assert isinstance(first, Say)
        notes.append(first.args.text)

    assert 3 == len(set(notes))
    assert [language == "en"] * 3 == [note.isascii() for note in notes]
