"""Pictures, sounds and films: outside the asset folder, or not there."""

from collections.abc import Iterator
from typing import Final

import msgspec

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.asset import AssetKind, NoAssets
from saniwa.script.lint.telling import counted, found, guess, place
from saniwa.script.lint.whole import Whole
from saniwa.script.node import Picture, Scene, Sound


class _Prop(msgspec.Struct, frozen=True):
    """A picture, sound or film that is named somewhere."""

    kind: AssetKind
    name: str
    where: Where


def _props(story: Whole) -> Iterator[_Prop]:
    for scene in story.scenes:
        front = scene.front
        yield from _in_front(scene, "image", "background", front.background)
        yield from _in_front(scene, "bgm", "bgm", front.bgm)
    for file, picture in story.elements[Picture]:
        where = place(file, picture.line, picture.name_column or picture.column)
        yield _Prop("image", picture.name, where)
    for file, sound in story.elements[Sound]:
        where = place(file, sound.line, sound.name_column or sound.column)
        yield _Prop(sound.kind, sound.name, where)


def _in_front(scene: Scene, kind: AssetKind, key: str, name: str) -> Iterator[_Prop]:
    document = scene.front.document
    if name and document is not None:
        where = document.where([key])
        yield _Prop(kind, name, place(scene.file, where.line, where.column))


def asset_outside(story: Whole) -> Iterator[Finding]:
    """Pictures and sounds outside the asset folder."""
    for prop in _first(story):
        if story.assets.leaves(prop.name, prop.kind):
            yield found(
                "warning",
                "ASSET_OUTSIDE",
                prop.where,
                f"{quoted(prop.name)} leads out of the asset folder; "
                "the host gets no path",
                "put the file into the asset folder and write its name from there",
                kind=prop.kind,
                name=prop.name,
            )


def asset_unresolved(story: Whole) -> Iterator[Finding]:
    """Pictures and sounds that are nowhere."""
    lost = [
        prop
        for prop in _first(story)
        if story.assets.find(prop.kind, prop.name) is None
        and not story.assets.leaves(prop.name, prop.kind)
    ]
    placed = any(scene.front.assets for scene in story.scenes)
    if isinstance(story.assets, NoAssets) and not placed:
        yield from _no_folder(lost)
        return
    for prop in lost:
        near = story.near(prop.name, story.assets.names(prop.kind))
        yield found(
            "warning",
            "ASSET_UNRESOLVED",
            prop.where,
            f"there is no {_SORTS[prop.kind]} {quoted(prop.name)} in the asset folder",
            guess(near, "add the file; until then the host gets no path"),
            kind=prop.kind,
            name=prop.name,
            **story.rewrite(prop.where, prop.name, near),
        )


_SORTS: Final[dict[AssetKind, str]] = {
    "image": "picture",
    "bgm": "music",
    "se": "sound",
    "movie": "film",
}


def _no_folder(lost: list[_Prop]) -> Iterator[Finding]:
    if not lost:
        return
    named = counted(len(lost), "picture or sound is", "pictures and sounds are")
    yield found(
        "warning",
        "ASSET_UNRESOLVED",
        lost[0].where,
        f"{named} named, and the story has no asset folder",
        "name the folder in the front matter: assets: FOLDER",
        count=len(lost),
    )


def _first(story: Whole) -> list[_Prop]:
    """Every asset once, where it is first named."""
    first: dict[tuple[str, str], _Prop] = {}
    for prop in _props(story):
        first.setdefault((prop.kind, prop.name), prop)
    return list(first.values())
