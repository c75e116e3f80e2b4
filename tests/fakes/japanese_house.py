"""A small house in Japanese, for turns: no file is read."""

from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Goal, Id, Location, Time, World

HANA = Id("花")


def make_house() -> World:
    """A gate with its key in a drawer, a bunch of keys, a box, a gardener, a sister."""
    garden, orchard, shed = Id("庭"), Id("果樹園"), Id("小屋")
    return build_world(
        [
            Entity(id=HANA, name="花", kind="character", place=garden),
            Entity(id=Id("庭師"), name="庭師", kind="character", place=garden),
            Entity(id=Id("机"), name="古い机", aliases=("机",), kind="supporter",
                   place=garden),
            Entity(id=Id("鍵"), name="真鍮の鍵", aliases=("鍵",), takeable=True,
                   place=Id("机"), description="小さな鍵だ。"),
            Entity(id=Id("本"), name="本", takeable=True, place=Id("机")),
            Entity(id=Id("鍵の束"), name="鍵の束", takeable=True, place=shed),
            Entity(id=Id("門"), name="鉄の門", aliases=("門", "扉", "ドア"), kind="door",
                   openable=True, open=False, lockable=True, locked=True,
                   required_key=Id("鍵"), connects=(garden, orchard)),
            Entity(id=Id("箱"), name="樫の箱", aliases=("箱",), kind="container",
                   openable=True, open=False, place=shed),
            Entity(id=Id("コイン"), name="銀のコイン", aliases=("コイン",), takeable=True,
                   place=Id("箱")),
            Entity(id=Id("パン"), name="パン", takeable=True, edible=True, place=shed),
            Entity(id=Id("指輪"), name="金の指輪", takeable=True, hidden=True, place=shed),
            Entity(id=Id("井戸"), name="井戸", kind="fixture", place=garden,
                   description="深い井戸だ。"),
        ],
        [
            Location(id=garden, name="庭", description="静かな庭。", exits=(
                Exit(to=orchard, label="北", door=Id("門")), Exit(to=shed, label="東"))),
            Location(id=orchard, name="果樹園", is_goal=True, exits=(
                Exit(to=garden, label="南", door=Id("門")),)),
            Location(id=shed, name="小屋", exits=(Exit(to=garden, label="西"),)),
        ],
        time=Time(label="朝"),
        goal=Goal(location=orchard, actor=HANA),
        protagonist=HANA,
        language="ja",
    )  # fmt: skip
