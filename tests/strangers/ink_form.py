"""A plot, written as ink."""

from collections.abc import Iterator

from tests.strangers.plot import (
    Back,
    Block,
    Call,
    Choice,
    Either,
    End,
    Jump,
    Line,
    Mark,
    Option,
    Part,
    Plot,
    Put,
    Section,
    Shown,
    Sign,
    Text,
    Turns,
    When,
    statements,
)
from tests.strangers.worth import Worth, constant, spelt


def as_ink(plot: Plot) -> str:
    """The plot's ink."""
    return "\n".join(_Writer(plot).lines()) + "\n"


class _Writer:
    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self._paths = {each.name: _path(each) for each in plot.sections}
        for section in plot.sections:
            for each in statements(section.block):
                if isinstance(each, Mark):
                    self._paths[each.name] = f"{_path(section)}.{each.name}"
                elif isinstance(each, Choice):
                    for option in each.options:
                        if option.name:
                            where = f"{_path(section)}.{option.name}"
                            self._paths[option.name] = where
        self._counted = {each.name: self._counter(each) for each in plot.sections}

    def lines(self) -> Iterator[str]:
        for name, first in self._plot.variables.items():
            yield f"VAR {name} = {constant(first)}"
        yield f"-> {self._plot.sections[0].name}"
        for section in self._plot.sections:
            yield f"= {section.name}" if section.within else f"=== {section.name}"
            if self._counted[section.name] != self._paths[section.name]:
                yield f"- ({section.name}_top)"
            yield from self._block(section.block, 1)

    def _counter(self, section: Section) -> str:
        """What counts the visits of a section as we do.

        ink counts a knot when it is entered from outside, in the middle too; a label at
        its top is counted whenever it is passed, and that is what our labels are.
        """
        sections = self._plot.sections
        places = {each.name for each in sections}
        jumps = [
            (source, each.to)
            for source in sections
            for each in statements(source.block)
            if isinstance(each, Jump | Call)
        ]
        plain = (
            all(to in places for _, to in jumps)
            and not any(each.within for each in sections)
            and (section, section.name) not in jumps
        )
        path = _path(section)
        return path if plain else f"{path}.{section.name}_top"

    def _block(self, block: Block, depth: int) -> Iterator[str]:
        pad = "  " * (depth - 1)
        for each in block:
            match each:
                case Line():
                    yield pad + self._line(each)
                    yield from (pad + self._text(text) for text in each.more)
                case Put():
                    yield f"{pad}~ {each.name} {each.how} {self._worth(each.worth)}"
                case When():
                    yield from self._when(each, depth)
                case Choice():
                    for option in _complete(each):
                        yield from self._option(option, depth)
                    yield f"{pad}{'- ' * depth}"
                case Jump():
                    yield f"{pad}-> {self._paths[each.to]}"
                case Call():
                    yield f"{pad}-> {self._paths[each.to]} ->"
                case Mark():
                    yield f"{pad}{'- ' * depth}({each.name})"
                case Back():
                    yield f"{pad}->->"
                case End():
                    yield f"{pad}-> END"

    def _line(self, line: Line) -> str:
        said = f"{line.speaker}: " if line.speaker else ""
        tags = "".join(f" # {tag}" for tag in line.tags)
        return f"{said}{self._text(line.text)}{tags}"

    def _when(self, when: When, depth: int) -> Iterator[str]:
        pad = "  " * (depth - 1)
        yield f"{pad}{{"
        for test, block in when.cases:
            yield f"{pad}- {'else' if test is None else self._worth(test)}:"
            # Inside braces a weave begins anew.
            yield from self._block(block, 1)
        yield f"{pad}}}"

    def _option(self, option: Option, depth: int) -> Iterator[str]:
        sign = ("* " if option.once else "+ ") * depth
        name = f"({option.name}) " if option.name else ""
        test = f"{{{self._worth(option.test)}}} " if option.test is not None else ""
        tags = "".join(f" # {tag}" for tag in option.tags)
        words = "->" if option.fallback else f"[{self._text(option.text)}{tags}]"
        yield f"{'  ' * (depth - 1)}{sign}{name}{test}{words}"
        onward = () if option.onward is None else (option.onward,)
        yield from self._block((*option.arm, *onward), depth + 1)

    def _text(self, text: Text) -> str:
        return "".join(self._part(part) for part in text)

    def _part(self, part: Part) -> str:
        match part:
            case str():
                return part
            case Sign():
                return "".join(f"\\{letter}" for letter in part.letters)
            case Shown():
                return f"{{{self._worth(part.worth)}}}"
            case Either():
                yes, no = self._text(part.yes), self._text(part.no)
                return f"{{{self._worth(part.test)}:{yes}|{no}}}"
            case Turns():
                return f"{{{part.kind}{'|'.join(map(self._text, part.texts))}}}"

    def _worth(self, worth: Worth) -> str:
        match worth:
            case ("visits", name):
                return self._counted.get(name, self._paths.get(name, name))
            case ("chosen", name):
                return self._paths[name]
        return spelt(worth, self._worth)


def _path(section: Section) -> str:
    return f"{section.within}.{section.name}" if section.within else section.name


def _complete(choice: Choice) -> Iterator[Option]:
    """The options, and a way on where all of them may be gone.

    With us the story then goes on below the list; ink wants that said.
    """
    yield from choice.options
    if not any(o.test is None and not o.once for o in choice.options):
        yield Option(text=(), fallback=True)
