"""Checks against the front matter: speakers, assets, world, ids and title."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import msgspec

from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value
from saniwa.story.assets import AssetKind, NoAssets
from saniwa.story.elements import (
    PictureElement,
    SayElement,
    SoundElement,
    StoryScene,
    walk_elements,
)
from saniwa.story.evaluation import FUNCTIONS
from saniwa.story.lint.context import (
    LintContext,
    format_count,
    list_lines,
    make_finding,
    make_place,
    suggest_name,
)
from saniwa.story.program import AskOp, DoOp


def find_unknown_speakers(story: LintContext) -> Iterator[Finding]:
    """Find undeclared speakers, if any speakers are declared."""
    declared = [s.front.cast for s in story.scenes if s.front.cast is not None]
    if story.speakers is None and not declared:
        return
    known = {each.name for cast in declared for each in cast}
    known.update(story.speakers or ())
    for speaker, lines in _locate_unknown_speakers(story, known).items():
        first, near = lines[0], story.find_near(speaker, known)
        yield make_finding(
            "warning",
            "SPEAKER_UNKNOWN",
            first,
            f"nobody declares the speaker {quote_value(speaker)}",
            suggest_name(near, "add the name to cast in the front matter"),
            speaker=speaker,
            lines=list_lines(lines, first.file),
            **story.make_rewrite(first, speaker, near),
        )


def _locate_unknown_speakers(
    story: LintContext, known: set[str]
) -> dict[str, list[SourceLocation]]:
    """Map each unknown speaker to the places where they speak."""
    unknown = defaultdict(list)
    for scene in story.scenes:
        for said in walk_elements(scene.block):
            if isinstance(said, SayElement) and said.speaker and said.speaker not in known:
                where = make_place(scene.file, said.line, said.column)
                unknown[said.speaker].append(where)
    return unknown


class _AssetUse(msgspec.Struct, frozen=True):
    """A use of a picture, sound or film."""

    kind: AssetKind
    name: str
    where: SourceLocation


def _list_asset_uses(story: LintContext) -> Iterator[_AssetUse]:
    for scene in story.scenes:
        front = scene.front
        yield from _list_front_matter_assets(scene, "image", "background", front.background)
        yield from _list_front_matter_assets(scene, "bgm", "bgm", front.bgm)
    for file, picture in story.elements[PictureElement]:
        where = make_place(file, picture.line, picture.name_column or picture.column)
        yield _AssetUse("image", picture.name, where)
    for file, sound in story.elements[SoundElement]:
        where = make_place(file, sound.line, sound.name_column or sound.column)
        yield _AssetUse(sound.kind, sound.name, where)


def _list_front_matter_assets(
    scene: StoryScene, kind: AssetKind, key: str, name: str
) -> Iterator[_AssetUse]:
    document = scene.front.document
    if name and document is not None:
        where = document.locate([key])
        yield _AssetUse(kind, name, make_place(scene.file, where.line, where.column))


def find_outside_assets(story: LintContext) -> Iterator[Finding]:
    """Find pictures and sounds outside the asset folder."""
    for use in _list_first_uses(story):
        if story.assets.is_outside(use.name, use.kind):
            yield make_finding(
                "warning",
                "ASSET_OUTSIDE",
                use.where,
                f"{quote_value(use.name)} leads out of the asset folder; the host gets no path",
                "put the file into the asset folder and write its name from there",
                kind=use.kind,
                name=use.name,
            )


def find_unresolved_assets(story: LintContext) -> Iterator[Finding]:
    """Find pictures and sounds that do not exist."""
    lost = [
        use
        for use in _list_first_uses(story)
        if story.assets.find(use.kind, use.name) is None
        and not story.assets.is_outside(use.name, use.kind)
    ]
    placed = any(scene.front.assets for scene in story.scenes)
    if isinstance(story.assets, NoAssets) and not placed:
        yield from _report_missing_folder(lost)
        return
    for use in lost:
        near = story.find_near(use.name, story.assets.list_names(use.kind))
        yield make_finding(
            "warning",
            "ASSET_UNRESOLVED",
            use.where,
            f"there is no {_SORTS[use.kind]} {quote_value(use.name)} in the asset folder",
            suggest_name(near, "add the file; until then the host gets no path"),
            kind=use.kind,
            name=use.name,
            **story.make_rewrite(use.where, use.name, near),
        )


_SORTS: Final[dict[AssetKind, str]] = {
    "image": "picture",
    "bgm": "music",
    "se": "sound",
    "movie": "film",
}


def _report_missing_folder(lost: list[_AssetUse]) -> Iterator[Finding]:
    if not lost:
        return
    named = format_count(len(lost), "picture or sound is", "pictures and sounds are")
    yield make_finding(
        "warning",
        "ASSET_UNRESOLVED",
        lost[0].where,
        f"{named} named, and the story has no asset folder",
        "name the folder in the front matter: assets: FOLDER",
        count=len(lost),
    )


def _list_first_uses(story: LintContext) -> list[_AssetUse]:
    """List every asset once, where it is first named."""
    first: dict[tuple[str, str], _AssetUse] = {}
    for use in _list_asset_uses(story):
        first.setdefault((use.kind, use.name), use)
    return list(first.values())


_DEED = re.compile(r"\{[ \t]*+do[ \t]++")
_ITEM = re.compile(r"[-*+0-9]").match


def find_missing_world(story: LintContext) -> Iterator[Finding]:
    """Find uses of a world in a story without one."""
    if story.program.ground is not None:
        return
    for where, message in _list_world_uses(story):
        yield make_finding(
            "error",
            "WORLD_MISSING",
            where,
            message,
            "name a world in the front matter: scenario: FILE",
        )


def _list_world_uses(story: LintContext) -> Iterator[tuple[SourceLocation, str]]:
    """Yield every place that needs a world, and the reason."""
    for address, _ in story.list_ops(DoOp):
        where = _locate_deed(story, story.program.locate_op(address))
        yield where, "a deed needs a world, and there is none"
    for address, op in story.list_ops(AskOp):
        if not op.name:
            why = "an answer that no variable keeps is played in a world; there is none"
            yield story.program.locate_op(address), why
    for name, function in FUNCTIONS.items():
        for file, call in story.calls[name] if function.world else ():
            why = f"{name}(…) asks a world, and there is none"
            yield make_place(file, call.line, call.column), why


def _locate_deed(story: LintContext, where: SourceLocation) -> SourceLocation:
    """Locate the words of a deed: after `{do` at the end of an item."""
    line = story.get_line(where)
    groups = [*_DEED.finditer(line, where.column - 1)]
    at = groups[-1].end() if groups and _ITEM(line, where.column - 1) else -1
    return where if at < 0 else make_place(where.file, where.line, at + 1)


def find_duplicate_scene_ids(story: LintContext) -> Iterator[Finding]:
    """Find files with the id of another."""
    first: dict[str, str] = {}
    for scene in story.scenes:
        id, document = scene.front.id, scene.front.document
        if not id or document is None:
            continue
        if id not in first:
            first[id] = scene.file
            continue
        where = document.locate(["id"])
        yield make_finding(
            "error",
            "SCENE_ID_DUPLICATE",
            make_place(scene.file, where.line, where.column),
            f"the id {quote_value(id)} is already that of {first[id]!r}",
            "give one of the two files another id",
            id=id,
            file=first[id],
        )


def find_missing_title(story: LintContext) -> Iterator[Finding]:
    """Find a story that has front matter but no title."""
    scene = story.scenes[0]
    if scene.title or scene.front.document is None:
        return
    yield make_finding(
        "note",
        "TITLE_MISSING",
        make_place(scene.file, 1, 1),
        "the story has no title",
        "add a line such as # The bridge, or title: in the front matter",
    )


def find_missing_scene_id(story: LintContext) -> Iterator[Finding]:
    """Find front matter without an id."""
    for scene in story.scenes:
        document = scene.front.document
        if document is None or "id" in (document.plain or {}):
            continue
        yield make_finding(
            "warning",
            "SCENE_ID_MISSING",
            make_place(scene.file, 1, 1),
            "the front matter has no id",
            "add a line such as id: bridge",
        )
