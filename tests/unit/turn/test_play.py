import msgspec
import pytest

from saniwa.language.parse import parse
from saniwa.turn.play import (
    LONGEST_MEMORY,
    play_turn,
    reapply_turn,
    replay_worlds,
    update_left_places,
    update_mentioned,
)
from saniwa.turn.record import SpokenWords
from saniwa.world.actions import Drop, Move
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.queries import is_holding
from saniwa.world.snapshot import take_snapshot
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import make_pantry
from tests.fakes.turns import DEFAULT, speak, speak_all
from tests.fakes.worlds import PLAYER, make_courtyard
from tests.hearing.score import load_house

WORDS = SpokenWords(actor_id=PLAYER, text="x")


def test_each_action_meets_the_world_the_last_one_left() -> None:
    """Each action of a turn is judged in the world after the previous one."""
    turn, world = speak("take the key and unlock the gate with it", make_courtyard())

    assert ["OK", "OK"] == [v.reason_code for v in turn.validation_results]
    assert not world.entities[Id("gate")].locked


def test_two_hands_cannot_take_one_item() -> None:
    """The second taking of the same thing in one turn is refused."""
    take = {"type": "take", "targetId": "key"}
    turn, _ = play_turn(WORDS, [take, take], make_courtyard(), DEFAULT)

    assert [True, False] == [v.success for v in turn.validation_results]


def test_a_refused_action_does_not_stop_the_next() -> None:
    """A refused action does not stop the next one."""
    turn, world = speak("take the moon and take the key", make_courtyard())

    assert ["NOT_FOUND", "OK"] == [v.reason_code for v in turn.validation_results]
    assert is_holding(world, PLAYER, Id("key"))


def test_a_question_stops_everything() -> None:
    """If one claim is unclear, no action of the turn happens, and all claims are kept."""
    world = make_pantry()
    turn, after = speak("take Bread and Butter and a coin", world)

    assert turn.clarification is not None
    assert 2 == len(turn.parsed_actions)
    assert ((), ()) == (turn.applied_actions, turn.changes)
    assert after is world


def test_a_question_after_other_claims_says_that_nothing_happened() -> None:
    """A question after other claims says that nothing has happened yet."""
    early = speak("take a coin and take Bread and Butter", make_pantry()).turn.clarification
    late = speak("take Bread and Butter and a coin", make_pantry()).turn.clarification

    assert early is not None
    assert late is not None
    assert "Which do you mean by “a coin”?" == early.question
    assert f"{early.question} (Nothing has happened yet.)" == late.question


def test_silence_is_asked_about() -> None:
    """Empty words give a question, a recorded turn, and the same world."""
    world = make_courtyard()
    turn, after = speak(" \0 ", world)

    assert turn.clarification is not None
    assert "EMPTY_INPUT" == turn.clarification.code
    assert turn.world_before == turn.world_after
    assert after is world


def test_no_claims_for_words_that_were_said_is_a_quiet_turn() -> None:
    """A turn whose words give no claims asks nothing."""
    turn, _ = play_turn(WORDS, [], make_courtyard(), DEFAULT)

    assert turn.clarification is None
    assert () == turn.applied_actions


def test_a_turn_passes_only_when_something_happened() -> None:
    """Time passes only if an action succeeded."""
    assert 0 == speak_all(make_courtyard(), "take the moon").time.turn
    assert 1 == speak_all(make_courtyard(), "take the key").time.turn


def test_a_hint_is_reported_only_with_a_refusal() -> None:
    """A refusal has the near name as its hint."""
    (verdict,) = speak("take the bras key", make_courtyard()).turn.validation_results

    assert "did you mean “brass key”?" == verdict.hint


def test_claims_beyond_the_most_are_refused_unread() -> None:
    """Claims beyond the limit are rejected together, unread."""
    flood = [{"type": "wait"}] * 10_001
    turn, _ = play_turn(WORDS, flood, make_courtyard(), DEFAULT)

    assert 10_000 == len(turn.normalized_actions) == len(turn.parsed_actions)
    assert [(10_000, "TOO_MANY_CLAIMS")] == [(r.index, r.code) for r in turn.rejections]


def test_the_world_it_was_given_stays_as_it_was() -> None:
    """Playing a turn does not change the world it was given."""
    world = make_courtyard()
    before = msgspec.json.encode(take_snapshot(world))
    speak("take the key, open the gate, go north", world)

    assert before == msgspec.json.encode(take_snapshot(world))


def test_a_recorded_turn_can_be_applied_again() -> None:
    """Reapplying a recorded turn gives the same world, step by step."""
    world = make_courtyard()
    turn, after = speak("take the key, take the moon, open the gate", world)

    assert (
        compute_fingerprint(after)
        == compute_fingerprint(reapply_turn(turn, world))
        == turn.world_after
    )
    steps = [*replay_worlds(turn, world)]
    assert 2 == len(steps)
    assert compute_fingerprint(after) == compute_fingerprint(steps[-1])
    assert world.time == reapply_turn(speak("xyzzy", world).turn, world).time


def test_mentions_are_listed_latest_first() -> None:
    """What was mentioned is listed latest first, without repeats, up to a limit."""
    turn = speak("take the key. x well. unlock the gate with the key", make_courtyard()).turn
    old = tuple(Id(f"old-{n}") for n in range(LONGEST_MEMORY))
    mentioned = update_mentioned(turn, old)

    assert ("gate", "key", "well") == mentioned[:3]
    assert LONGEST_MEMORY == len(mentioned)


def test_going_back_undoes_the_last_step_of_the_sentence() -> None:
    """Going back leads to the place left earlier in the same sentence."""
    turn, world = speak("go east and go back and go back", make_courtyard())

    assert ["shed", "yard", "shed"] == [
        a.target_id for a in turn.applied_actions if isinstance(a, Move)
    ]
    assert {PLAYER: Id("yard")} == update_left_places(turn.actor_id, turn.changes, {})
    assert {PLAYER: Id("yard")} == update_left_places(
        PLAYER, speak("look", world).turn.changes, {PLAYER: Id("yard")}
    )


@pytest.mark.parametrize(
    ("world", "words", "message"),
    [
        (make_courtyard(), "go back", "there is nowhere to go back to"),
        (make_house(), "戻る", "戻る場所がありません"),
    ],
)
def test_without_a_move_there_is_no_going_back(world: World, words: str, message: str) -> None:
    """Without an earlier move, going back is rejected, even with a single exit."""
    turn = speak(words, world).turn

    assert () == turn.applied_actions
    assert [True] == [message in each.message for each in turn.rejections]


@pytest.mark.parametrize(
    ("house", "taking", "returning"),
    [
        ("en", "take the lamp", "put it back"),
        ("en", "take the lamp", "put the lamp back where it was"),
        ("en", "take the lamp", "put it back where I found it"),
        ("en", "take the lamp", "return the lamp to its place"),
        ("ja", "ランプを取る", "ランプを元の場所に戻す"),
        ("ja", "ランプを取る", "それを戻す"),
    ],
)
def test_a_lamp_returns_to_the_table_it_was_taken_from(
    house: str, taking: str, returning: str
) -> None:
    """A thing taken in an earlier turn is put back where it was."""
    turn, world = speak(taking, load_house(house))
    later = SpokenWords(
        actor_id=PLAYER,
        text=returning,
        mentioned=update_mentioned(turn, ()),
        came_from=update_left_places(PLAYER, turn.changes, {}),
    )
    _, world = play_turn(later, parse(returning, PLAYER, world), world, DEFAULT)

    assert "table" == world.entities[Id("lamp")].place


def test_a_dropped_key_returns_to_the_ground() -> None:
    """Putting back a thing that was on the ground drops it."""
    turn, world = speak("take the key, drop it, take it and put it back", make_courtyard())

    assert isinstance(turn.applied_actions[-1], Drop)
    assert "yard" == world.entities[Id("key")].place
