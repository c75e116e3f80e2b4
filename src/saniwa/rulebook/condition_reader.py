"""Reads conditions from a document; mistakes become findings with their place."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, assert_never

from saniwa.core.errors import SchemaValidationError
from saniwa.core.json_values import encode_canonical_json
from saniwa.core.text import quote_value
from saniwa.rulebook.conditions import (
    JOINTS,
    AllCondition,
    AnyCondition,
    Condition,
    NotCondition,
    PredicateCondition,
)
from saniwa.rulebook.finding_collector import Path, RulebookFindings, to_camel
from saniwa.rulebook.predicates import REQUIRED, ROLES, Predicate, PredicateParam
from saniwa.world.model import KINDS

DEEPEST_CONDITION = 40
"""The most levels of and, or, not in one condition."""


_KINDS = frozenset({*KINDS, "location"})


_KIND_SYNONYMS = {"room": "location", "place": "location"}


def read_condition(
    value: Any,
    path: Path,
    notes: RulebookFindings,
    vocabulary: Mapping[str, Predicate],
    depth: int = 0,
) -> Condition | None:
    """Read a condition; return None, with a finding, if it is invalid.

    Two forms are read: `{"op": "held", "role": "tool"}` and the short `{"held":
    "tool"}`.
    """
    if depth > DEEPEST_CONDITION:
        notes.add_malformed(path, f"a condition is nested deeper than {DEEPEST_CONDITION} levels")
        return None
    named = (value, {}, ()) if isinstance(value, str) else split_operation(value)
    if named is None:
        hint = 'write {"op": "held", "role": "tool"}, or short {"held": "tool"}'
        notes.add_malformed(path, f"{quote_value(value)} is not a condition", hint)
        return None
    word, argument, inside = named
    name = to_camel(word)
    if name in JOINTS:
        return _read_joint(name, argument, path + inside, notes, vocabulary, depth)
    if name not in vocabulary:
        notes.add_unknown("RULE_UNKNOWN_PREDICATE", path, word, {*vocabulary, *JOINTS})
        return None
    return _read_predicate(vocabulary[name], argument, path + inside, notes)


def split_operation(value: Any) -> tuple[str, Any, Path] | None:
    """Return the operator of a condition or effect, its arguments, and their path."""
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
    notes: RulebookFindings,
    vocabulary: Mapping[str, Predicate],
    depth: int,
) -> Condition | None:
    inner = "condition" if name == "not" else "conditions"
    if isinstance(argument, Mapping) and set(argument) == {inner}:
        argument, path = argument[inner], (*path, inner)
    if name == "not":
        part = read_condition(argument, path, notes, vocabulary, depth + 1)
        return NotCondition(part) if part else None
    if not isinstance(argument, (list, tuple)) or not argument:
        notes.add_malformed(path, f"{name!r} needs a list of at least one condition")
        return None
    parts = [
        read_condition(each, (*path, i), notes, vocabulary, depth + 1)
        for i, each in enumerate(argument)
    ]
    valid = tuple(part for part in parts if part is not None)
    if len(valid) < len(parts):
        return None
    return AllCondition(valid) if name == "and" else AnyCondition(valid)


def _read_predicate(
    predicate: Predicate, argument: Any, path: Path, notes: RulebookFindings
) -> Condition | None:
    before = notes.errors
    if predicate.free and isinstance(argument, Mapping | None):
        args = {to_camel(str(key)): value for key, value in (argument or {}).items()}
        check_hashable(args, path, notes)
    else:
        args = read_arguments(predicate.name, predicate.params, argument, path, notes)
    return PredicateCondition(predicate, args) if notes.errors == before else None


def read_arguments(
    owner: str,
    params: Sequence[PredicateParam],
    argument: Any,
    path: Path,
    notes: RulebookFindings,
    known: Collection[str] = ("op",),
) -> dict[str, Any]:
    """Return the arguments of a predicate or an effect, with the defaults of the rest.

    Anything but a mapping is the first argument. `known` are keys next to them.
    """
    given: dict[str, tuple[Any, Path]] = {}
    if isinstance(argument, Mapping):
        given = {to_camel(str(k)): (v, (*path, str(k))) for k, v in argument.items()}
    elif argument is not None and params:
        given = {params[0].name: (argument, path)}
    elif argument is not None:
        notes.add_malformed(path, f"{owner!r} takes no {quote_value(argument)}")
    names = {param.name for param in params}
    for name, (_, inside) in given.items():
        if name not in names:
            notes.add_unknown("RULE_UNKNOWN_FIELD", inside, name, {*known, *names})
    args: dict[str, Any] = {}
    for param in params:
        args[param.name] = param.default
        value, inside = given.get(param.name, (None, path))
        if param.name not in given and param.default is REQUIRED:
            notes.add_malformed(path, f"{owner!r} needs {param.name!r}")
        elif param.name in given and (value is not None or param.default is not None):
            args[param.name] = read_param_value(param, value, inside, notes)
    return args


def read_param_value(param: PredicateParam, value: Any, path: Path, notes: RulebookFindings) -> Any:
    """Return the value of a parameter; an invalid one becomes a finding."""
    match param.kind:
        case "role":
            return _read_role(value, path, notes)
        case "kind":
            return _read_kind(value, path, notes)
        case "kinds":
            each = value if isinstance(value, (list, tuple)) else [value]
            return [_read_kind(kind, path, notes) for kind in each]
        case "text":
            if not isinstance(value, str):
                notes.add_malformed(path, f"{param.name!r} is text, not {quote_value(value)}")
        case "texts":
            each = value if isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(text, str) for text in each):
                notes.add_malformed(path, f"{param.name!r} must be a list of strings")
            return list(each)
        case "truth":
            if not isinstance(value, bool):
                notes.add_malformed(
                    path, f"{param.name!r} is true or false, not {quote_value(value)}"
                )
        case "value":
            check_hashable(value, path, notes)
        case _:
            assert_never(param.kind)
    return value


def check_hashable(value: Any, path: Path, notes: RulebookFindings) -> None:
    """Add a finding for a value that cannot be hashed."""
    try:
        encode_canonical_json(value)
    except SchemaValidationError as problem:
        notes.add_malformed(path, problem.message, problem.hint)


def _read_role(value: Any, path: Path, notes: RulebookFindings) -> str:
    name = to_camel(value) if isinstance(value, str) else ""
    if name not in ROLES:
        notes.add_unknown("RULE_UNKNOWN_ROLE", path, value, ROLES)
    return name


def _read_kind(value: Any, path: Path, notes: RulebookFindings) -> str:
    kind = _KIND_SYNONYMS.get(value, value) if isinstance(value, str) else ""
    if kind not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        notes.add_malformed(path, f"{quote_value(value)} is not a kind of thing", f"known: {known}")
    return kind
