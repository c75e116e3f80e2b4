"""What is told about a name when somebody points at it, in Markdown."""

import re
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from saniwa.core.quoted import cut
from saniwa.script.asset import FOLDERS
from saniwa.script.desk.editing.cursor import Names
from saniwa.script.desk.editing.mention import Kind, Mention
from saniwa.script.desk.editing.signature import SIGNATURES
from saniwa.script.language.expression import shown
from saniwa.script.language.words import Text
from saniwa.script.node import Label, Route, Say, Scene
from saniwa.script.reading.command import COMMANDS, Command
from saniwa.script.tree import walk

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|!])")
_COMMAND = re.compile(r"\[([A-Z][A-Z0-9_]+)")
_PLACES = 5
_LETTERS = 120


class Told(msgspec.Struct, frozen=True):
    """What is told, and the letters it is told of."""

    text: str
    """Markdown."""
    line: int
    """The line they stand on."""
    column: int
    """The first of them."""
    length: int
    """How many there are."""


def hover(names: Names, file: str, line: int, column: int) -> Told | None:
    """What is known about what stands here; None if nothing is."""
    here = names.at(file, line, column)
    if here is not None:
        teller = _TELLERS.get(here.kind)
        text = teller(names, here) if teller and here.name else ""
        if text:
            return Told(text, line, here.column, len(here.written))
    for found in _COMMAND.finditer(names.line(file, line)):
        if found.start() < column <= found.end() + 1 and found[1] in COMMANDS:
            text = _command(COMMANDS[found[1]])
            return Told(text, line, found.start() + 2, len(found[1]))
    return None


def _label(names: Names, here: Mention) -> str:
    everywhere = names.of("label", here.name)
    made = next((each for each in everywhere if each.role == "made"), None)
    if made is None:
        return ""
    from_ = [each for each in everywhere if each.role == "used"]
    told = [f"label {_code(made.written)} · {_place(made)}"]
    told.append(f"named in {_places(from_)}" if from_ else "nothing leads here by name")
    scene = names.scene(made.file)
    said = _first_line(scene, made.line) if scene else ""
    return "\n\n".join([*told, *([f"> {said}"] if said else [])])


def _first_line(scene: Scene, line: int) -> str:
    """What is said first under a label."""
    under = False
    for element in walk(scene.block):
        if isinstance(element, Label | Route) and element.line == line:
            under = True
        elif under and isinstance(element, Label):
            return ""
        elif under and isinstance(element, Say):
            words = element.words
            source = words.source if isinstance(words, Text) else words
            speaker = f"{element.speaker}: " if element.speaker else ""
            return _plain(speaker + source.partition("\n")[0])
    return ""


def _variable(names: Names, here: Mention) -> str:
    declared = {d.name: d for s in names.story.scenes for d in s.front.variables}
    known = declared.get(here.name)
    told = [f"variable {_code(here.name)}"]
    if known is not None and known.value is not None:
        told[0] += f" · {_kind(known.value)}, at first {_code(shown(known.value))}"
    everywhere = names.of("variable", here.name)
    for role, says in (("made", "declared"), ("set", "set"), ("used", "read")):
        where = [each for each in everywhere if each.role == role]
        told.append(f"{says} in {_places(where)}" if where else f"never {says}")
    return "\n\n".join(told)


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "whole number", float: "decimal", str: "text"}
    return kinds[type(value)]


def _speaker(names: Names, here: Mention) -> str:
    everywhere = names.of("speaker", here.name)
    made = [each for each in everywhere if each.role == "made"]
    count = len(everywhere) - len(made)
    said = f"speaker {_code(here.name)} · {count} {'line' if count == 1 else 'lines'}"
    return f"{said}\n\ndeclared in {_places(made)}" if made else said


def _option(names: Names, here: Mention) -> str:
    made = [m for m in names.of("option", here.name) if m.role == "made"]
    return f"option {_code(here.name)} · {_places(made)}" if made else ""


def _asset(names: Names, here: Mention) -> str:
    folder, _, name = here.name.partition("/")
    kind = next(each for each in FOLDERS if each == folder)
    path = names.story.assets.find(kind, name)
    where = _code(path) if path else "no such file"
    return f"{kind} {_code(name)} · {where}"


def _function(names: Names, here: Mention) -> str:  # noqa: ARG001
    signature = SIGNATURES[here.name]
    return f"{_code(signature.shown)}\n\n{signature.about}"


def _file(names: Names, here: Mention) -> str:
    scene = names.scene(here.name)
    return f"file {_code(here.written)} · {_plain(scene.title)}" if scene else ""


def _command(command: Command) -> str:
    given = "".join(f" {p.name}=…" for p in command.parameters)
    told = [f"`[{command.name}{given}]`", command.about]
    rows = [
        f"- `{p.name}`{' (needed)' if p.required else ''}: {p.about}"
        for p in command.parameters
    ]
    return "\n\n".join([*told, *(["\n".join(rows)] if rows else [])])


_TELLERS: Final[dict[Kind, Callable[[Names, Mention], str]]] = {
    "label": _label,
    "file": _file,
    "variable": _variable,
    "speaker": _speaker,
    "option": _option,
    "asset": _asset,
    "function": _function,
}


def _place(mention: Mention) -> str:
    file = mention.file.rpartition("/")[2]
    return f"{_plain(file)}:{mention.line}"


def _places(given: Iterable[Mention]) -> str:
    places = list(dict.fromkeys(_place(each) for each in given))
    more = len(places) - _PLACES
    first = ", ".join(places[:_PLACES])
    return f"{first} and {more} more" if more > 0 else first


def _plain(text: str) -> str:
    """An author's words on one line, with nothing in them that Markdown would read."""
    flat = cut(" ".join(text.split()), _LETTERS)
    return _SPECIAL.sub(r"\\\1", flat)


def _code(text: str) -> str:
    plain = cut(text, _LETTERS).replace("`", "'")
    return f"`{plain}`"
