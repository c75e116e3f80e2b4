"""One story, told in no notation: what `ink_form` and `markdown_form` write down.

Every section begins with a line, so that going round in circles is never silent.
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
    """Which one: the first if it holds."""
    yes: "Text"
    """The first."""
    no: "Text"
    """The second."""


class PlotTurns(msgspec.Struct, frozen=True):
    """Another text each time."""

    kind: Literal["", "&", "!"]
    """And then: the last for ever, the first again, nothing."""
    texts: "tuple[Text, ...]"
    """The texts, in order."""


class PlotSign(msgspec.Struct, frozen=True):
    """Letters that mean something in one notation or the other, and here do not."""

    letters: str
    """The letters."""


Part = str | PlotValue | PlotEither | PlotTurns | PlotSign
Text = tuple[Part, ...]
"""Words, and what stands among them."""


class PlotLine(msgspec.Struct, frozen=True):
    """Somebody says something, or it is told."""

    text: Text
    """The words."""
    speaker: str = ""
    """Who says it; empty for the narrator."""
    tags: tuple[str, ...] = ()
    """What is attached to it."""
    more: tuple[Text, ...] = ()
    """Further lines of the same paragraph."""


class PlotAssignment(msgspec.Struct, frozen=True):
    """A variable changes."""

    name: str
    """Which one."""
    how: Literal["=", "+=", "-="]
    """How."""
    worth: Worth
    """By what."""


class PlotCondition(msgspec.Struct, frozen=True):
    """The first case that holds happens; the last may be for everything else."""

    cases: "tuple[tuple[Worth | None, Block], ...]"
    """What is asked, None for what always holds, and what happens."""


class PlotJump(msgspec.Struct, frozen=True):
    """The story goes on elsewhere."""

    to: str
    """The label there."""
    falls: bool = False
    """Whether it leads to the next section, so that we need not write it."""


class PlotCall(msgspec.Struct, frozen=True):
    """It goes there and comes back."""

    to: str
    """The label there."""


class PlotLabel(msgspec.Struct, frozen=True):
    """A label in the middle of a section."""

    name: str
    """The label."""


class PlotReturn(msgspec.Struct, frozen=True):
    """A called part is over."""

    falls: bool = False
    """Whether its section is over too, so that we need not write it."""


class PlotEnd(msgspec.Struct, frozen=True):
    """The story is over."""


class PlotOption(msgspec.Struct, frozen=True):
    """One of the things that can be chosen."""

    text: Text
    """How it reads."""
    once: bool = False
    """Whether it is gone once it was chosen."""
    test: Worth | None = None
    """When it can be seen at all."""
    name: str = ""
    """What it is counted under, where somebody asks."""
    tags: tuple[str, ...] = ()
    """What is attached to it."""
    fallback: bool = False
    """Whether it is never seen, and taken where nothing else can be."""
    arm: "Block" = ()
    """What follows from it."""
    onward: PlotJump | PlotCall | None = None
    """Where it leads after that."""


class PlotChoice(msgspec.Struct, frozen=True):
    """Something is chosen; afterwards the block goes on."""

    options: tuple[PlotOption, ...]
    """What can be."""


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
"""What happens, one after the other."""


class PlotSection(msgspec.Struct, frozen=True):
    """A part with a label of its own."""

    name: str
    """The label."""
    block: Block
    """What happens in it."""
    within: str = ""
    """The section it is a part of in notations that have parts of parts."""


class Plot(msgspec.Struct, frozen=True):
    """A whole story; it begins with its first section."""

    variables: dict[str, float | bool | str]
    """Variables and their first values."""
    sections: tuple[PlotSection, ...]
    """The sections, each after the one it is within."""


def iterate_statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block, those inside others too."""
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
