"""The conditions of rules: read from a document, and compiled to tests.

Mistakes become findings with their place.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from saniwa.core.canonical_json import encode_canonical_json
from saniwa.core.errors import SchemaValidationError
from saniwa.core.text import quote_value
from saniwa.rulebook.attribute_predicates import ACTION_PREDICATES, ATTRIBUTE_PREDICATES
from saniwa.rulebook.finding_collector import Path, RulebookFindings, to_camel
from saniwa.rulebook.placement_predicates import HOLDING_PREDICATES, PLACEMENT_PREDICATES
from saniwa.rulebook.predicates import (
    REQUIRED,
    ROLES,
    ActionCase,
    Args,
    Predicate,
    PredicateParam,
    Provider,
    Test,
    is_named_by_field,
)
from saniwa.world.model import KINDS

VOCABULARY: Final[dict[str, Predicate]] = {
    p.name: p
    for p in (*ATTRIBUTE_PREDICATES, *ACTION_PREDICATES, *PLACEMENT_PREDICATES, *HOLDING_PREDICATES)
}
"""The closed list of predicates, by name; a book's plugins are added to it."""

JOINTS: Final = ("and", "or", "not")
"""The words that join predicates."""


@dataclass(frozen=True, slots=True)
class AllCondition:
    """Holds if every part holds."""

    parts: "tuple[Condition, ...]"
    """The parts, in the author's order."""


@dataclass(frozen=True, slots=True)
class AnyCondition:
    """Holds if at least one part holds."""

    parts: "tuple[Condition, ...]"
    """The parts, in the author's order."""


@dataclass(frozen=True, slots=True)
class NotCondition:
    """Holds if its part does not."""

    part: "Condition"
    """The part."""


@dataclass(frozen=True, slots=True)
class PredicateCondition:
    """One predicate with its arguments."""

    predicate: Predicate
    """The predicate."""
    args: Args
    """Its arguments, checked and complete."""


Condition = AllCondition | AnyCondition | NotCondition | PredicateCondition


def build_test(condition: Condition) -> Test:
    """Compile the condition into a function that can be called many times."""
    match condition:
        case PredicateCondition(predicate, args):
            return predicate.build(args)
        case NotCondition(part):
            inner = build_test(part)
            return lambda case: not inner(case)
        case AllCondition(parts):
            return join_tests([build_test(part) for part in parts])
        case AnyCondition(parts):
            return _join_alternatives([build_test(part) for part in parts])
        case _:
            assert_never(condition)


def join_tests(tests: Sequence[Test]) -> Test:
    """Return a test that passes if all of them pass."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda case: one(case) and other(case)

    def test(case: ActionCase) -> bool:
        # No generator: this is where judging spends its time.
        for each in tests:  # noqa: SIM110 - faster than a generator
            if not each(case):
                return False
        return True

    return test


def _join_alternatives(tests: Sequence[Test]) -> Test:
    if len(tests) == 2:
        one, other = tests
        return lambda case: one(case) or other(case)

    def test(case: ActionCase) -> bool:
        for each in tests:  # noqa: SIM110 - faster than a generator
            if each(case):
                return True
        return False

    return test


def render_condition(condition: Condition) -> dict[str, Any]:
    """Return the condition in its full form, `{"op": …}` at every level."""
    match condition:
        case PredicateCondition(predicate, args):
            return {"op": predicate.name, **args}
        case NotCondition(part):
            return {"op": "not", "condition": render_condition(part)}
        case AllCondition(parts):
            return {"op": "and", "conditions": [render_condition(p) for p in parts]}
        case AnyCondition(parts):
            return {"op": "or", "conditions": [render_condition(p) for p in parts]}
        case _:
            assert_never(condition)


def list_fields_read(condition: Condition) -> frozenset[str] | None:
    """Return the action's fields the condition depends on; None for all of them."""
    match condition:
        case PredicateCondition(predicate, args):
            return predicate.list_fields_read(args)
        case NotCondition(part):
            return list_fields_read(part)
        case AllCondition(parts) | AnyCondition(parts):
            fields: frozenset[str] = frozenset()
            for part in parts:
                more = list_fields_read(part)
                if more is None:
                    return None
                fields |= more
            return fields
        case _:
            assert_never(condition)


def find_providers(condition: Condition, field: str, known: frozenset[str]) -> tuple[Provider, ...]:
    """Return ways to list every value of a field under which the condition can hold.

    Each lists all of those values and perhaps more, so any one of them is enough; an
    empty result means that any value may satisfy the condition. Fields in `known` have
    a value when the list is made. Only existing things are listed, and None for an
    omitted field.
    """
    match condition:
        case PredicateCondition(predicate, args):
            found = predicate.narrow and predicate.narrow(args, field, known)
            return (found,) if found else ()
        case NotCondition(PredicateCondition(predicate, args)):
            # Among what exists, only an omitted field is not given and does not exist.
            absent = predicate.name in ("given", "entityExists")
            return (_provide_none,) if absent and is_named_by_field(args["role"], field) else ()
        case AllCondition(parts):
            return tuple(p for part in parts for p in find_providers(part, field, known))
        case AnyCondition(parts):
            return _merge_branches(tuple(find_providers(part, field, known) for part in parts))
        case NotCondition():
            return ()
        case _:
            assert_never(condition)


def is_assured(condition: Condition, field: str, *, optional: bool) -> bool:
    """Whether the condition holds for every existing value that `find_providers` lists.

    Then it need not be tested again. For an optional field, the condition must also
    allow the field to be omitted.
    """
    match condition:
        case PredicateCondition(predicate, args):
            sure = predicate.exact or predicate.name == "entityExists"
            return sure and not optional and is_named_by_field(args["role"], field)
        case AnyCondition((NotCondition(PredicateCondition(given, args)), part)):
            left_out = given.name == "given" and is_named_by_field(args["role"], field)
            return left_out and is_assured(part, field, optional=False)
        case _:
            return False


def _merge_branches(branches: tuple[tuple[Provider, ...], ...]) -> tuple[Provider, ...]:
    if not all(branches):
        return ()
    firsts = tuple(branch[0] for branch in branches)
    return (lambda case: (value for first in firsts for value in first(case)),)


def _provide_none(case: ActionCase) -> tuple[None]:
    del case
    return (None,)


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
            return [_read_kind(kind, path, notes) for kind in _to_list(value)]
        case "text":
            if not isinstance(value, str):
                notes.add_malformed(path, f"{param.name!r} is text, not {quote_value(value)}")
        case "texts":
            return _read_texts(param.name, value, path, notes)
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


def _to_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def check_hashable(value: Any, path: Path, notes: RulebookFindings) -> None:
    """Add a finding for a value that cannot be hashed."""
    try:
        encode_canonical_json(value)
    except SchemaValidationError as problem:
        notes.add_malformed(path, problem.message, problem.hint)


def _read_texts(name: str, value: Any, path: Path, notes: RulebookFindings) -> list[Any]:
    texts = _to_list(value)
    if not all(isinstance(text, str) for text in texts):
        notes.add_malformed(path, f"{name!r} must be a list of strings")
    return texts


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
