"""Load a story from its files: read, compile and lint it. The package's entry point.

The story begins in the first file; others are added by links that name them, and only
from the first one's folder. Every mistake is in the report; only a file that cannot be
read as text raises an error.
"""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from saniwa.core.findings import Finding, Report
from saniwa.story.assets import FolderAssets, is_outside_path
from saniwa.story.compile import compile_story
from saniwa.story.elements import FrontMatter, StoryScene
from saniwa.story.files import find_cast, is_linked_outside, read_linked_scenes, read_text_file
from saniwa.story.finding_collector import make_finding, make_more_finding
from saniwa.story.lint.linter import lint_story
from saniwa.story.parser.markdown import find_speakers, parse_scene
from saniwa.story.program import Program

MOST_FINDINGS = 1_000
"""The most findings reported for one file."""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A complete story."""

    scenes: tuple[StoryScene, ...]
    """Its files; the story begins in the first."""
    program: Program
    """The compiled program."""
    report: Report
    """All findings, in reading order."""
    assets: FolderAssets
    """Its pictures and sounds."""

    @property
    def title(self) -> str:
        """Its display name."""
        return self.scenes[0].title or Path(self.scenes[0].file).stem


def read_story(path: str | os.PathLike[str]) -> Story:
    """Read the story that begins in a file.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    file = os.fspath(path)
    return _build_story(file, read_text_file(file), Path(file).parent)


def parse_story(text: str, file: str = "story.md") -> Story:
    """Parse a story from a text; it has no other files and no assets."""
    return _build_story(file, text, None)


def read_story_text(
    text: str, path: str | os.PathLike[str], opened: Mapping[str, str] | None = None
) -> Story:
    """Read a story as if its first file had this text, for an editor.

    `opened` has the texts of other files that are not saved yet, by name.

    Raises:
        ScriptError: `STORY_UNREADABLE`, for another file of it.
    """
    file = os.fspath(path)
    return _build_story(file, text, Path(file).parent, opened)


def _build_story(
    file: str, text: str, folder: Path | None, opened: Mapping[str, str] | None = None
) -> Story:
    findings: list[Finding] = []
    outside: list[Finding] = []
    assets = FolderAssets()
    cast: tuple[str, ...] | None = None
    if folder is None:
        scenes = [parse_scene(text, file)]
    else:
        cast, findings = find_cast(folder)
        first = parse_scene(text, file, cast or ())
        scenes, wrong = read_linked_scenes(first, cast or (), opened or {})
        scenes = _reread_scenes(scenes, cast or ())
        findings += wrong
        assets, outside = _open_assets(first.front, folder)
        findings += outside
    program = compile_story(scenes)
    for scene in scenes:
        findings.extend(scene.findings)
    found = lint_story(scenes, program, assets, cast)
    if outside:
        # A folder outside is not read, so its content is unknown.
        found = [each for each in found if each.code != "ASSET_UNRESOLVED"]
    findings.extend(found)
    return Story(
        scenes=tuple(scenes),
        program=program,
        report=Report.from_findings(_limit_findings(findings)),
        assets=assets,
    )


def _reread_scenes(scenes: list[StoryScene], cast: tuple[str, ...]) -> list[StoryScene]:
    """Parse scenes again if a possible speaker is known to speak in another file."""
    if not any(scene.doubted for scene in scenes):
        return scenes
    known = frozenset(name for scene in scenes for name in find_speakers(scene))
    return [
        parse_scene(scene.text, scene.file, (*cast, *(scene.doubted & known)))
        if scene.doubted & known
        else scene
        for scene in scenes
    ]


def _limit_findings(findings: list[Finding]) -> list[Finding]:
    """Limit the findings per file, errors first; the rest are counted."""
    if len(findings) <= MOST_FINDINGS:
        return findings
    reported, more = list[Finding](), Counter[str]()
    count = Counter[str]()
    for finding in sorted(findings, key=lambda each: each.severity != "error"):
        file = finding.where.file
        if finding.code == "FINDINGS_MANY":
            more[file] += finding.details["more"]
            continue
        count[file] += 1
        if count[file] <= MOST_FINDINGS:
            reported.append(finding)
        else:
            more[file] += 1
    return reported + [make_more_finding(file, number) for file, number in more.items()]


def _open_assets(front: FrontMatter, folder: Path) -> tuple[FolderAssets, list[Finding]]:
    named, document = front.assets, front.document
    if not named or document is None:
        return FolderAssets(), []
    if not is_outside_path(named) and not is_linked_outside(folder / named, folder):
        return FolderAssets(folder / named), []
    where = document.locate(("assets",))
    return FolderAssets(), [make_finding("ASSET_OUTSIDE/folder", where, folder=named)]
