from typing import Any

import msgspec
import pytest

from saniwa.language.phrasebook import find_phrasebook
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import narrate, number_options, render_action
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import ACTIONS, Action, Put, Take, get_action_type
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Goal, Id, Location, World
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import make_pantry
from tests.fakes.turns import DEFAULT, speak, speak_all
from tests.fakes.worlds import PLAYER, make_courtyard


def _narrate_text(text: str, world: World, viewer: Id | None = None) -> list[str]:
    turn, after = speak(text, world)
    return [line.text for line in narrate(turn, world, after, viewer)]


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ((), "take the key", "You take the brass key."),
        (("take key",), "drop key", "You put the brass key down."),
        (("take key",), "put the key on the bench", "You put the brass key on the bench."),
        (("take key",), "give key to groundskeeper", "You give the brass key to the groundskeeper."),
        (("take key",), "unlock gate", "You unlock the iron gate."),
        (("take key",), "open gate", "You unlock the iron gate and open it."),
        (("take key", "unlock gate"), "open gate", "You open the iron gate."),
        (("take key", "unlock gate"), "lock gate", "You lock the iron gate."),
        (("take key", "open gate"), "close gate", "You close the iron gate."),
        (("east",), "open chest", "You open the oak chest. Inside you see a silver coin."),
        (("east", "open chest", "take coin", "close chest"), "open chest", "You open the oak chest. It is empty."),
        (("east", "open chest", "take coin"), "put coin in chest", "You put the silver coin into the oak chest."),
        (("east",), "eat bread", "You finish the loaf of bread."),
        (("east",), "search", "You search the Shed. You find a gold ring."),
        (("east", "search"), "search", "You search the Shed. You find nothing new."),
        ((), "search the bench", "You search the bench. On the bench: a brass key."),
        ((), "x well", "You notice nothing special about the old well."),
        ((), "x gate", "It is closed and locked."),
        (("take key", "unlock gate"), "x gate", "It is closed."),
        ((), "x bench", "On the bench: a brass key."),
        ((), "inventory", "You are holding nothing."),
        (("take key", "give key to groundskeeper"), "x groundskeeper", "The groundskeeper is holding a brass key."),
        ((), "wait", "A moment passes."),
        ((), "turn the well", "You use the old well. Nothing changes."),
        (("take key",), "use key on well", "You use the brass key on the old well. Nothing changes."),
        (("east",), "take", "What do you want to take?"),
    ],
)  # fmt: skip
def test_what_happened_is_described_in_plain_english(
    before: tuple[str, ...], text: str, expected: str
) -> None:
    """Each action has its sentence in English."""
    assert expected == _narrate_text(text, speak_all(make_courtyard(), *before))[0]


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ((), "鍵を取る", "真鍮の鍵を取った。"),
        (("鍵を取る",), "門を開ける", "鉄の門の鍵を外して開けた。"),
        (("東へ",), "箱を開ける", "樫の箱を開けた。中には銀のコインがある。"),
        (("東へ",), "部屋を調べる", "小屋を調べた。金の指輪を見つけた。"),
        ((), "井戸を見る", "深い井戸だ。"),
        ((), "あ", "「あ」の意味がわかりません。（「鍵を取る」のように、することを書いてください。「できること」で一覧が出ます）"),
    ],
)  # fmt: skip
def test_what_happened_is_described_in_plain_japanese(
    before: tuple[str, ...], text: str, expected: str
) -> None:
    """The same turns are narrated in Japanese in a Japanese world."""
    assert [expected] == _narrate_text(text, speak_all(make_house(), *before))


def test_moving_shows_the_new_place_and_the_goal() -> None:
    """Arriving shows the new place, and the goal has its message."""
    told = _narrate_text("take the key, open the gate, go north", make_courtyard())

    assert "Orchard" in told
    assert "You have reached the end of this story. Well done." == told[-1]


def test_looking_shows_the_place() -> None:
    """Looking around and looking at the room show the same."""
    assert _narrate_text("look", make_courtyard()) == _narrate_text(
        "examine the yard", make_courtyard()
    )


def test_speech_has_a_speaker() -> None:
    """Speech is a line of its speaker, not of the narrator."""
    world = make_pantry()
    turn, after = speak('say "Hello."', world)

    assert (NarrationLine(speaker="Anna", text="Hello."),) == narrate(turn, world, after)


def test_rejections_and_actions_come_in_the_order_of_the_words() -> None:
    """Rejections and actions are narrated in the order of the words."""
    told = _narrate_text("take the key. xyzzy. wait. plugh", make_courtyard())

    assert [True, False, True, False] == [
        line.startswith(("You take", "A moment")) for line in told
    ]


def test_others_are_described_in_the_third_person() -> None:
    """Others read who did it, and only what happens where they are."""
    bert = Id("bert")
    world = make_pantry()
    told = [
        *_narrate_text("take Bread and Butter, look at the shelf, wait, look", world, bert),
        *_narrate_text("search the shelf. give the red apple to Bert", world, bert),
        *_narrate_text("put the red apple in the drop box", world, bert),
        *_narrate_text("unlock the hall door, open it, go through it", world, bert),
    ]

    assert [
        "Anna takes Bread and Butter.",
        "Anna looks at the shelf.",
        "Anna waits.",
        "Anna looks around.",
        "Anna searches the shelf.",
        "Anna gives the red apple to Bert.",
        "Anna puts the red apple into the drop box.",
        "Anna unlocks the hall door.",
        "Anna opens the hall door.",
        "Anna leaves for the Great Hall.",
    ] == told


def test_what_happens_elsewhere_is_not_described() -> None:
    """A character reads nothing of other rooms, but sees who comes in."""
    bert = Id("bert")
    world = speak_all(make_pantry(), "open the hall door with the hall key", "go to the hall")

    assert [] == _narrate_text("drop the red apple", world, bert)
    assert ["Anna comes in."] == _narrate_text("go to the pantry", world, bert)


def test_an_authors_words_for_using_an_item_are_described() -> None:
    """A message under `attributes.use` is narrated; otherwise the new state is."""
    room = Id("room")
    uses = {
        "bell": {"message": "It rings."},
        "gong": {"message": {"ja": "ごーん。", "en": "It booms."}},
        "horn": {"message": 7},
        "lamp": {"state": ["lit"]},
        "lever": {"flags": {"pulled": True}},
    }
    things = [
        Entity(id=Id(name), name=name, kind="fixture", place=room, attributes={"use": use})
        for name, use in uses.items()
    ]
    world = build_world(
        [Entity(id=PLAYER, name="you", kind="character", place=room), *things],
        [Location(id=room, name="Room")],
        protagonist=PLAYER,
    )

    assert [
        "It rings.",
        "It booms.",
        "You use the horn. Nothing changes.",
        "You use the lamp. It is lit now.",
        "You use the lever.",
    ] == _narrate_text("use bell, use gong, use horn, use lamp, use lever", world)
    watched = msgspec.structs.replace(world, language="ja")
    assert ["ごーん。"] == _narrate_text("use gong", watched)


def test_the_goal_has_its_own_last_words() -> None:
    """An author's final message replaces the default one."""
    goal = Goal(location=Id("orchard"), message="The apples are yours.")
    world = msgspec.structs.replace(make_courtyard(), goal=goal)
    ready = speak_all(world, "take key", "open gate")

    assert "The apples are yours." == _narrate_text("north", ready)[-1]


def test_no_other_character_is_you() -> None:
    """A character named "you" by the author is shown to others by id."""
    keeper = Id("keeper")
    world = speak_all(make_courtyard(), "take key")

    def narrate_seen(text: str, actor: Id) -> list[str]:
        turn, after = speak(text, world, actor)
        return [f"{t.speaker} {t.text}".strip() for t in narrate(turn, world, after, keeper)]

    assert "Player is here." in narrate_seen("look", keeper)[1]
    assert ["Player is holding a brass key."] == narrate_seen("look at you", keeper)
    assert ["Player puts the brass key down."] == narrate_seen("drop key", PLAYER)
    assert ["Player Good morning."] == narrate_seen('say "Good morning."', PLAYER)
    assert ["Player leaves for the Shed."] == narrate_seen("east", PLAYER)
    assert ["You give the brass key to Player."] == [
        line.text
        for line in narrate(
            *_play_as(keeper, {"type": "give", "targetId": "key", "recipientId": "player"})
        )
    ]


def _play_as(actor: Id, claim: dict[str, Any]) -> tuple[Turn, World, World]:
    world = speak_all(make_courtyard(), "take key", "give key to groundskeeper")
    turn, after = play_turn(SpokenWords(actor_id=actor, text="x"), [claim], world, DEFAULT)
    return turn, world, after


def test_game_masters_actions_are_described() -> None:
    """Introductions and descriptions are narrated."""
    room = Id("room")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=Id("cup"), name="cup", takeable=True, place=room),
        ],
        [Location(id=room, name="Room")],
        protagonist=PLAYER,
    )
    claims = [
        {"type": "describe", "targetId": "cup", "content": "Chipped."},
        {"type": "introduce", "metadata": {"name": "owl", "kind": "character"}},
    ]
    turn, after = play_turn(SpokenWords(actor_id=PLAYER, text=""), claims, world, DEFAULT)

    assert ["The cup: Chipped.", "An owl is here now."] == [
        line.text for line in narrate(turn, world, after)
    ]


def test_a_refusal_is_reported_in_the_words_of_the_book() -> None:
    """The verdict's message and hint are the line, with the speaker's words."""
    turn = speak("take the bras key", make_courtyard()).turn
    message = turn.validation_results[0].message

    assert "You see no such thing here." == message
    expected = "You see no such thing here: “the bras key”. (did you mean “brass key”?)"
    assert [expected] == _narrate_text("take the bras key", make_courtyard())


def test_what_is_not_to_be_seen_is_called_by_the_speakers_words() -> None:
    """A refusal names an unseen thing in the speaker's words, never by its name or id."""
    assert [
        "You see no such thing here: “chest”.",
        "You see no such thing here: “the coin”.",
    ] == _narrate_text("open chest, take the coin", make_courtyard())
    assert ["「箱」？ そのようなものは見当たらない。"] == _narrate_text("箱を開ける", make_house())
    turn, after = play_turn(
        SpokenWords(actor_id=PLAYER, text="x"),
        [{"type": "take", "targetId": "ring"}],
        make_courtyard(),
        DEFAULT,
    )
    assert ["You see no such thing here."] == [
        line.text for line in narrate(turn, make_courtyard(), after)
    ]


def test_nothing_is_refused_twice_in_the_same_words() -> None:
    """A turn narrates the same refusal and the same hint once."""
    twice = _narrate_text("take the moon, take the moon, take the sun", make_courtyard())

    assert [
        "You see no such thing here: “the moon”.",
        "You see no such thing here: “the sun”.",
    ] == twice


def test_a_wrong_key_is_hinted_at_once() -> None:
    """The hint for a wrong key is given once."""
    things = dict(make_courtyard().entities)
    things[Id("gate")] = msgspec.structs.replace(things[Id("gate")], hint="Try brass.")
    world = build_world(
        [*things.values()], [*make_courtyard().locations.values()], protagonist=PLAYER
    )
    world = speak_all(world, "east", "take rusty key", "west")
    told = _narrate_text("open the gate with the rusty key", world)

    assert 2 == len(told)
    assert 1 == " ".join(told).count("Try brass.")


def test_rejections_keep_their_place_among_many_actions() -> None:
    """Rejections keep their place among the actions, also after "all"."""
    world = speak_all(make_courtyard(), "east")

    assert [
        "I do not understand “xyzzy”.",
        "You take the loaf of bread.",
        "You take the rusty key.",
        "I do not understand “plugh”.",
        "You put the rusty key down.",
    ] == [
        t.split(" (")[0] for t in _narrate_text("xyzzy. take all. plugh. drop the rusty key", world)
    ]


def test_options_can_be_numbered_for_plain_hosts() -> None:
    """The options of a question can be numbered from one."""
    turn = speak("take a coin", make_pantry()).turn

    assert turn.clarification is not None
    assert ["  1. copper coin (here)", "  2. copper coin (on shelf)"] == [
        line.text for line in number_options(turn.clarification)
    ]


def test_an_action_is_described_in_a_few_words() -> None:
    """An action can be described without playing it."""
    world = make_courtyard()
    take = Take(actor_id=PLAYER, target_id=Id("key"), source_id=Id("bench"))
    put = Put(actor_id=PLAYER, target_id=Id("key"), destination_id=Id("chest"))

    assert "take the brass key from the bench" == render_action(take, world)
    assert "put the brass key into the oak chest" == render_action(put, world)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("cls", ACTIONS.values(), ids=ACTIONS)
def test_every_action_has_its_words(language: str, cls: type[Action]) -> None:
    """Every action has a description, with and without its optional roles."""
    world = make_house() if language == "ja" else make_courtyard()
    needed: dict[str, Any] = {
        f.name: "key" for f in msgspec.structs.fields(cls) if f.default is msgspec.NODEFAULT
    }
    full: dict[str, Any] = {name: "key" for name in (*cls.__struct_fields__,) if name != "metadata"}

    for values in (needed, full):
        action = cls(**values)
        assert render_action(action, world)
        assert get_action_type(action) in ACTIONS


def test_both_languages_tell_the_same() -> None:
    """Both languages have the same sentences."""
    assert find_phrasebook("en").lines.keys() == find_phrasebook("ja").lines.keys()
    assert find_phrasebook("en").plans.keys() == find_phrasebook("ja").plans.keys()


def test_states_and_hints_are_seen_from_close_by() -> None:
    """A thing's state and hint are shown when it is examined."""
    room = Id("room")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=Id("tv"), name="tv", kind="fixture", place=room, state=("off",),
                   hint="The plug lies beside it."),
            Entity(id=Id("ann"), name="Ann", kind="character", place=room),
            Entity(id=Id("knife"), name="knife", hidden=True, place=Id("ann")),
        ],
        [Location(id=room, name="Room")],
        protagonist=PLAYER,
    )  # fmt: skip

    assert ["It is off. The plug lies beside it."] == _narrate_text("x tv", world)
    assert ["You notice nothing special about Ann."] == _narrate_text("x Ann", world)


def test_a_place_can_be_used_as_far_as_the_book_allows() -> None:
    """Using a place changes nothing and is narrated in one line."""
    world = make_courtyard()
    claims = [{"type": "use", "targetId": "yard"}]
    turn, after = play_turn(SpokenWords(actor_id=PLAYER, text=""), claims, world, DEFAULT)

    assert 1 == len(narrate(turn, world, after))


def test_a_hidden_door_that_is_found_is_described() -> None:
    """A hidden door revealed by a search is narrated."""
    world = make_courtyard()
    gate = msgspec.structs.replace(world.entities[Id("gate")], hidden=True)
    others = [e for e in world.entities.values() if e.id != "gate"]
    secret = build_world([*others, gate], [*world.locations.values()], protagonist=PLAYER)

    lines = _narrate_text("search the yard", secret)

    assert "iron gate" in " ".join(lines)
