"""What a stand-in remembers of the talk."""

from saniwa.experiment.stand_in.deeds import StandInDeed
from saniwa.experiment.stand_in.prompt_reader import remember_talk
from tests.fakes.standins import read_request


def test_what_others_did_is_here_until_one_goes_away() -> None:
    """After leaving, objects mentioned earlier count as elsewhere."""
    memory = remember_talk(
        read_request(
            ("Ben", "*take the cup* Mine."),
            ("Ann", "*go to Hall* Off."),
            ("Ben", "*search the box* Hm."),
        )
    )

    assert (("box",), ("cup",)) == (memory.here, memory.elsewhere)
    assert {"cup"} == memory.taken


def test_others_going_away_changes_nothing_but_where_one_can_go() -> None:
    """Only one's own leaving changes which objects count as here."""
    memory = remember_talk(read_request(("Ann", "*open the box*"), ("Ben", "*go to Hall*")))

    assert (("box",), (), ("Hall",)) == (memory.here, memory.elsewhere, memory.places)


def test_one_does_not_go_where_one_is() -> None:
    """The place one went to last is not an exit."""
    memory = remember_talk(read_request(("Ann", "*go to Hall*"), ("Ann", "*go to Study*")))

    assert ("Hall",) == memory.places


def test_own_deeds_are_remembered_as_ones_own() -> None:
    """Only one's own actions are remembered as done."""
    memory = remember_talk(read_request(("Ann", "*take the cup*"), ("Ben", "*take the lamp*")))

    assert {StandInDeed("take", "cup")} == memory.done


def test_what_did_not_happen_is_remembered() -> None:
    """The game master's remark names the action that was refused."""
    memory = remember_talk(read_request(cards=("FACT: beans: did not happen. None here.",)))

    assert {"beans"} == memory.fruitless


def test_words_alone_leave_no_trace() -> None:
    """Merely mentioning a lamp is not an action on it."""
    assert () == remember_talk(read_request(("Ben", "take the lamp"))).here
