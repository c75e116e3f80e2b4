import pytest

from saniwa.agent.mind.character_view import build_view
from saniwa.agent.mind.mind import MindEditor
from saniwa.agent.mind.perception import build_opening_mind, learn_locks
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.play import TurnAttempt
from saniwa.world.actions import Open
from saniwa.world.model import Id
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.playroom_world import follow
from tests.fakes.worlds import PLAYER, make_courtyard

GATE, KEEPER = Id("gate"), Id("keeper")


def _find_locked(who: Id, *said: tuple[str, str]) -> bool | None:
    mind, _ = follow(make_courtyard(), who, *said)
    return mind.beliefs[GATE].locked


def test_a_lock_that_was_not_tried_is_not_known() -> None:
    """Whether a closed gate is locked is unknown until it is tried."""
    mind = build_opening_mind(make_courtyard(), PLAYER)

    assert mind.beliefs[GATE].locked is None
    assert "“iron gate” (closed)" in build_view(mind).variables["scene"]


@pytest.mark.parametrize(
    "words", ["open the gate", "go north", "examine the gate", "lock the gate"]
)
def test_a_character_that_tries_a_lock_knows_it(words: str) -> None:
    """A refusal because of a lock, or a close look, shows that it is locked."""
    mind, _ = follow(make_courtyard(), PLAYER, ("player", words))

    assert mind.beliefs[GATE].locked is True
    assert "“iron gate” (closed and locked)" in build_view(mind).variables["scene"]


def test_no_character_learns_from_what_others_try() -> None:
    """A character learns nothing about a lock from others' refused attempts and looks."""
    assert _find_locked(KEEPER, ("player", "open the gate")) is None
    assert _find_locked(KEEPER, ("player", "examine the gate")) is None


@pytest.mark.parametrize("who", [PLAYER, KEEPER])
def test_locking_and_unlocking_are_seen(who: Id) -> None:
    """A character that sees a lock turned knows its state."""
    took = ("player", "take the brass key")
    unlocked = ("player", "unlock the gate with the brass key")
    locked = ("player", "lock the gate with the brass key")

    assert _find_locked(who, took, unlocked) is False
    assert _find_locked(who, took, unlocked, locked) is True


def test_what_is_known_to_be_unlocked_is_said_so() -> None:
    """A closed gate known to be unlocked is described as such."""
    mind, _ = follow(
        make_courtyard(),
        KEEPER,
        ("player", "take the brass key. unlock the gate with the brass key"),
    )

    assert "“iron gate” (closed, not locked)" in build_view(mind).variables["scene"]


def test_a_lock_is_remembered_out_of_sight() -> None:
    """A lock's state is remembered when the gate is out of view."""
    away = (("player", "open the gate"), ("player", "go east"))

    assert _find_locked(PLAYER, *away) is True
    assert _find_locked(PLAYER, *away, ("player", "go west")) is True


def test_a_lock_is_believed_from_words_though_the_gate_is_in_view() -> None:
    """A statement about a lock is believed even if the gate is in view."""
    assert _find_locked(PLAYER, ("keeper", 'say "The iron gate is locked."')) is True
    assert _find_locked(PLAYER, ("keeper", 'say "The iron gate is unlocked."')) is False
    assert _find_locked(PLAYER, ("keeper", 'say "The iron gate is open."')) is None
    assert _find_locked(PLAYER, ("keeper", 'say "The iron gate is closed."')) is None


def test_an_open_gate_is_not_locked() -> None:
    """A gate that is seen open is known not to be locked."""
    opened = ("player", "take the brass key. open the gate with the brass key")

    assert _find_locked(PLAYER, ("player", "open the gate"), opened) is False
    assert _find_locked(PLAYER, opened, ("player", "close the gate")) is False
    assert _find_locked(PLAYER, opened, ("keeper", 'say "The iron gate is locked."')) is False


def test_what_has_no_lock_is_never_said_to_be_unlocked() -> None:
    """Examining a thing without a lock gives no belief about one."""
    mind, _ = follow(make_courtyard(), PLAYER, ("player", "examine the bench"))

    assert mind.beliefs[Id("bench")].locked is None


def test_locks_are_described_in_japanese() -> None:
    """Locks are described in Japanese too."""
    tried, _ = follow(make_house(), HANA, (HANA, "門を開ける"))

    assert (
        "「鉄の門」（閉）" in build_view(build_opening_mind(make_house(), HANA)).variables["scene"]
    )
    assert "「鉄の門」（閉・施錠）" in build_view(tried).variables["scene"]


def test_a_book_that_gives_no_finer_reason_is_understood() -> None:
    """A refusal with the plain reason LOCKED shows that the gate is locked."""
    world = make_courtyard()
    stuck = Verdict(success=False, reason_code="LOCKED", message="It will not move.")
    notes = MindEditor(build_opening_mind(world, PLAYER), 1)
    action = Open(target_id=GATE, actor_id=PLAYER)
    learn_locks(notes, TurnAttempt(action, stuck, {}, world, world))

    assert notes.beliefs[GATE].locked is True
