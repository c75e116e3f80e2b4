"""A plot, written as our Markdown."""

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
    Shown,
    Sign,
    Text,
    Turns,
    When,
)
from tests.strangers.worth import Worth, constant, spelt


def as_markdown(plot: Plot) -> str:
    """The plot's Markdown; a blank line between any two things."""
    return "\n\n".join(_elements(plot)) + "\n"


def _elements(plot: Plot) -> Iterator[str]:
    vars = ", ".join(f"{n}: {constant(v)}" for n, v in plot.variables.items())
    yield f"---\nid: plot\nvars: {{{vars}}}\n---"
    yield "# Plot"
    yield f"[on](#{plot.sections[0].name})"
    for section in plot.sections:
        yield f"## {section.name}"
        yield from _block(section.block, "")


def _block(block: Block, pad: str) -> Iterator[str]:
    for each in block:
        match each:
            case Line():
                more = (f"\n{pad}{_begun(text)}" for text in each.more)
                yield f"{pad}{_line(each)}{''.join(more)}"
            case Put():
                yield f"{pad}[SET {each.name} {each.how} {_worth(each.worth)}]"
            case When():
                yield from _when(each, pad)
            case Choice():
                for option in each.options:
                    yield from _option(option, pad)
            case Jump(falls=True) | Back(falls=True):
                pass
            case Jump():
                yield f"{pad}[on](#{each.to})"
            case Call():
                yield f'{pad}[there](#{each.to} "call")'
            case Mark():
                yield f"{pad}[LABEL name={each.name}]"
            case Back():
                yield f"{pad}[RETURN]"
            case End():
                yield f"{pad}<!-- ending: over -->"


def _line(line: Line) -> str:
    said = f"{line.speaker}: {_text(line.text)}" if line.speaker else _begun(line.text)
    return f"{said}{_tags(line.tags)}"


def _begun(text: Text) -> str:
    """A text at the beginning of its line, where more has to be escaped."""
    written = _text(text)
    sign = text and isinstance(text[0], Sign)
    return f"\\{written}" if sign and not written.startswith("\\") else written


def _tags(tags: tuple[str, ...]) -> str:
    return f" {{{' '.join(f'.{tag}' for tag in tags)}}}" if tags else ""


def _when(when: When, pad: str) -> Iterator[str]:
    for nth, (test, block) in enumerate(when.cases):
        asked = "" if test is None else f"when {_worth(test)}"
        yield f"{pad}:::{f'else {asked}'.rstrip() if nth else asked}"
        yield from _block(block, pad)
    yield f"{pad}:::"


def _option(option: Option, pad: str) -> Iterator[str]:
    words = "otherwise" if option.fallback else _text(option.text)
    match option.onward:
        case Jump(to):
            words = f"[{words}](#{to})"
        case Call(to):
            words = f'[{words}](#{to} "call")'
    groups = [
        f"{{#{option.name}}}" if option.name else "",
        "{once}" if option.once else "",
        f"{{if {_worth(option.test)}}}" if option.test is not None else "",
        "{else}" if option.fallback else "",
    ]
    tail = "".join(f" {group}" for group in groups if group)
    yield f"{pad}- {words}{tail}{_tags(option.tags)}"
    yield from _block(option.arm, f"{pad}  ")


def _text(text: Text, inside: bool = False) -> str:
    return "".join(_part(part, inside) for part in text)


def _part(part: Part, inside: bool) -> str:
    match part:
        case str():
            return part
        case Shown():
            return f"{{{_worth(part.worth)}}}"
        case Either():
            yes, no = _text(part.yes, True), _text(part.no, True)
            return f"{{{_worth(part.test)}:{yes}|{no}}}"
        case Turns():
            texts = "|".join(_text(text, True) for text in part.texts)
            return f"{{{part.kind}{texts}}}"
        case Sign():
            special = "{}[|:" if inside else "{}["
            return "".join(f"\\{c}" if c in special else c for c in part.letters)


def _worth(worth: Worth) -> str:
    if worth[0] in ("visits", "chosen"):
        return f'{worth[0]}("{worth[1]}")'
    return spelt(worth, _worth)
