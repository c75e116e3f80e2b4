"""How a stand-in chooses from the facts."""

from saniwa.experiment.prompts import SpeakerFacts
from saniwa.experiment.stand_in.character import choose_from_facts, list_single_names
from saniwa.experiment.stand_in.deeds import StandInDeed, StandInIntention
from saniwa.experiment.stand_in.prompt_reader import remember_talk
from tests.fakes.standins import HOME, make_chances, read_request

NOTHING = remember_talk(read_request())


def _choose_all(
    facts: SpeakerFacts, *talk: tuple[str, str], reckless: bool = False
) -> set[StandInDeed]:
    memory = remember_talk(read_request(*talk))
    meant = [choose_from_facts(facts, k, memory, "", reckless=reckless) for k in make_chances(300)]
    return {each.deed for each in meant if each.deed is not None}


def test_everything_that_can_be_done_is_done_at_times() -> None:
    """Listed things are sometimes taken, opened, searched, looked at, given or gone to."""
    assert {
        StandInDeed("take", "brass key"),
        StandInDeed("open", "strongbox"),
        StandInDeed("search", "Hall"),
        StandInDeed("search", "oak table"),
        StandInDeed("study", "brass key"),
        StandInDeed("study", "oak table"),
        StandInDeed("study", "strongbox"),
        StandInDeed("give", "cup", "Ben"),
        StandInDeed("go", "Kitchen"),
    } == _choose_all(HOME)


def test_a_reckless_stand_in_tries_what_is_shut_and_says_so() -> None:
    """A locked exit or a shut box is tried, and the reason says so."""
    rash = {
        (meant.why, meant.deed)
        for meant in (
            choose_from_facts(HOME, luck, NOTHING, "", reckless=True) for luck in make_chances(300)
        )
        if meant.target_name in ("Vault", "strongbox")
    }

    assert {
        ("force", StandInDeed("go", "Vault")),
        ("told", StandInDeed("open", "strongbox")),
        ("told", StandInDeed("study", "strongbox")),
    } == rash


def test_a_key_in_hand_is_tried_on_what_is_locked() -> None:
    """A stand-in that holds a key and sees a lock tries the key."""
    facts = SpeakerFacts(objects=("gate",), holding=("key",), closed=("gate",), locked=("gate",))

    assert StandInDeed("unlock", "gate", "key") in _choose_all(facts)
    assert StandInDeed("open", "gate") not in _choose_all(facts)


def test_only_a_key_is_tried_on_what_is_locked() -> None:
    """An object that is not a key is not tried on a lock."""
    facts = SpeakerFacts(objects=("gate",), holding=("cup",), closed=("gate",), locked=("gate",))

    assert {StandInDeed("study", "gate")} == _choose_all(facts)


def test_what_is_shut_is_not_searched_but_by_the_reckless() -> None:
    """Only a reckless stand-in searches a chest that is shut."""
    facts = SpeakerFacts(objects=("oak chest",), closed=("oak chest",))

    assert {StandInDeed("open", "oak chest"), StandInDeed("study", "oak chest")} == _choose_all(
        facts
    )
    assert StandInDeed("search", "oak chest") in _choose_all(facts, reckless=True)


def test_what_can_be_shut_is_left_where_it_is() -> None:
    """Objects with a lid are rarely taken."""
    facts = SpeakerFacts(objects=("strongbox",), closed=("strongbox",))

    assert {StandInDeed("open", "strongbox"), StandInDeed("study", "strongbox")} == _choose_all(
        facts
    )


def test_what_was_done_is_not_done_again_but_ways_are_gone_again() -> None:
    """An action is not repeated, but an exit may be used again."""
    facts = SpeakerFacts(objects=("oak table",), exits=("Kitchen",))
    done = ("Ann", "*search the oak table* *look closely at the oak table*")

    assert {StandInDeed("go", "Kitchen")} == _choose_all(facts, done, ("Ann", "*go to Kitchen*"))


def test_what_another_took_is_left_to_them() -> None:
    """A key that another character took is not taken."""
    facts = SpeakerFacts(objects=("brass key",))

    assert StandInDeed("take", "brass key") in _choose_all(facts)
    assert StandInDeed("take", "brass key") not in _choose_all(
        facts, ("Ben", "*take the brass key*")
    )


def test_where_nothing_is_there_is_only_talk() -> None:
    """If nothing is listed, the stand-in only talks."""
    assert {StandInIntention("talk")} == {
        choose_from_facts(SpeakerFacts(), luck, NOTHING, "") for luck in make_chances()
    }


def test_twins_and_unsayable_names_are_left_alone() -> None:
    """Two objects with the same name cannot be told apart."""
    assert ["lamp"] == list_single_names(("cup", "lamp", "cup", "a*b"))
