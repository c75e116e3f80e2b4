"""A pantry with difficult names, for turns: no file is read."""

from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location, World

ANNA = Id("anna")


def make_pantry() -> World:
    """Names inside names, two coins, a box whose name has a verb in it, and two doors."""
    room, hall, cellar = Id("pantry"), Id("hall"), Id("cellar")
    return build_world(
        [
            Entity(id=ANNA, name="Anna", kind="character", place=room),
            Entity(id=Id("bert"), name="Bert", kind="character", place=room),
            Entity(id=Id("carla"), name="Carla", kind="character", place=room),
            Entity(id=Id("tin"), name="Bread and Butter", takeable=True, place=room),
            Entity(id=Id("bread"), name="bread", takeable=True, edible=True, place=room),
            Entity(id=Id("butter"), name="butter", takeable=True, edible=True,
                   place=room),
            Entity(id=Id("coin-1"), name="copper coin", takeable=True, place=room),
            Entity(id=Id("coin-2"), name="copper coin", takeable=True,
                   place=Id("shelf")),
            Entity(id=Id("shelf"), name="shelf", kind="supporter", place=room),
            Entity(id=Id("box"), name="drop box", kind="container", openable=True,
                   open=True, place=room),
            Entity(id=Id("print"), name="Cat in the Hat", aliases=("picture",),
                   kind="fixture", place=room),
            Entity(id=Id("apple"), name="red apple", takeable=True, edible=True,
                   place=ANNA),
            Entity(id=Id("apple-2"), name="green apple", takeable=True, edible=True,
                   place=Id("shelf")),
            Entity(id=Id("hall-door"), name="hall door", kind="door", openable=True,
                   open=False, lockable=True, locked=True, required_key=Id("hall-key"),
                   connects=(room, hall)),
            Entity(id=Id("cellar-door"), name="cellar door", kind="door", openable=True,
                   open=False, lockable=True, locked=True,
                   required_key=Id("cellar-key"), connects=(room, cellar)),
            Entity(id=Id("hall-key"), name="hall key", takeable=True, place=ANNA),
            Entity(id=Id("cellar-key"), name="cellar key", takeable=True, place=ANNA),
        ],
        [
            Location(id=room, name="Pantry", exits=(
                Exit(to=hall, door=Id("hall-door")),
                Exit(to=cellar, label="down", door=Id("cellar-door")))),
            Location(id=hall, name="Great Hall", exits=(
                Exit(to=room, door=Id("hall-door")),)),
            Location(id=cellar, name="Cellar", exits=(
                Exit(to=room, label="up", door=Id("cellar-door")),)),
        ],
        protagonist=ANNA,
    )  # fmt: skip
