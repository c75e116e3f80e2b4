"""How a stand-in chooses without facts."""

from collections.abc import Sequence

from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.prompts import SpeakerFacts
from saniwa.experiment.stand_in.character import choose_from_talk
from saniwa.experiment.stand_in.deeds import WORDS, StandInDeed, StandInIntention
from saniwa.experiment.stand_in.prompt_reader import PromptReading, remember_talk
from tests.fakes.standins import FAULTLESS, make_chances, read_request


def _choose_all(read: PromptReading, **faults: int) -> Sequence[StandInIntention]:
    whole = StandInFaults(**{**{f: getattr(FAULTLESS, f) for f in _FIELDS}, **faults})
    memory = remember_talk(read)
    return [choose_from_talk(read, memory, luck, whole) for luck in make_chances(200)]


_FIELDS = StandInFaults.__struct_fields__


def test_an_inventive_stand_in_names_what_was_not_mentioned() -> None:
    """Each invented object is an everyday one, and all of them are used."""
    meant = _choose_all(read_request(), invent=100)

    assert {"invent"} == {each.why for each in meant}
    assert {*WORDS["en"].everyday_items} == {each.target_name for each in meant}


def test_coffee_makes_one_think_of_beans() -> None:
    """An object in the talk suggests another that usually goes with it."""
    talk = ("Ben", "*look closely at the coffee maker* Shiny.")
    beans = sum(
        each.target_name == "coffee beans" for each in _choose_all(read_request(talk), invent=100)
    )

    assert beans > 100


def test_what_a_doubter_is_reported_lures_it_too() -> None:
    """Facts that are not trusted still suggest objects."""
    told = read_request(facts=SpeakerFacts(objects=("coffee maker",)))
    beans = sum(each.target_name == "coffee beans" for each in _choose_all(told, invent=100))

    assert beans > 100


def test_a_misplacing_stand_in_acts_on_what_it_has_read() -> None:
    """An object from the opening, one from the previous room, or a place from the opening."""
    read = read_request(
        ("Ann", "*search the basket* Hm."),
        ("Ann", "*go to Hall* Off."),
        opening="The umbrella is in the study.",
    )
    meant = _choose_all(read, misplace=100)

    assert {
        StandInDeed("take", "basket"),
        StandInDeed("take", "umbrella"),
        StandInDeed("go", "study"),
    } == {each.deed for each in meant}
    assert {"misplace"} == {each.why for each in meant}


def test_without_a_place_in_the_talk_a_usual_one_is_used() -> None:
    """With no place in the talk, a common one is used, and the reason does not mention it."""
    meant = _choose_all(read_request(language="ja"), misplace=100)

    assert {"stray"} == {each.why for each in meant}
    assert {*WORDS["ja"].everyday_places} == {each.target_name for each in meant}


def test_a_forcing_stand_in_tries_the_door_of_the_story() -> None:
    """Without a door in the story there is none to force, and with force 0 it is left alone."""
    read = read_request(opening="A letter, and a very locked gate.")
    tried = {each for each in _choose_all(read, force=100) if each.why == "try"}

    assert {StandInIntention("try", StandInDeed("open", "gate"))} == tried
    assert "try" not in {each.why for each in _choose_all(read)}
    assert "try" not in {each.why for each in _choose_all(read_request(), force=100)}


def test_a_faultless_stand_in_acts_on_what_was_mentioned() -> None:
    """Only objects and places that the talk mentions are acted on."""
    talk = (("Ben", "*search the basket* Hm."), ("Ben", "*go to Hall* Come."))

    assert {"look", "study", "take", "go", ""} == {
        each.deed.kind if each.deed else "" for each in _choose_all(read_request(*talk))
    }
    assert {"", "basket", "Hall"} == {each.target_name for each in _choose_all(read_request(*talk))}


def test_what_another_took_is_not_taken() -> None:
    """Another character holds it."""
    meant = {each.deed for each in _choose_all(read_request(("Ben", "*take the basket*")))}

    assert StandInDeed("study", "basket") in meant
    assert StandInDeed("take", "basket") not in meant


def test_what_did_not_happen_is_not_tried_again() -> None:
    """The game master's remark takes priority over the talk."""
    read = read_request(("Ben", "*search the basket*"), cards=("FACT: basket: did not happen.",))

    assert {""} == {each.target_name for each in _choose_all(read)}
