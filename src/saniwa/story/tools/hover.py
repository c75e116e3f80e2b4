"""Describe the name under an editor's cursor, in Markdown."""

import re
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from saniwa.core.text import truncate
from saniwa.story.assets import FOLDERS
from saniwa.story.elements import LabelElement, RouteElement, SayElement, StoryScene, walk_elements
from saniwa.story.parser.commands import COMMANDS, CommandDefinition
from saniwa.story.text_template import get_source
from saniwa.story.tools.mention_index import MentionIndex, MentionKind, StoryMention
from saniwa.story.value_operations import FUNCTIONS, format_value

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|!])")
_COMMAND_NAME = re.compile(r"\[([A-Z][A-Z0-9_]+)")
_PLACES = 5
_LETTERS = 120


class HoverText(msgspec.Struct, frozen=True):
    """A description, and the characters it describes."""

    text: str
    """Markdown."""
    line: int
    """Their line."""
    column: int
    """The column of the first."""
    length: int
    """How many there are."""


def build_hover(names: MentionIndex, file: str, line: int, column: int) -> HoverText | None:
    """Describe what is at a place; None if nothing is known about it."""
    here = names.find_at(file, line, column)
    if here is not None:
        describe = _DESCRIBERS.get(here.kind)
        text = describe(names, here) if describe and here.name else ""
        if text:
            return HoverText(text, line, here.column, len(here.written))
    for found in _COMMAND_NAME.finditer(names.get_line(file, line)):
        if found.start() < column <= found.end() + 1 and found[1] in COMMANDS:
            text = _describe_command(COMMANDS[found[1]])
            return HoverText(text, line, found.start() + 2, len(found[1]))
    return None


def _describe_label(names: MentionIndex, here: StoryMention) -> str:
    everywhere = names.list_mentions("label", here.name)
    made = next((each for each in everywhere if each.role == "made"), None)
    if made is None:
        return ""
    from_ = [each for each in everywhere if each.role == "used"]
    parts = [f"label {_format_code(made.written)} · {_format_place(made)}"]
    parts.append(f"named in {_format_places(from_)}" if from_ else "no link leads here")
    scene = names.find_scene(made.file)
    first_line = _find_first_line(scene, made.line) if scene else ""
    return "\n\n".join([*parts, *([f"> {first_line}"] if first_line else [])])


def _find_first_line(scene: StoryScene, line: int) -> str:
    """Return the first line of text under a label."""
    under = False
    for element in walk_elements(scene.block):
        if isinstance(element, LabelElement | RouteElement) and element.line == line:
            under = True
        elif under and isinstance(element, LabelElement):
            return ""
        elif under and isinstance(element, SayElement):
            speaker = f"{element.speaker}: " if element.speaker else ""
            return _escape_markdown(speaker + get_source(element.words).partition("\n")[0])
    return ""


def _describe_variable(names: MentionIndex, here: StoryMention) -> str:
    declared = {d.name: d for s in names.story.scenes for d in s.front.variables}
    known = declared.get(here.name)
    parts = [f"variable {_format_code(here.name)}"]
    if known is not None and known.value is not None:
        parts[0] += (
            f" · {_describe_kind(known.value)}, at first {_format_code(format_value(known.value))}"
        )
    everywhere = names.list_mentions("variable", here.name)
    for role, says in (("made", "declared"), ("set", "set"), ("used", "read")):
        where = [each for each in everywhere if each.role == role]
        parts.append(f"{says} in {_format_places(where)}" if where else f"never {says}")
    return "\n\n".join(parts)


def _describe_kind(value: object) -> str:
    kinds = {bool: "true or false", int: "whole number", float: "decimal", str: "text"}
    return kinds[type(value)]


def _describe_speaker(names: MentionIndex, here: StoryMention) -> str:
    everywhere = names.list_mentions("speaker", here.name)
    made = [each for each in everywhere if each.role == "made"]
    count = len(everywhere) - len(made)
    summary = f"speaker {_format_code(here.name)} · {count} {'line' if count == 1 else 'lines'}"
    return f"{summary}\n\ndeclared in {_format_places(made)}" if made else summary


def _describe_option(names: MentionIndex, here: StoryMention) -> str:
    made = [m for m in names.list_mentions("option", here.name) if m.role == "made"]
    return f"option {_format_code(here.name)} · {_format_places(made)}" if made else ""


def _describe_asset(names: MentionIndex, here: StoryMention) -> str:
    folder, _, name = here.name.partition("/")
    kind = next(each for each in FOLDERS if each == folder)
    path = names.story.assets.find(kind, name)
    where = _format_code(path) if path else "no such file"
    return f"{kind} {_format_code(name)} · {where}"


def _describe_function(_: MentionIndex, here: StoryMention) -> str:
    function = FUNCTIONS[here.name]
    return f"{_format_code(function.example)}\n\n{function.about}"


def _describe_file(names: MentionIndex, here: StoryMention) -> str:
    scene = names.find_scene(here.name)
    return f"file {_format_code(here.written)} · {_escape_markdown(scene.title)}" if scene else ""


def _describe_command(command: CommandDefinition) -> str:
    given = "".join(f" {p.name}=…" for p in command.parameters)
    parts = [f"`[{command.name}{given}]`", command.about]
    rows = [
        f"- `{p.name}`{' (needed)' if p.required else ''}: {p.about}" for p in command.parameters
    ]
    return "\n\n".join([*parts, *(["\n".join(rows)] if rows else [])])


_DESCRIBERS: Final[dict[MentionKind, Callable[[MentionIndex, StoryMention], str]]] = {
    "label": _describe_label,
    "file": _describe_file,
    "variable": _describe_variable,
    "speaker": _describe_speaker,
    "option": _describe_option,
    "asset": _describe_asset,
    "function": _describe_function,
}


def _format_place(mention: StoryMention) -> str:
    file = mention.file.rpartition("/")[2]
    return f"{_escape_markdown(file)}:{mention.line}"


def _format_places(given: Iterable[StoryMention]) -> str:
    places = list(dict.fromkeys(_format_place(each) for each in given))
    more = len(places) - _PLACES
    first = ", ".join(places[:_PLACES])
    return f"{first} and {more} more" if more > 0 else first


def _escape_markdown(text: str) -> str:
    """Put an author's words on one line, and escape Markdown in them."""
    flat = truncate(" ".join(text.split()), _LETTERS)
    return _SPECIAL.sub(r"\\\1", flat)


def _format_code(text: str) -> str:
    plain = truncate(text, _LETTERS).replace("`", "'")
    return f"`{plain}`"
