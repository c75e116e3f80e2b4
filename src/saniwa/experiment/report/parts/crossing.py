"""Tables of something by condition, turned so that they stay readable."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from saniwa.experiment.report.blocks import Line, Name, Table, words
from saniwa.experiment.report.material import Material, left_out

WIDEST: Final = 6
"""Conditions that stand side by side; more stand below each other."""
Thing = TypeVar("Thing")


def crossed(
    material: Material,
    things: Sequence[Thing],
    called: Callable[[Thing], str],
    cell: Callable[[str, Thing], Line],
    *,
    anchor: str,
    caption: str,
    corner: str,
    note: str = "",
) -> Table:
    """Things by condition: `cell` tells what stands where the two meet."""
    conditions = [each.name for each in material.listed]
    note = " ".join(each for each in (note, left_out(material)) if each)
    if len(conditions) <= WIDEST:
        rows = [
            (words(called(each)), *(cell(name, each) for name in conditions))
            for each in things
        ]
        return Table(anchor, caption, (corner, *conditions), tuple(rows), note)
    rows = [
        ((Name(name),), *(cell(name, each) for each in things)) for name in conditions
    ]
    head = ("Condition", *map(called, things))
    return Table(anchor, caption, head, tuple(rows), note)
