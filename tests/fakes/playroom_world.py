"""A playroom for tests of beliefs: two people, two boxes, a marble, a garden."""

from typing import Any

from saniwa.agent.mind.mind import Mind
from saniwa.agent.mind.perception import build_opening_mind, perceive
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location, Time, World
from tests.fakes.turns import speak

SALLY, ANNE = Id("sally"), Id("anne")
_WORDS = {
    "en": {
        "sally": "Sally", "anne": "Anne", "room": "Playroom", "garden": "Garden",
        "marble": "glass marble", "basket": "wicker basket", "box": "wooden box",
        "shelf": "shelf", "ring": "gold ring", "cellar": "Cellar", "coin": "old coin",
        "wish": "find the marble",
    },
    "ja": {
        "sally": "サリー", "anne": "アン", "room": "居間", "garden": "庭",
        "marble": "ビー玉", "basket": "かご", "box": "木箱", "shelf": "棚",
        "ring": "金の指輪", "cellar": "地下室", "coin": "古い硬貨",
        "wish": "ビー玉を見つける",
    },
}  # fmt: skip


def make_playroom(language: str = "en", *more: Entity) -> World:
    """Sally and Anne in a room; the marble is in an open basket next to a closed box.

    A ring is hidden on the `shelf`, and a coin is in the cellar beyond the garden.
    """
    words = _WORDS[language]
    room, garden, cellar = Id("room"), Id("garden"), Id("cellar")
    shut: dict[str, Any] = {"kind": "container", "openable": True}
    return build_world(
        [
            Entity(
                id=SALLY, name=words["sally"], kind="character", place=room, goals=(words["wish"],)
            ),
            Entity(id=ANNE, name=words["anne"], kind="character", place=room),
            Entity(id=Id("basket"), name=words["basket"], place=room, **shut),
            Entity(id=Id("box"), name=words["box"], place=room, open=False, **shut),
            Entity(id=Id("shelf"), name=words["shelf"], kind="supporter", place=room),
            Entity(id=Id("marble"), name=words["marble"], takeable=True, place=Id("basket")),
            Entity(
                id=Id("ring"), name=words["ring"], takeable=True, hidden=True, place=Id("shelf")
            ),
            Entity(id=Id("coin"), name=words["coin"], takeable=True, place=cellar),
            *more,
        ],
        [
            Location(id=room, name=words["room"], exits=(Exit(to=garden, label="out"),)),
            Location(
                id=garden,
                name=words["garden"],
                exits=(Exit(to=room, label="in"), Exit(to=cellar, label="down")),
            ),
            Location(id=cellar, name=words["cellar"], exits=(Exit(to=garden, label="up"),)),
        ],
        time=Time(label="noon"),
        protagonist=SALLY,
        language=language,
    )


def follow(world: World, who: Id, *said: tuple[str, str]) -> tuple[Mind, World]:
    """A character's mind after some turns of several characters, and the world."""
    mind = build_opening_mind(world, who)
    for actor, text in said:
        before, (turn, world) = world, speak(text, world, Id(actor))
        mind = perceive(mind, turn, before, world)
    return mind, world
