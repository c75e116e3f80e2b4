"""A plot, written as Saniwa's Markdown."""

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
    PlotSign,
    PlotTurns,
    PlotValue,
    Text,
)


def write_markdown(plot: Plot) -> str:
    """The plot's Markdown, with a blank line between any two blocks."""
    return "\n\n".join(_write_elements(plot)) + "\n"


def _write_elements(plot: Plot) -> Iterator[str]:
    vars = ", ".join(f"{n}: {render_constant(v)}" for n, v in plot.variables.items())
    yield f"---\nid: plot\nvars: {{{vars}}}\n---"
    yield "# Plot"
    yield f"[on](#{plot.sections[0].name})"
    for section in plot.sections:
        yield f"## {section.name}"
        yield from _write_block(section.block, "")


def _write_block(block: Block, pad: str) -> Iterator[str]:
    for each in block:
        match each:
            case PlotLine():
                more = (f"\n{pad}{_write_line_start(text)}" for text in each.more)
                yield f"{pad}{_write_line(each)}{''.join(more)}"
            case PlotAssignment():
                yield f"{pad}[SET {each.name} {each.how} {_write_worth(each.worth)}]"
            case PlotCondition():
                yield from _write_when(each, pad)
            case PlotChoice():
                for option in each.options:
                    yield from _write_option(option, pad)
            case PlotJump(falls=True) | PlotReturn(falls=True):
                pass
            case PlotJump():
                yield f"{pad}[on](#{each.to})"
            case PlotCall():
                yield f'{pad}[there](#{each.to} "call")'
            case PlotLabel():
                yield f"{pad}[LABEL name={each.name}]"
            case PlotReturn():
                yield f"{pad}[RETURN]"
            case PlotEnd():
                yield f"{pad}<!-- ending: over -->"


def _write_line(line: PlotLine) -> str:
    said = (
        f"{line.speaker}: {_write_text(line.text)}"
        if line.speaker
        else _write_line_start(line.text)
    )
    return f"{said}{_write_tags(line.tags)}"


def _write_line_start(text: Text) -> str:
    """A text at the beginning of its line, where more has to be escaped."""
    written = _write_text(text)
    sign = text and isinstance(text[0], PlotSign)
    return f"\\{written}" if sign and not written.startswith("\\") else written


def _write_tags(tags: tuple[str, ...]) -> str:
    return f" {{{' '.join(f'.{tag}' for tag in tags)}}}" if tags else ""


def _write_when(when: PlotCondition, pad: str) -> Iterator[str]:
    for nth, (test, block) in enumerate(when.cases):
        asked = "" if test is None else f"when {_write_worth(test)}"
        yield f"{pad}:::{f'else {asked}'.rstrip() if nth else asked}"
        yield from _write_block(block, pad)
    yield f"{pad}:::"


def _write_option(option: PlotOption, pad: str) -> Iterator[str]:
    words = "otherwise" if option.fallback else _write_text(option.text)
    match option.onward:
        case PlotJump(to):
            words = f"[{words}](#{to})"
        case PlotCall(to):
            words = f'[{words}](#{to} "call")'
    groups = [
        f"{{#{option.name}}}" if option.name else "",
        "{once}" if option.once else "",
        f"{{if {_write_worth(option.test)}}}" if option.test is not None else "",
        "{else}" if option.fallback else "",
    ]
    tail = "".join(f" {group}" for group in groups if group)
    yield f"{pad}- {words}{tail}{_write_tags(option.tags)}"
    yield from _write_block(option.arm, f"{pad}  ")


def _write_text(text: Text, inside: bool = False) -> str:
    return "".join(_write_part(part, inside) for part in text)


def _write_part(part: Part, inside: bool) -> str:
    match part:
        case str():
            return part
        case PlotValue():
            return f"{{{_write_worth(part.worth)}}}"
        case PlotEither():
            yes, no = _write_text(part.yes, True), _write_text(part.no, True)
            return f"{{{_write_worth(part.test)}:{yes}|{no}}}"
        case PlotTurns():
            texts = "|".join(_write_text(text, True) for text in part.texts)
            return f"{{{part.kind}{texts}}}"
        case PlotSign():
            special = "{}[|:" if inside else "{}["
            return "".join(f"\\{c}" if c in special else c for c in part.letters)


def _write_worth(worth: Worth) -> str:
    if worth[0] in ("visits", "chosen"):
        return f'{worth[0]}("{worth[1]}")'
    return spell_expression(worth, _write_worth)
