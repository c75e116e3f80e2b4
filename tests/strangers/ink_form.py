"""A plot, written as ink."""

from collections.abc import Iterator

from tests.strangers.expressions import Worth, render_constant, spell_expression
from tests.strangers.plot import (
    Block,
    Part,
    Plot,
    PlotAssignment,
    PlotCall,
    PlotChoice,
    PlotCondition,
    PlotEither,
    PlotEnd,
    PlotJump,
    PlotLabel,
    PlotLine,
    PlotOption,
    PlotReturn,
    PlotSection,
    PlotSign,
    PlotTurns,
    PlotValue,
    Text,
    iterate_statements,
)


def write_ink(plot: Plot) -> str:
    """The plot's ink."""
    return "\n".join(_InkWriter(plot).write_lines()) + "\n"


class _InkWriter:
    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self._paths = {each.name: _name_path(each) for each in plot.sections}
        for section in plot.sections:
            for each in iterate_statements(section.block):
                if isinstance(each, PlotLabel):
                    self._paths[each.name] = f"{_name_path(section)}.{each.name}"
                elif isinstance(each, PlotChoice):
                    for option in each.options:
                        if option.name:
                            where = f"{_name_path(section)}.{option.name}"
                            self._paths[option.name] = where
        self._counted = {each.name: self._name_counter(each) for each in plot.sections}

    def write_lines(self) -> Iterator[str]:
        for name, first in self._plot.variables.items():
            yield f"VAR {name} = {render_constant(first)}"
        yield f"-> {self._plot.sections[0].name}"
        for section in self._plot.sections:
            yield f"= {section.name}" if section.within else f"=== {section.name}"
            if self._counted[section.name] != self._paths[section.name]:
                yield f"- ({section.name}_top)"
            yield from self._write_block(section.block, 1)

    def _name_counter(self, section: PlotSection) -> str:
        """The name whose visits ink counts in the way Saniwa counts a section's.

        ink counts a knot when it is entered from outside, also in the middle; a label at its top is
        counted every time it is passed, as Saniwa counts labels.
        """
        sections = self._plot.sections
        places = {each.name for each in sections}
        jumps = [
            (source, each.to)
            for source in sections
            for each in iterate_statements(source.block)
            if isinstance(each, PlotJump | PlotCall)
        ]
        plain = (
            all(to in places for _, to in jumps)
            and not any(each.within for each in sections)
            and (section, section.name) not in jumps
        )
        path = _name_path(section)
        return path if plain else f"{path}.{section.name}_top"

    def _write_block(self, block: Block, depth: int) -> Iterator[str]:
        pad = "  " * (depth - 1)
        for each in block:
            match each:
                case PlotLine():
                    yield pad + self._write_line(each)
                    yield from (pad + self._write_text(text) for text in each.more)
                case PlotAssignment():
                    yield f"{pad}~ {each.name} {each.how} {self._write_worth(each.worth)}"
                case PlotCondition():
                    yield from self._write_when(each, depth)
                case PlotChoice():
                    for option in _complete(each):
                        yield from self._write_option(option, depth)
                    yield f"{pad}{'- ' * depth}"
                case PlotJump():
                    yield f"{pad}-> {self._paths[each.to]}"
                case PlotCall():
                    yield f"{pad}-> {self._paths[each.to]} ->"
                case PlotLabel():
                    yield f"{pad}{'- ' * depth}({each.name})"
                case PlotReturn():
                    yield f"{pad}->->"
                case PlotEnd():
                    yield f"{pad}-> END"

    def _write_line(self, line: PlotLine) -> str:
        said = f"{line.speaker}: " if line.speaker else ""
        tags = "".join(f" # {tag}" for tag in line.tags)
        return f"{said}{self._write_text(line.text)}{tags}"

    def _write_when(self, when: PlotCondition, depth: int) -> Iterator[str]:
        pad = "  " * (depth - 1)
        yield f"{pad}{{"
        for test, block in when.cases:
            yield f"{pad}- {'else' if test is None else self._write_worth(test)}:"
            # Inside braces, ink counts the depth of choices from 1 again.
            yield from self._write_block(block, 1)
        yield f"{pad}}}"

    def _write_option(self, option: PlotOption, depth: int) -> Iterator[str]:
        sign = ("* " if option.once else "+ ") * depth
        name = f"({option.name}) " if option.name else ""
        test = f"{{{self._write_worth(option.test)}}} " if option.test is not None else ""
        tags = "".join(f" # {tag}" for tag in option.tags)
        words = "->" if option.fallback else f"[{self._write_text(option.text)}{tags}]"
        yield f"{'  ' * (depth - 1)}{sign}{name}{test}{words}"
        onward = () if option.onward is None else (option.onward,)
        yield from self._write_block((*option.arm, *onward), depth + 1)

    def _write_text(self, text: Text) -> str:
        return "".join(self._write_part(part) for part in text)

    def _write_part(self, part: Part) -> str:
        match part:
            case str():
                return part
            case PlotSign():
                return "".join(f"\\{letter}" for letter in part.letters)
            case PlotValue():
                return f"{{{self._write_worth(part.worth)}}}"
            case PlotEither():
                yes, no = self._write_text(part.yes), self._write_text(part.no)
                return f"{{{self._write_worth(part.test)}:{yes}|{no}}}"
            case PlotTurns():
                return f"{{{part.kind}{'|'.join(map(self._write_text, part.texts))}}}"

    def _write_worth(self, worth: Worth) -> str:
        match worth:
            case ("visits", name):
                return self._counted.get(name, self._paths.get(name, name))
            case ("chosen", name):
                return self._paths[name]
        return spell_expression(worth, self._write_worth)


def _name_path(section: PlotSection) -> str:
    return f"{section.within}.{section.name}" if section.within else section.name


def _complete(choice: PlotChoice) -> Iterator[PlotOption]:
    """The options, and a fallback if all of them may be gone.

    In Saniwa the story then continues below the list; ink needs that written.
    """
    yield from choice.options
    if not any(o.test is None and not o.once for o in choice.options):
        yield PlotOption(text=(), fallback=True)
