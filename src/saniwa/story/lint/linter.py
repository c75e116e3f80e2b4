"""Check a story as a whole: names without a target, flow that loops.

Mistakes in single lines are found by the parser. Each check reports its own findings
and is independent of the others; together they take time linear in the length of the
story.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from saniwa.core.findings import Finding
from saniwa.story.assets import ListedAssets
from saniwa.story.elements import StoryScene
from saniwa.story.lint.choices import (
    find_duplicate_ids,
    find_empty_options,
    find_long_choices,
    find_missing_ids,
    find_repeated_fallbacks,
    find_single_choices,
    find_stuck_choices,
    find_unresolved_options,
)
from saniwa.story.lint.context import LintContext
from saniwa.story.lint.front_matter import (
    find_duplicate_scene_ids,
    find_missing_scene_id,
    find_missing_title,
    find_missing_world,
    find_outside_assets,
    find_unknown_speakers,
    find_unresolved_assets,
)
from saniwa.story.lint.labels import (
    find_duplicate_labels,
    find_fall_through,
    find_loops_without_wait,
    find_unreachable_sections,
    find_unresolved_files,
    find_unresolved_labels,
    find_unresolved_visits,
    find_unused_labels,
)
from saniwa.story.lint.variables import (
    find_kind_mismatches,
    find_non_numeric_arithmetic,
    find_undeclared_variables,
    find_unread_variables,
)
from saniwa.story.program import Program


def lint_story(
    scenes: Sequence[StoryScene],
    program: Program,
    assets: ListedAssets,
    cast: tuple[str, ...] | None,
) -> list[Finding]:
    """Return all findings, check by check.

    `cast` are speakers declared outside the story; together with those of the front
    matter they are all that may speak. If none are declared, any name may.
    """
    story = LintContext(scenes, program, assets, cast)
    checks = _CHECKS
    if any(scene.front.unread for scene in scenes):
        # Its declarations are unknown; once it can be parsed, these checks run.
        checks = tuple(check for check in _CHECKS if check not in _FRONT_MATTER_CHECKS)
    return [finding for check in checks for finding in check(story)]


_CHECKS: Final[tuple[Callable[[LintContext], Iterator[Finding]], ...]] = (
    find_duplicate_labels,
    find_duplicate_ids,
    find_duplicate_scene_ids,
    find_loops_without_wait,
    find_outside_assets,
    find_missing_world,
    find_unresolved_labels,
    find_unresolved_files,
    find_unresolved_visits,
    find_unresolved_options,
    find_unresolved_assets,
    find_undeclared_variables,
    find_unread_variables,
    find_kind_mismatches,
    find_non_numeric_arithmetic,
    find_unknown_speakers,
    find_unreachable_sections,
    find_stuck_choices,
    find_empty_options,
    find_fall_through,
    find_single_choices,
    find_repeated_fallbacks,
    find_missing_scene_id,
    find_missing_title,
    find_long_choices,
    find_missing_ids,
    find_unused_labels,
)
_FRONT_MATTER_CHECKS: Final = frozenset(
    {
        find_missing_world,
        find_unresolved_assets,
        find_undeclared_variables,
        find_unread_variables,
        find_unknown_speakers,
        find_missing_scene_id,
        find_missing_title,
    }
)
"""Checks of what the front matter should have declared."""
