"""What is wrong with a story as a whole: names that lead nowhere, ways that lead round.

What is wrong with a line by itself was found when it was read.
"""

from collections.abc import Sequence

from saniwa.core.finding import Finding
from saniwa.script.asset import Assets
from saniwa.script.node import Scene
from saniwa.script.program import Program


def lint(
    scenes: Sequence[Scene],  # noqa: ARG001
    program: Program,  # noqa: ARG001
    assets: Assets,  # noqa: ARG001
    cast: tuple[str, ...] | None,  # noqa: ARG001
) -> list[Finding]:
    """Everything found, check by check."""
    return []
