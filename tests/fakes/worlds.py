"""Small worlds for tests, built from records: no file is read."""

from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Goal, Id, Location, Time, World

PLAYER = Id("player")


def make_courtyard() -> World:
    """A gate, its key on a bench, a chest with a coin, a loaf, a groundskeeper."""
    yard, orchard, shed = Id("yard"), Id("orchard"), Id("shed")
    return build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=yard),
            Entity(id=Id("keeper"), name="groundskeeper", kind="character", place=yard),
            Entity(id=Id("bench"), name="bench", kind="supporter", place=yard),
            Entity(
                id=Id("key"), name="brass key", aliases=("key",), takeable=True, place=Id("bench")
            ),
            Entity(id=Id("rusty"), name="rusty key", aliases=("key",), takeable=True, place=shed),
            Entity(
                id=Id("gate"),
                name="iron gate",
                aliases=("gate", "door"),
                kind="door",
                openable=True,
                open=False,
                lockable=True,
                locked=True,
                required_key=Id("key"),
                connects=(yard, orchard),
            ),
            Entity(
                id=Id("chest"),
                name="oak chest",
                aliases=("chest",),
                kind="container",
                openable=True,
                open=False,
                place=shed,
            ),
            Entity(id=Id("coin"), name="silver coin", takeable=True, place=Id("chest")),
            Entity(
                id=Id("loaf"),
                name="loaf of bread",
                aliases=("bread",),
                takeable=True,
                edible=True,
                place=shed,
            ),
            Entity(id=Id("ring"), name="gold ring", takeable=True, hidden=True, place=shed),
            Entity(id=Id("well"), name="old well", kind="fixture", place=yard),
        ],
        [
            Location(
                id=yard,
                name="Yard",
                exits=(
                    Exit(to=orchard, label="north", door=Id("gate")),
                    Exit(to=shed, label="east"),
                ),
            ),
            Location(
                id=orchard,
                name="Orchard",
                is_goal=True,
                exits=(Exit(to=yard, label="south", door=Id("gate")),),
            ),
            Location(id=shed, name="Shed", exits=(Exit(to=yard, label="west"),)),
        ],
        time=Time(label="morning"),
        goal=Goal(location=orchard, actor=PLAYER),
        protagonist=PLAYER,
    )
