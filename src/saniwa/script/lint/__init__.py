"""What is wrong with a story as a whole: names that lead nowhere, ways that lead round.

What is wrong with a line by itself was found when it was read. Each check names its
offenders and knows nothing of the others; all of them together cost the length of the
story.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from saniwa.core.finding import Finding
from saniwa.script.asset import ListedAssets
from saniwa.script.lint.choices import (
    branch_single,
    choice_stuck,
    fallback_repeated,
    option_empty,
    options_many,
)
from saniwa.script.lint.ids import ids_missing, line_id_duplicate, option_unresolved
from saniwa.script.lint.labels import (
    file_unresolved,
    label_duplicate,
    label_unresolved,
    label_unused,
    visits_unresolved,
)
from saniwa.script.lint.speakers import speaker_unknown
from saniwa.script.lint.stage import asset_outside, asset_unresolved
from saniwa.script.lint.variables import (
    variable_kind,
    variable_reckoned,
    variable_undeclared,
    variable_unread,
)
from saniwa.script.lint.ways import (
    fall_through,
    loop_without_wait,
    section_unreachable,
)
from saniwa.script.lint.whole import Whole
from saniwa.script.lint.world import (
    scene_id_duplicate,
    scene_id_missing,
    title_missing,
    world_missing,
)
from saniwa.script.node import Scene
from saniwa.script.program import Program


def lint(
    scenes: Sequence[Scene],
    program: Program,
    assets: ListedAssets,
    cast: tuple[str, ...] | None,
) -> list[Finding]:
    """Everything found, check by check.

    `cast` are speakers declared outside the story; together with those of the front
    matter they are all who may speak. Where nobody declares any, anybody may.
    """
    story = Whole(scenes, program, assets, cast)
    checks = _CHECKS
    if any(scene.front.unread for scene in scenes):
        # Nobody knows what it declares; once it can be read, these have their say.
        checks = tuple(check for check in _CHECKS if check not in _ASKING_FRONT)
    return [finding for check in checks for finding in check(story)]


_CHECKS: Final[tuple[Callable[[Whole], Iterator[Finding]], ...]] = (
    label_duplicate,
    line_id_duplicate,
    scene_id_duplicate,
    loop_without_wait,
    asset_outside,
    world_missing,
    label_unresolved,
    file_unresolved,
    visits_unresolved,
    option_unresolved,
    asset_unresolved,
    variable_undeclared,
    variable_unread,
    variable_kind,
    variable_reckoned,
    speaker_unknown,
    section_unreachable,
    choice_stuck,
    option_empty,
    fall_through,
    branch_single,
    fallback_repeated,
    scene_id_missing,
    title_missing,
    options_many,
    ids_missing,
    label_unused,
)
_ASKING_FRONT: Final = frozenset(
    {
        world_missing,
        asset_unresolved,
        variable_undeclared,
        variable_unread,
        speaker_unknown,
        scene_id_missing,
        title_missing,
    }
)
"""Checks of what the front matter should have declared."""
