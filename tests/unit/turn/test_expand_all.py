from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import expand_all, means_all
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.turns import DEFAULT, speak, speak_all
from tests.fakes.worlds import PLAYER, make_courtyard


def _list_targets(claim: dict[str, str], world: World, actor: Id) -> list[str]:
    words = SpokenWords(actor_id=actor, text="")
    return [str(c["targetId"]) for c in expand_all(claim, words, world) if isinstance(c, dict)]


def _list_done(text: str, world: World) -> list[str]:
    turn = speak(text, world).turn
    return [
        f"{a.__struct_config__.tag} {getattr(a, 'target_id', '')}" for a in turn.applied_actions
    ]


def test_everything_is_what_can_be_seen_and_taken() -> None:
    """“all” to take is every loose thing in view, and nothing that someone else holds."""
    claim = {"type": "take", "target": "everything"}

    expected = ["apple-2", "bread", "butter", "coin-1", "coin-2", "tin"]
    assert expected == _list_targets(claim, make_pantry(), ANNA)


def test_everything_can_be_taken_out_of_one_container() -> None:
    """A source limits "all" to its contents."""
    claim = {"type": "take", "target": "all", "source": "the shelf"}

    assert ["apple-2", "coin-2"] == _list_targets(claim, make_pantry(), ANNA)
    assert ["apple-2", "coin-2"] == _list_targets(
        {"type": "take", "target": "all", "sourceId": "shelf"}, make_pantry(), ANNA
    )


def test_all_of_it_is_nothing_where_nothing_was_mentioned() -> None:
    """“Take everything from it” takes nothing if "it" means nothing."""
    claim = {"type": "take", "target": "all", "source": "it"}
    words = SpokenWords(actor_id=ANNA, text="")

    (left,) = expand_all(claim, words, make_pantry())
    assert isinstance(left, dict)
    assert ("unrecognised", "it") == (left["type"], left["leftover"])


def test_everything_to_give_is_what_is_held() -> None:
    """“all” to drop, put or give is everything the speaker holds."""
    claim = {"type": "give", "target": "all", "recipient": "Bert"}

    assert ["apple", "cellar-key", "hall-key"] == _list_targets(claim, make_pantry(), ANNA)


def test_other_claims_come_back_as_they_are() -> None:
    """Other claims are returned unchanged."""
    words = SpokenWords(actor_id=ANNA, text="")
    others: list[object] = [
        {"type": "open", "target": "everything"},
        {"type": "take", "targetId": "all"},
        {"type": ["take"], "target": "all"},
        {"type": "take", "target": 7},
        None,
    ]
    for claim in others:
        assert (claim,) == expand_all(claim, words, make_pantry())
    assert means_all({"type": "drop", "target": "全部"})


def test_an_item_called_all_is_that_item() -> None:
    """A thing named "everything" is found before "everything" means all."""
    room = Id("room")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=Id("book"), name="Everything", takeable=True, place=room),
            Entity(id=Id("cup"), name="cup", takeable=True, place=room),
        ],
        [Location(id=room, name="Room")],
        protagonist=PLAYER,
    )

    assert ["take book"] == _list_done("take everything", world)


def test_all_means_what_is_there_when_its_turn_comes() -> None:
    """“all” is expanded after the claims before it."""
    text = "go to the shed and open the chest and take all"
    assert ["move shed", "open chest", "take coin", "take loaf", "take rusty"] == _list_done(
        text, make_courtyard()
    )
    assert ["move shed", "take loaf", "take rusty", "drop loaf", "drop rusty"] == _list_done(
        "go east, take all and drop everything", make_courtyard()
    )


def test_all_can_be_put_away_but_not_into_itself() -> None:
    """Everything held except the bag goes into the bag, and can be taken out of it."""
    room, bag = Id("room"), Id("bag")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=bag, name="bag", kind="container", takeable=True, place=PLAYER),
            Entity(id=Id("cup"), name="cup", takeable=True, place=PLAYER),
            Entity(id=Id("pin"), name="pin", takeable=True, place=bag),
        ],
        [Location(id=room, name="Room")],
        protagonist=PLAYER,
    )

    assert ["put cup"] == _list_done("put all in the bag", world)
    assert ["take pin"] == _list_done("take all from the bag", world)
    assert [] == _list_done("take all", world)


def test_all_of_nothing_says_so() -> None:
    """“all” without anything to drop or take is rejected with a reason."""
    assert ["You are holding nothing."] == [
        r.message for r in speak("drop everything", make_courtyard()).turn.rejections
    ]
    emptied = speak_all(make_courtyard(), "take all")
    assert ["There is nothing here to take."] == [
        r.message for r in speak("take all", emptied).turn.rejections
    ]
    assert ["You see nothing there to take."] == [
        r.message for r in speak("take all from the chest", make_courtyard()).turn.rejections
    ]


def test_all_in_japanese_waits_for_its_turn_too() -> None:
    """In Japanese too, "all" is expanded after the claims before it."""
    done = _list_done("東へ行って箱を開けて全部取って", make_house())

    assert ["move", "open", "take"] == [d.split()[0] for d in done[:3]]
    assert "take コイン" in done


def test_a_question_about_all_can_be_answered() -> None:
    """One answer to a question about "all" applies to all of it."""
    world = make_pantry()
    asked = speak("give all to them", world, ANNA).turn
    claims = complete_with_answer(asked, "Carla", world)

    assert ((), "recipientId") == (
        asked.normalized_actions,
        asked.clarification and asked.clarification.field,
    )
    assert claims is not None
    done = play_turn(SpokenWords(actor_id=ANNA, text="Carla"), claims, world, DEFAULT).turn
    assert 3 == len(done.applied_actions)
    assert (0, 0, 0) == done.claimed


def test_one_turn_does_not_weigh_more_than_its_share() -> None:
    """Claims from "all" count towards the limit of a turn."""
    words = SpokenWords(actor_id=ANNA, text="x")
    claims = [{"type": "give", "target": "all", "recipientId": "nobody"}] * 4000
    turn = play_turn(words, claims, make_pantry(), DEFAULT).turn

    assert 10_000 == len(turn.normalized_actions)
    assert [(3333, "TOO_MANY_CLAIMS")] == [(r.index, r.code) for r in turn.rejections]
