"""Shrinks a plot that shows a difference, by leaving out whatever is not needed."""

from collections.abc import Callable, Iterator

from msgspec.json import encode
from msgspec.structs import replace

from tests.strangers.plot import Block, Plot, PlotChoice, PlotCondition, PlotLine, Statement

_MOST_TRIES = 1000


def shrink_plot(plot: Plot, shows: Callable[[Plot], bool]) -> Plot:
    """A plot from which nothing more can be left out, or the smallest after the last try."""
    tries, found = 0, True
    while found:
        found = False
        # The largest cuts first: most of a story has nothing to do with the difference.
        for smaller in sorted(_iterate_smaller(plot), key=lambda each: len(encode(each))):
            tries += 1
            if tries > _MOST_TRIES:
                return plot
            if shows(smaller):
                plot, found = smaller, True
                break
    return plot


def _iterate_smaller(plot: Plot) -> Iterator[Plot]:
    for nth, section in enumerate(plot.sections):
        if nth:
            others = (*plot.sections[:nth], *plot.sections[nth + 1 :])
            yield replace(plot, sections=others)
        for block in _iterate_blocks(section.block):
            sections = list(plot.sections)
            sections[nth] = replace(section, block=block)
            yield replace(plot, sections=tuple(sections))
    for name in plot.variables:
        left = {n: first for n, first in plot.variables.items() if n != name}
        yield replace(plot, variables=left)


def _iterate_blocks(block: Block) -> Iterator[Block]:
    """The block without one of its statements, or with a smaller one."""
    for nth, each in enumerate(block):
        before, after = block[:nth], block[nth + 1 :]
        # The last statement leads on; without it a format may have no valid story.
        if after:
            yield (*before, *after)
        for smaller in _iterate_statements(each):
            yield (*before, smaller, *after)


def _iterate_statements(each: Statement) -> Iterator[Statement]:
    match each:
        case PlotLine(text=text):
            if each.more or each.tags or each.speaker:
                yield PlotLine(text)
            for nth in range(len(text) if len(text) > 1 else 0):
                yield replace(each, text=(*text[:nth], *text[nth + 1 :]))
        case PlotCondition(cases=cases):
            for nth, (test, block) in enumerate(cases):
                if len(cases) > 1:
                    yield PlotCondition((*cases[:nth], *cases[nth + 1 :]))
                for smaller in _iterate_blocks(block):
                    yield PlotCondition((*cases[:nth], (test, smaller), *cases[nth + 1 :]))
        case PlotChoice(options=options):
            for nth, option in enumerate(options):
                before, after = options[:nth], options[nth + 1 :]
                if len(options) > 1:
                    yield PlotChoice((*before, *after))
                if option.arm:
                    yield PlotChoice((*before, replace(option, arm=()), *after))
                for smaller in _iterate_blocks(option.arm):
                    yield PlotChoice((*before, replace(option, arm=smaller), *after))
