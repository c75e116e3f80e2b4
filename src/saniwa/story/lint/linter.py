"""Check a story as a whole: names without a target, flow that loops.

Mistakes in single lines are found by the parser. Each check reports its own findings
and is independent of the others; together they take time linear in the length of the
story.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from saniwa.core.findings import Finding
from saniwa.story.assets import FolderAssets
from saniwa.story.elements import StoryScene
from saniwa.story.lint import declarations, structure
from saniwa.story.lint.context import LintContext
from saniwa.story.program import Program


def lint_story(
    scenes: Sequence[StoryScene],
    program: Program,
    assets: FolderAssets,
    cast: tuple[str, ...] | None,
) -> list[Finding]:
    """Return all findings, check by check.

    `cast` are speakers declared outside the story; together with those of the front
    matter they are all that may speak. If none are declared, any name may.
    """
    story = LintContext(scenes, program, assets, cast)
    found = [finding for check in _CHECKS for finding in check(story)]
    if any(scene.front.unread for scene in scenes):
        # Its declarations are unknown; once it can be parsed, these are found.
        return [finding for finding in found if finding.code not in _ABOUT_FRONT_MATTER]
    if any(finding.severity == "error" for scene in scenes for finding in scene.findings):
        # What cannot be parsed may read a variable.
        return [finding for finding in found if finding.code != "VARIABLE_UNREAD"]
    return found


_CHECKS: Final[tuple[Callable[[LintContext], Iterator[Finding]], ...]] = (
    structure.find_empty_story,
    structure.find_duplicate_labels,
    structure.find_duplicate_ids,
    declarations.find_duplicate_scene_ids,
    structure.find_loops_without_wait,
    declarations.find_outside_assets,
    declarations.find_missing_world,
    structure.find_unresolved_labels,
    structure.find_arrow_links,
    structure.find_unresolved_files,
    structure.find_unresolved_visits,
    structure.find_unresolved_options,
    declarations.find_unresolved_assets,
    declarations.find_undeclared_variables,
    declarations.find_unread_variables,
    declarations.find_kind_mismatches,
    declarations.find_non_numeric_arithmetic,
    declarations.find_unknown_speakers,
    structure.find_unreachable_sections,
    structure.find_stuck_choices,
    structure.find_empty_options,
    structure.find_fall_through,
    structure.find_single_choices,
    structure.find_repeated_fallbacks,
    declarations.find_missing_scene_id,
    declarations.find_missing_title,
    structure.find_long_choices,
    structure.find_missing_ids,
    structure.find_unused_labels,
)
_ABOUT_FRONT_MATTER: Final = frozenset(
    {"WORLD_MISSING", "ASSET_UNRESOLVED", "VARIABLE_UNDECLARED", "VARIABLE_UNREAD"}
    | {"SPEAKER_UNKNOWN", "SCENE_ID_MISSING", "TITLE_MISSING"}
)
"""Findings about what the front matter should have declared."""
