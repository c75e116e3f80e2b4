"""A small kitchen for tests of crafts, built from records."""

from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location, World
from tests.fakes.worlds import PLAYER

HERE = Id("kitchen")


def make_kitchen(language: str = "en") -> World:
    """You hold a knife and a carrot; a leek and a stove are here, and a soup can be made."""
    japanese = language == "ja"

    def choose_name(english: str, other: str) -> str:
        return other if japanese else english

    return build_world(
        [
            Entity(
                id=PLAYER,
                name=choose_name("you", "あなた"),
                kind="character",
                place=HERE,
                attributes={"hands": 3},
            ),
            Entity(id=Id("ann"), name=choose_name("Ann", "アン"), kind="character", place=HERE),
            Entity(
                id=Id("knife"),
                name=choose_name("knife", "ナイフ"),
                takeable=True,
                place=PLAYER,
                attributes={"sharp": True},
            ),
            Entity(
                id=Id("carrot"),
                name=choose_name("carrot", "にんじん"),
                takeable=True,
                edible=True,
                place=PLAYER,
                attributes={"raw": True, "uncut": True},
            ),
            Entity(
                id=Id("leek"),
                name=choose_name("leek", "ねぎ"),
                takeable=True,
                place=HERE,
                attributes={"needs_cooking": True, "uncut": True},
            ),
            Entity(
                id=Id("stove"),
                name=choose_name("stove", "コンロ"),
                kind="supporter",
                place=HERE,
                attributes={"heat": "fried"},
            ),
            Entity(
                id=Id("soup"),
                name=choose_name("soup", "スープ"),
                attributes={
                    "ingredients": ["carrot", "leek", "dragon", 3, "carrot"],
                    "garnish": "carrot",
                    "made_in": HERE,
                },
            ),
            Entity(
                id=Id("salad"),
                name=choose_name("salad", "サラダ"),
                takeable=True,
                attributes={"ingredients": ["carrot", "leek"], "made_in": HERE},
            ),
        ],
        [
            Location(id=HERE, name=HERE, exits=(Exit(to=Id("yard"), label="south"),)),
            Location(id=Id("yard"), name="yard", exits=(Exit(to=HERE, label="north"),)),
        ],
        protagonist=PLAYER,
        language=language,
    )
