"""A story independent of any format: `ink_form` and `markdown_form` write it down.

Every section begins with a line, so that no loop is silent.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from tests.strangers.expressions import Worth


class PlotValue(msgspec.Struct, frozen=True):
    """A value within a text."""

    worth: Worth
    """Which one."""


class PlotEither(msgspec.Struct, frozen=True):
    """One of two texts."""

    test: Worth
    """The condition that selects the first text."""
    yes: "Text"
    """The text if it holds."""
    no: "Text"
    """The text if it does not."""


class PlotTurns(msgspec.Struct, frozen=True):
    """Another text each time."""

    kind: Literal["", "&", "!"]
    """After the last text: `""` repeats it, `&` starts again with the first, `!` shows nothing."""
    texts: "tuple[Text, ...]"
    """The texts, in order."""


class PlotSign(msgspec.Struct, frozen=True):
    """Characters that mean something in one of the formats, and here do not."""

    letters: str
    """The characters."""


Part = str | PlotValue | PlotEither | PlotTurns | PlotSign
Text = tuple[Part, ...]
"""Words, with the parts between them."""


class PlotLine(msgspec.Struct, frozen=True):
    """A character's or the narrator's line."""

    text: Text
    """The words."""
    speaker: str = ""
    """Who says it; empty for the narrator."""
    tags: tuple[str, ...] = ()
    """Its tags."""
    more: tuple[Text, ...] = ()
    """Further lines of the same paragraph."""


class PlotAssignment(msgspec.Struct, frozen=True):
    """A variable changes."""

    name: str
    """Which one."""
    how: Literal["=", "+=", "-="]
    """The operator."""
    worth: Worth
    """The value."""


class PlotCondition(msgspec.Struct, frozen=True):
    """The block of the first case that holds is run; the last case may be for everything else."""

    cases: "tuple[tuple[Worth | None, Block], ...]"
    """Each case: its condition, None for always, and its block."""


class PlotJump(msgspec.Struct, frozen=True):
    """A jump to a label."""

    to: str
    """The label."""
    falls: bool = False
    """Whether it leads to the next section, so that Markdown need not write it."""


class PlotCall(msgspec.Struct, frozen=True):
    """A jump to a called part, which returns."""

    to: str
    """The label."""


class PlotLabel(msgspec.Struct, frozen=True):
    """A label in the middle of a section."""

    name: str
    """The label."""


class PlotReturn(msgspec.Struct, frozen=True):
    """The end of a called part."""

    falls: bool = False
    """Whether its section ends there too, so that Markdown need not write it."""


class PlotEnd(msgspec.Struct, frozen=True):
    """The story is over."""


class PlotOption(msgspec.Struct, frozen=True):
    """One option of a choice."""

    text: Text
    """Its text."""
    once: bool = False
    """Whether it disappears once chosen."""
    test: Worth | None = None
    """The condition for showing it."""
    name: str = ""
    """The name its choices are counted under, if a condition uses it."""
    tags: tuple[str, ...] = ()
    """Its tags."""
    fallback: bool = False
    """Whether it is never shown, and taken if no other option is left."""
    arm: "Block" = ()
    """The block that follows it."""
    onward: PlotJump | PlotCall | None = None
    """Where it leads after that block."""


class PlotChoice(msgspec.Struct, frozen=True):
    """A choice; the story continues below it afterwards."""

    options: tuple[PlotOption, ...]
    """Its options."""


Statement = (
    PlotLine
    | PlotAssignment
    | PlotCondition
    | PlotChoice
    | PlotJump
    | PlotCall
    | PlotLabel
    | PlotReturn
    | PlotEnd
)
Block = tuple[Statement, ...]
"""Statements, in order."""


class PlotSection(msgspec.Struct, frozen=True):
    """A part with its own label."""

    name: str
    """The label."""
    block: Block
    """Its statements."""
    within: str = ""
    """The section that contains it, in formats with nested sections."""


class Plot(msgspec.Struct, frozen=True):
    """A whole story; it begins with its first section."""

    variables: dict[str, float | bool | str]
    """Variables and their first values."""
    sections: tuple[PlotSection, ...]
    """The sections, each after the one that contains it."""


def iterate_statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block, including nested ones."""
    for each in block:
        yield each
        if isinstance(each, PlotCondition):
            for _, inner in each.cases:
                yield from iterate_statements(inner)
        elif isinstance(each, PlotChoice):
            for option in each.options:
                yield from iterate_statements(option.arm)
                if option.onward is not None:
                    yield option.onward
