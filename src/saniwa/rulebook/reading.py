"""Reading conditions from a document: every mistake is noted, with its place."""

from collections.abc import Mapping
from typing import Any, assert_never

from saniwa.core.errors import SchemaValidationError
from saniwa.core.fingerprint import canonical
from saniwa.core.quoted import quoted
from saniwa.rulebook.case import ROLES
from saniwa.rulebook.condition import JOINTS, All, Atom, Condition, Either, Not
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.predicate import REQUIRED, Param, Predicate
from saniwa.world.model import KINDS

DEEPEST = 40
"""Levels of and, or, not that one condition may have."""

_KINDS = frozenset({*KINDS, "location"})
_ALSO = {"room": "location", "place": "location"}


def camel(name: str) -> str:
    """A key in camelCase, whichever way it was written."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest) or name


def read_condition(
    value: Any,
    path: Path,
    notes: Notes,
    vocabulary: Mapping[str, Predicate],
    depth: int = 0,
) -> Condition | None:
    """The condition a document holds, or None after noting what is wrong with it.

    Two forms are read: `{"op": "held", "role": "tool"}` and the short `{"held": "tool"}`.
    """
    if depth > DEEPEST:
        notes.bad(path, f"a condition nests deeper than {DEEPEST} levels")
        return None
    named = _named(value)
    if named is None:
        hint = 'write {"op": "held", "role": "tool"}, or short {"held": "tool"}'
        notes.bad(path, f"{quoted(value)} is not a condition", hint)
        return None
    word, argument, inside = named
    name = camel(word)
    if name in JOINTS:
        return _read_joint(name, argument, path + inside, notes, vocabulary, depth)
    if name not in vocabulary:
        notes.unknown("RULE_UNKNOWN_PREDICATE", path, word, {*vocabulary, *JOINTS})
        return None
    return _read_atom(vocabulary[name], argument, path + inside, notes)


def _named(value: Any) -> tuple[str, Any, Path] | None:
    """The word a condition opens with, what follows it, and the path to that."""
    if isinstance(value, str):
        return value, {}, ()
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("op"), str):
        return value["op"], {k: v for k, v in value.items() if k != "op"}, ()
    if len(value) != 1:
        return None
    word, argument = next(iter(value.items()))
    return (word, argument, (word,)) if isinstance(word, str) else None


def _read_joint(
    name: str,
    argument: Any,
    path: Path,
    notes: Notes,
    vocabulary: Mapping[str, Predicate],
    depth: int,
) -> Condition | None:
    inner = "condition" if name == "not" else "conditions"
    if isinstance(argument, Mapping) and set(argument) == {inner}:
        argument, path = argument[inner], (*path, inner)
    if name == "not":
        part = read_condition(argument, path, notes, vocabulary, depth + 1)
        return Not(part) if part else None
    if not isinstance(argument, (list, tuple)) or not argument:
        notes.bad(path, f"{name!r} joins a list of at least one condition")
        return None
    parts = [
        read_condition(each, (*path, i), notes, vocabulary, depth + 1)
        for i, each in enumerate(argument)
    ]
    sound = tuple(part for part in parts if part is not None)
    if len(sound) < len(parts):
        return None
    return All(sound) if name == "and" else Either(sound)


def _read_atom(
    predicate: Predicate, argument: Any, path: Path, notes: Notes
) -> Condition | None:
    given = _arguments(predicate, argument)
    if given is None:
        notes.bad(path, f"{predicate.name!r} takes no {quoted(argument)}")
        return None
    before = len(notes.findings)
    if predicate.free:
        args = {name: value for name, (value, _) in given.items()}
        hashable(args, path, notes)
        return Atom(predicate, args) if len(notes.findings) == before else None
    params = {param.name: param for param in predicate.params}
    for name, (_, inside) in given.items():
        if name not in params:
            notes.unknown("RULE_UNKNOWN_FIELD", path + inside, name, {"op", *params})
    args = {
        name: _read_param(predicate, param, given, path, notes)
        for name, param in params.items()
    }
    return Atom(predicate, args) if len(notes.findings) == before else None


def _arguments(
    predicate: Predicate, argument: Any
) -> dict[str, tuple[Any, Path]] | None:
    """The arguments by name, each with the way to it."""
    if isinstance(argument, Mapping):
        return {camel(str(k)): (v, (str(k),)) for k, v in argument.items()}
    if argument is None:
        return {}
    if predicate.params:
        return {predicate.params[0].name: (argument, ())}
    return None


def _read_param(
    predicate: Predicate,
    param: Param,
    given: Mapping[str, tuple[Any, Path]],
    path: Path,
    notes: Notes,
) -> Any:
    if param.name not in given:
        if param.default is REQUIRED:
            notes.bad(path, f"{predicate.name!r} needs {param.name!r}")
        return param.default
    value, inside = given[param.name]
    if value is None and param.default is None:
        return None
    return checked(param, value, path + inside, notes)


def checked(param: Param, value: Any, path: Path, notes: Notes) -> Any:
    """The value of a parameter, after noting what is wrong with it."""
    match param.kind:
        case "role":
            return _role(value, path, notes)
        case "kind":
            return _kind(value, path, notes)
        case "kinds":
            each = value if isinstance(value, (list, tuple)) else [value]
            return [_kind(kind, path, notes) for kind in each]
        case "text":
            if not isinstance(value, str):
                notes.bad(path, f"{param.name!r} is text, not {quoted(value)}")
        case "texts":
            each = value if isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(text, str) for text in each):
                notes.bad(path, f"{param.name!r} is a list of texts")
            return list(each)
        case "truth":
            if not isinstance(value, bool):
                notes.bad(path, f"{param.name!r} is true or false, not {quoted(value)}")
        case "value":
            hashable(value, path, notes)
        case _:
            assert_never(param.kind)
    return value


def hashable(value: Any, path: Path, notes: Notes) -> None:
    """Note a value that no hash could be made of."""
    try:
        canonical(value)
    except SchemaValidationError as problem:
        notes.bad(path, problem.message, problem.hint)


def _role(value: Any, path: Path, notes: Notes) -> str:
    name = camel(value) if isinstance(value, str) else ""
    if name not in ROLES:
        notes.unknown("RULE_UNKNOWN_ROLE", path, value, ROLES)
    return name


def _kind(value: Any, path: Path, notes: Notes) -> str:
    kind = _ALSO.get(value, value) if isinstance(value, str) else ""
    if kind not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        notes.bad(path, f"{quoted(value)} is no kind of thing", f"known: {known}")
    return kind
