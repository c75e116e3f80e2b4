"""What a bracket command becomes in the tree.

Commands that hold what follows them (SAY, IF, ELSE, ENDIF) are read in `order`.
"""

import re
from collections.abc import Callable
from math import isfinite
from typing import Literal

from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.reading.assign import modify_variable, set_variable
from saniwa.script.reading.bracket import Bracket, given_in, is_variable
from saniwa.script.reading.branch import branch
from saniwa.script.reading.command import parameters
from saniwa.script.reading.condition import jump_if
from saniwa.script.reading.inline import words_at
from saniwa.script.reading.link import command_target

_Heard = Literal["bgm", "se", "movie"]
_Made = node.Node | None
_Maker = Callable[[Bracket], _Made]


def nodes_of(bracket: Bracket) -> tuple[node.Node, ...]:
    """The elements a command stands for; none where it cannot be read."""
    made = _MAKERS[bracket.command.name](bracket)
    return () if made is None else (made,)


def event(bracket: Bracket) -> node.Event:
    """A command of the host's own, with everything that stands in it."""
    given = parameters(bracket.inner, bracket.inner_column)
    values = tuple((each.key or "value", each.value) for each in given)
    return node.Event(
        bracket.line, bracket.column, bracket.line, bracket.command.name, values
    )


def _picture(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    file, layer = given["file"], given.get("layer")
    shown = layer.value if layer and layer.value else "main"
    return node.Picture(b.line, b.column, b.line, file.value, shown, file.column)


def _sound(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    kind = _SOUNDS[b.command.name]
    name = given["file" if kind == "movie" else "name"]
    return node.Sound(b.line, b.column, b.line, kind, name.value, name.column)


def _clear(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    return node.Clear(b.line, b.column, b.line, given["layer"].value)


_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ms|s|secs?|seconds?)?", re.I)


def _pause(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    said = given["seconds"]
    found = _SECONDS.fullmatch(said.value)
    seconds = float(found[1]) if found else float("inf")
    if found is None or not isfinite(seconds):
        message = f"{quoted(said.value)} is no time to wait"
        hint = "write seconds, such as [WAIT 1.5s]"
        b.error("PARAMETER_MALFORMED", message, said.column, hint)
        return None
    if (found[2] or "").lower() == "ms":
        seconds /= 1000
    return node.Pause(b.line, b.column, b.line, seconds)


def _label(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    name = given["name"]
    b.notes.old(b.command.name, b.line, b.column)
    return node.Label(b.line, b.column, b.line, name.value, "label", name.column)


def _jump(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    call = b.command.name == "CALL"
    if not call:
        b.notes.old(b.command.name, b.line, b.column)
    label = given["label"]
    target = command_target(label.value, b.line, label.column)
    return node.Jump(b.line, b.column, b.line, target, call, b.command.name)


def _return(b: Bracket) -> _Made:
    given_in(b)
    return node.Return(b.line, b.column, b.line)


def _ending(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    id, name = given.get("id"), given.get("name")
    if not (id and id.value) and not (name and name.value):
        message = f"{b.command.name} does not say which ending"
        b.notes.warning("PARAMETER_MISSING", message, b.line, b.column, "add id=…")
    shown = name.value if name else ""
    return node.Ending(
        b.line,
        b.column,
        b.line,
        (id and id.value) or shown,
        shown,
        b.command.name,
    )


def _event(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    values = tuple((key, each.value) for key, each in given.items() if key != "name")
    name = given["name"].value if "name" in given else b.command.name
    return node.Event(b.line, b.column, b.line, name, values)


def _ask(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    prompt, name = given.get("prompt"), given.get("name")
    words = words_at(prompt.value, b.line, prompt.column, b.notes) if prompt else ""
    if name is None:
        return node.Ask(b.line, b.column, b.line, words)
    if not is_variable(b, name.value, name.column):
        return None
    return node.Ask(b.line, b.column, b.line, words, name.value, name.column)


def _deed(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    said = given["words"]
    words = words_at(said.value, b.line, said.column, b.notes)
    return node.Deed(b.line, b.column, b.line, words)


_SOUNDS: dict[str, _Heard] = {
    "PLAY_BGM": "bgm",
    "PLAY_MUSIC": "bgm",
    "PLAY_SE": "se",
    "PLAY_MOVIE": "movie",
}
_MAKERS: dict[str, _Maker] = {
    "SHOW_IMAGE": _picture,
    **dict.fromkeys(_SOUNDS, _sound),
    "CLEAR_LAYER": _clear,
    "WAIT": _pause,
    "BRANCH": branch,
    "LABEL": _label,
    "JUMP": _jump,
    "CALL": _jump,
    "RETURN": _return,
    "SET": set_variable,
    "MODIFY": modify_variable,
    "JUMP_IF": jump_if,
    "ENDING": _ending,
    "END": _ending,
    "EVENT": _event,
    "EMIT_EVENT": _event,
    "SHOW_TEXT_EFFECT": event,
    "ASK": _ask,
    "DO": _deed,
}
