"""Choosing from facts."""

from saniwa.experiment.standin.deed import Deed
from saniwa.experiment.standin.intention import Intention
from saniwa.experiment.standin.memory import remember
from saniwa.experiment.standin.told import from_facts, single
from saniwa.experiment.telling.facts import Facts
from tests.fakes.standins import HOME, heard, lucks

NOTHING = remember(heard())


def _meant(facts: Facts, *talk: tuple[str, str], reckless: bool = False) -> set[Deed]:
    memory = remember(heard(*talk))
    meant = [from_facts(facts, k, memory, "", reckless=reckless) for k in lucks(300)]
    return {each.deed for each in meant if each.deed is not None}


def test_everything_that_can_be_done_is_done_at_times() -> None:
    """What is listed is taken, opened, searched, looked at, given and gone to."""
    assert {
        Deed("take", "brass key"),
        Deed("open", "strongbox"),
        Deed("search", "Hall"),
        Deed("search", "oak table"),
        Deed("study", "brass key"),
        Deed("study", "oak table"),
        Deed("study", "strongbox"),
        Deed("give", "cup", "Ben"),
        Deed("go", "Kitchen"),
    } == _meant(HOME)


def test_who_is_reckless_tries_what_is_shut_and_knows_it() -> None:
    """A locked way is gone, a shut box searched; the reason says so."""
    rash = {
        (meant.why, meant.deed)
        for meant in (
            from_facts(HOME, luck, NOTHING, "", reckless=True) for luck in lucks(300)
        )
        if meant.about in ("Vault", "strongbox")
    }

    assert {
        ("force", Deed("go", "Vault")),
        ("told", Deed("open", "strongbox")),
        ("told", Deed("study", "strongbox")),
    } == rash


def test_a_key_in_hand_is_tried_on_what_is_locked() -> None:
    """Whoever holds a key and sees a lock brings them together."""
    facts = Facts(
        objects=("gate",), holding=("key",), closed=("gate",), locked=("gate",)
    )

    assert Deed("unlock", "gate", "key") in _meant(facts)
    assert Deed("open", "gate") not in _meant(facts)


def test_only_a_key_is_tried_on_what_is_locked() -> None:
    """A cup opens no gate."""
    facts = Facts(
        objects=("gate",), holding=("cup",), closed=("gate",), locked=("gate",)
    )

    assert {Deed("study", "gate")} == _meant(facts)


def test_what_is_shut_is_not_searched_but_by_the_reckless() -> None:
    """One looks into a chest when it is open."""
    facts = Facts(objects=("oak chest",), closed=("oak chest",))

    assert {Deed("open", "oak chest"), Deed("study", "oak chest")} == _meant(facts)
    assert Deed("search", "oak chest") in _meant(facts, reckless=True)


def test_what_can_be_shut_is_left_where_it_stands() -> None:
    """Things with a lid are rarely for the taking."""
    facts = Facts(objects=("strongbox",), closed=("strongbox",))

    assert {Deed("open", "strongbox"), Deed("study", "strongbox")} == _meant(facts)


def test_what_was_done_is_not_done_again_but_ways_are_gone_again() -> None:
    """The same deed leads nowhere twice; the same way may."""
    facts = Facts(objects=("oak table",), exits=("Kitchen",))
    done = ("Ann", "*search the oak table* *look closely at the oak table*")

    assert {Deed("go", "Kitchen")} == _meant(facts, done, ("Ann", "*go to Kitchen*"))


def test_what_somebody_took_is_left_to_them() -> None:
    """Who reads that another took the key does not take it."""
    facts = Facts(objects=("brass key",))

    assert Deed("take", "brass key") in _meant(facts)
    assert Deed("take", "brass key") not in _meant(
        facts, ("Ben", "*take the brass key*")
    )


def test_where_nothing_is_there_is_only_talk() -> None:
    """An empty list offers nothing."""
    assert {Intention("talk")} == {
        from_facts(Facts(), luck, NOTHING, "") for luck in lucks()
    }


def test_twins_and_unsayable_names_are_left_alone() -> None:
    """Of two things with one name nobody can say which."""
    assert ["lamp"] == single(("cup", "lamp", "cup", "a*b"))
