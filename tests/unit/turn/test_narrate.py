from typing import Any

import msgspec
import pytest

from saniwa.language.phrasebook import find_phrasebook
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import narrate, number_options, render_action
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import ACTIONS, Action, Put, Take, get_action_type
from saniwa.world.canonical import build_world
from saniwa.world.model import Entity, Goal, Id, Location, World
from tests.fakes.pantry import pantry
from tests.fakes.rooms_ja import house
from tests.fakes.turns import DEFAULT, speak, world_after
from tests.fakes.worlds import PLAYER, garden


def _told(text: str, world: World, viewer: Id | None = None) -> list[str]:
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
def test_what_happened_is_told_in_plain_english(
    before: tuple[str, ...], text: str, expected: str
) -> None:
    """Each action has its sentence."""
    assert expected == _told(text, world_after(garden(), *before))[0]


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ((), "鍵を取る", "真鍮の鍵を取った。"),
        (("鍵を取る",), "門を開ける", "鉄の門の鍵を外して開けた。"),
        (("東へ",), "箱を開ける", "樫の箱を開けた。中には銀のコインがある。"),
        (("東へ",), "部屋を調べる", "小屋を調べた。金の指輪を見つけた。"),
        ((), "井戸を見る", "深い井戸だ。"),
        ((), "あ", "「あ」の意味がわかりません。（「鍵を取る」「北へ行く」のように行動を書き、台詞は「」で囲んでください）"),
    ],
)  # fmt: skip
def test_what_happened_is_told_in_plain_japanese(
    before: tuple[str, ...], text: str, expected: str
) -> None:
    """The same turns are told in the language of the world."""
    assert [expected] == _told(text, world_after(house(), *before))


def test_moving_shows_the_new_place_and_the_goal() -> None:
    """Whoever arrives sees where they are; at the goal the story says so."""
    told = _told("take the key, open the gate, go north", garden())

    assert "Orchard" in told
    assert "You have reached the end of this story. Well done." == told[-1]


def test_looking_shows_the_place() -> None:
    """Looking around and looking at the room are the same sight."""
    assert _told("look", garden()) == _told("examine the yard", garden())


def test_speech_has_a_speaker() -> None:
    """Words said aloud are the speaker's line, not the narrator's."""
    world = pantry()
    turn, after = speak('say "Hello."', world)

    assert (NarrationLine(speaker="Anna", text="Hello."),) == narrate(turn, world, after)


def test_rejections_and_actions_come_in_the_order_of_the_words() -> None:
    """A misunderstood clause is told where it stood."""
    told = _told("take the key. xyzzy. wait. plugh", garden())

    assert [True, False, True, False] == [
        line.startswith(("You take", "A moment")) for line in told
    ]


def test_others_are_told_about_in_the_third_person() -> None:
    """Whoever watches reads who did it, and only what happens where they are."""
    bert = Id("bert")
    world = pantry()
    told = [
        *_told("take Bread and Butter, look at the shelf, wait, look", world, bert),
        *_told("search the shelf. give the red apple to Bert", world, bert),
        *_told("put the red apple in the drop box", world, bert),
        *_told("unlock the hall door, open it, go through it", world, bert),
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


def test_what_happens_elsewhere_is_not_told() -> None:
    """Nobody reads what they cannot see, but sees who comes in."""
    bert = Id("bert")
    world = world_after(pantry(), "open the hall door with the hall key", "go to the hall")

    assert [] == _told("drop the red apple", world, bert)
    assert ["Anna comes in."] == _told("go to the pantry", world, bert)


def test_an_authors_words_for_using_a_thing_are_told() -> None:
    """Under `attributes.use`, a message is told; a new state or a flag speaks for itself."""
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
    ] == _told("use bell, use gong, use horn, use lamp, use lever", world)
    watched = msgspec.structs.replace(world, language="ja")
    assert ["ごーん。"] == _told("use gong", watched)


def test_the_goal_has_its_own_last_words() -> None:
    """An author's ending is told instead of the plain one."""
    goal = Goal(location=Id("orchard"), message="The apples are yours.")
    world = msgspec.structs.replace(garden(), goal=goal)
    ready = world_after(world, "take key", "open gate")

    assert "The apples are yours." == _told("north", ready)[-1]


def test_nobody_else_is_you() -> None:
    """Whom the author calls "you" goes by their id in front of others."""
    keeper = Id("keeper")
    world = world_after(garden(), "take key")

    def seen(text: str, actor: Id) -> list[str]:
        turn, after = speak(text, world, actor)
        return [f"{t.speaker} {t.text}".strip() for t in narrate(turn, world, after, keeper)]

    assert "Player is here." in seen("look", keeper)[1]
    assert ["Player is holding a brass key."] == seen("look at you", keeper)
    assert ["Player puts the brass key down."] == seen("drop key", PLAYER)
    assert ["Player Good morning."] == seen('say "Good morning."', PLAYER)
    assert ["Player leaves for the Shed."] == seen("east", PLAYER)
    assert ["You give the brass key to Player."] == [
        line.text
        for line in narrate(
            *_played_by(keeper, {"type": "give", "targetId": "key", "recipientId": "player"})
        )
    ]


def _played_by(actor: Id, claim: dict[str, Any]) -> tuple[Turn, World, World]:
    world = world_after(garden(), "take key", "give key to groundskeeper")
    turn, after = play_turn(SpokenWords(actor_id=actor, text="x"), [claim], world, DEFAULT)
    return turn, world, after


def test_game_masters_actions_are_told() -> None:
    """Somebody brought in and something described are lines too."""
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


def test_a_refusal_is_told_in_the_words_of_the_book() -> None:
    """The verdict's message and its hint are the line, with what the speaker called it."""
    turn = speak("take the bras key", garden()).turn
    message = turn.validation_results[0].message

    assert "You see no such thing here." == message
    expected = "You see no such thing here: “the bras key”. (did you mean “brass key”?)"
    assert [expected] == _told("take the bras key", garden())


def test_what_is_not_to_be_seen_is_called_by_the_speakers_words() -> None:
    """A refusal never tells the world's name of an unseen thing; ids stay unspoken."""
    assert [
        "You see no such thing here: “chest”.",
        "You see no such thing here: “the coin”.",
    ] == _told("open chest, take the coin", garden())
    assert ["「箱」？ そのようなものは見当たらない。"] == _told("箱を開ける", house())
    turn, after = play_turn(
        SpokenWords(actor_id=PLAYER, text="x"),
        [{"type": "take", "targetId": "ring"}],
        garden(),
        DEFAULT,
    )
    assert ["You see no such thing here."] == [line.text for line in narrate(turn, garden(), after)]


def test_nothing_is_refused_twice_in_the_same_words() -> None:
    """One turn tells a refusal and a hint once."""
    twice = _told("take the moon, take the moon, take the sun", garden())

    assert [
        "You see no such thing here: “the moon”.",
        "You see no such thing here: “the sun”.",
    ] == twice


def test_a_wrong_key_is_hinted_at_once() -> None:
    """The lock and the door that stays locked share one hint."""
    things = dict(garden().entities)
    things[Id("gate")] = msgspec.structs.replace(things[Id("gate")], hint="Try brass.")
    world = build_world([*things.values()], [*garden().locations.values()], protagonist=PLAYER)
    world = world_after(world, "east", "take rusty key", "west")
    told = _told("open the gate with the rusty key", world)

    assert 2 == len(told)
    assert 1 == " ".join(told).count("Try brass.")


def test_rejections_keep_their_place_among_many_actions() -> None:
    """Lines come in the order of what was said, also where "all" became several."""
    world = world_after(garden(), "east")

    assert [
        "I do not understand “xyzzy”.",
        "You take the loaf of bread.",
        "You take the rusty key.",
        "I do not understand “plugh”.",
        "You put the rusty key down.",
    ] == [t.split(" (")[0] for t in _told("xyzzy. take all. plugh. drop the rusty key", world)]


def test_options_can_be_numbered_for_plain_hosts() -> None:
    """A host that shows only text lists the options from one."""
    turn = speak("take a coin", pantry()).turn

    assert turn.clarification is not None
    assert ["  1. copper coin (here)", "  2. copper coin (on shelf)"] == [
        line.text for line in number_options(turn.clarification)
    ]


def test_an_action_is_told_in_a_few_words() -> None:
    """Hosts can name an action without playing it."""
    world = garden()
    take = Take(actor_id=PLAYER, target_id=Id("key"), source_id=Id("bench"))
    put = Put(actor_id=PLAYER, target_id=Id("key"), destination_id=Id("chest"))

    assert "take the brass key from the bench" == render_action(take, world)
    assert "put the brass key into the oak chest" == render_action(put, world)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("cls", ACTIONS.values(), ids=ACTIONS)
def test_every_action_has_its_words(language: str, cls: type[Action]) -> None:
    """No action of the union, with or without its options, lacks a plan."""
    world = house() if language == "ja" else garden()
    needed: dict[str, Any] = {
        f.name: "key" for f in msgspec.structs.fields(cls) if f.default is msgspec.NODEFAULT
    }
    full: dict[str, Any] = {name: "key" for name in (*cls.__struct_fields__,) if name != "metadata"}

    for values in (needed, full):
        action = cls(**values)
        assert render_action(action, world)
        assert get_action_type(action) in ACTIONS


def test_both_languages_tell_the_same_things() -> None:
    """A sentence one language has, the other has too."""
    assert find_phrasebook("en").lines.keys() == find_phrasebook("ja").lines.keys()
    assert find_phrasebook("en").plans.keys() == find_phrasebook("ja").plans.keys()


def test_states_and_hints_are_seen_from_close_by() -> None:
    """A thing's state and its word of help are told to whoever looks closely."""
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

    assert ["It is off. The plug lies beside it."] == _told("x tv", world)
    assert ["You notice nothing special about Ann."] == _told("x Ann", world)


def test_a_place_can_be_used_as_far_as_the_book_allows() -> None:
    """Using a place changes nothing and is told without ado."""
    world = garden()
    claims = [{"type": "use", "targetId": "yard"}]
    turn, after = play_turn(SpokenWords(actor_id=PLAYER, text=""), claims, world, DEFAULT)

    assert 1 == len(narrate(turn, world, after))


def test_a_hidden_door_that_is_found_is_told() -> None:
    """Searching a room tells of the door that comes to light."""
    world = garden()
    gate = msgspec.structs.replace(world.entities[Id("gate")], hidden=True)
    others = [e for e in world.entities.values() if e.id != "gate"]
    secret = build_world([*others, gate], [*world.locations.values()], protagonist=PLAYER)

    lines = _told("search the yard", secret)

    assert "iron gate" in " ".join(lines)
