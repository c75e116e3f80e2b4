"""Variables: nobody declares them, nobody reads them, or their values do not fit."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Final, cast

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.expression import Expression, Named, Scope
from saniwa.script.language.value import Value, shown
from saniwa.script.lint.meant import Cure, meant
from saniwa.script.lint.telling import found, guess, lines_of, place
from saniwa.script.lint.whole import Whole
from saniwa.script.node import Ask, Assign

_GIVEN: Final = frozenset({"allowed", "reason", "heard"})
"""Variables the player sets by itself."""
_NOBODY = cast(Scope, None)
"""Whom constant expressions ask: nobody."""


def variable_undeclared(story: Whole) -> Iterator[Finding]:
    """Variables that nobody declares or gives a value."""
    firm = {
        each.name
        for kind in (Assign, Ask)
        for _, each in story.elements[kind]
        if not isinstance(each, Assign) or each.operator == "="
    }
    known = story.declared.keys() or firm
    unknown = (_read(story) | {name for name, _ in _sets(story)}) - known - _GIVEN
    early = set() if story.declared else _changed(story) & firm
    uses = _uses(story, unknown | early) if unknown or early else {}
    for name in sorted(unknown):
        first = min(uses[name], key=_order)
        lack = "declared" if story.declared else "given a value"
        cure = meant(story, first, name) or _cure(story, first, name, known)
        yield found(
            "warning",
            "VARIABLE_UNDECLARED",
            first,
            f"the variable {quoted(name)} is never {lack}",
            cure.hint,
            variable=name,
            lines=lines_of(uses[name], first.file),
            **cure.details,
        )
    order, changes = _reading_order(story), _changes(story) if early else set()
    for name in sorted(early):
        first = min(uses[name], key=order)
        if first in changes:
            yield found(
                "warning",
                "VARIABLE_UNDECLARED",
                first,
                f"the variable {quoted(name)} is changed before it has a value",
                _declare(story, name),
                variable=name,
                lines=lines_of(uses[name], first.file),
            )


def _cure(story: Whole, first: Where, name: str, known: Collection[str]) -> Cure:
    near = story.near(name, known)
    if near:
        story.misspelt.add(near)
    hint = guess(near, _declare(story, name))
    return Cure(hint, story.rewrite(first, name, near))


def _declare(story: Whole, name: str) -> str:
    """How to declare a variable, with a first value of the kind it is used as."""
    values = [
        each[4]
        for each in (*_set_constants(story), *_comparisons(story))
        if each[3] == name and each[4] is not None
    ]
    if any(each.name == name for _, each in story.elements[Ask]):
        values.insert(0, "")
    first = "0"
    if values and isinstance(values[0], bool):
        first = "false"
    elif values and isinstance(values[0], str):
        first = '""'
    return f"declare it in the front matter: vars: {{{name}: {first}}}"


def _changed(story: Whole) -> set[str]:
    """The variables that are reckoned with in being set."""
    return {put.name for _, put in story.elements[Assign] if put.operator != "="}


def _changes(story: Whole) -> set[Where]:
    """Where variables are reckoned with in being set."""
    return {
        place(file, put.line, put.name_column)
        for file, put in story.elements[Assign]
        if put.operator != "="
    }


def _reading_order(story: Whole) -> Callable[[Where], tuple[int, int, int]]:
    files = {scene.file: number for number, scene in enumerate(story.scenes)}
    return lambda where: (files[where.file], where.line, where.column)


def _read(story: Whole) -> set[str]:
    """The variables that are read."""
    return {
        name.name
        for _, expressions in story.expressions
        for expression in expressions
        for name in expression.names
    }


def _sets(story: Whole) -> Iterator[tuple[str, Where]]:
    """Where variables are given a value of their own or a changed one."""
    for file, element in (*story.elements[Assign], *story.elements[Ask]):
        if element.name:
            yield element.name, place(file, element.line, element.name_column)


def _uses(story: Whole, names: set[str]) -> dict[str, list[Where]]:
    """Where each of these variables is read or set."""
    uses = defaultdict(list)
    for name, where in _sets(story):
        if name in names:
            uses[name].append(where)
    for file, expressions in story.expressions:
        for expression in expressions:
            for each in expression.names:
                if each.name in names:
                    uses[each.name].append(place(file, each.line, each.column))
    return uses


def _order(where: Where) -> tuple[str, int, int]:
    return (where.file, where.line, where.column)


def variable_unread(story: Whole) -> Iterator[Finding]:
    """Variables that nobody reads."""
    named = {name: where for name, (where, _) in story.declared.items()}
    for name, where in _sets(story):
        # What is not declared where others are is told of as such.
        if not story.declared:
            named.setdefault(name, where)
    read = _read(story)
    for name, where in named.items():
        if name in read or name in _GIVEN or name in story.misspelt:
            continue
        yield found(
            "warning",
            "VARIABLE_UNREAD",
            where,
            f"the variable {quoted(name)} is never read",
            f"use it in a condition or show it with {{{name}}}, "
            "or take it out, with every [SET] of it",
            variable=name,
        )


def variable_kind(story: Whole) -> Iterator[Finding]:
    """Variables set to or compared with a value of another kind than their first."""
    kinds = {
        name: _kind(value)
        for name, (_, value) in story.declared.items()
        if value is not None
    }
    if not kinds:
        return
    for file, line, column, name, value, verb in (
        *_set_constants(story),
        *_comparisons(story),
    ):
        kind, other = kinds.get(name), _kind(value)
        if kind is None or value is None or kind == other:
            continue
        yield found(
            "warning",
            "VARIABLE_KIND",
            place(file, line, column),
            f"{quoted(name)} is {kind}, and {verb} {other}: {_written(value)}",
            f"write {kind} here, or declare {name!r} otherwise",
            variable=name,
            value=value,
        )


def variable_reckoned(story: Whole) -> Iterator[Finding]:
    """Variables that are no numbers, and are reckoned with as if they were."""
    kinds = {
        name: _kind(value)
        for name, (_, value) in story.declared.items()
        if isinstance(value, str | bool)
    }
    for file, put in story.elements[Assign] if kinds else ():
        kind = kinds.get(put.name)
        joins = kind == "text" and put.operator == "+=" and put.old != "MODIFY"
        if kind is None or put.operator == "=" or joins:
            continue
        yield _reckoned(place(file, put.line, put.name_column), put.name, kind)
    for file, expressions in story.expressions if kinds else ():
        for expression in expressions:
            for each in expression.names:
                kind = kinds.get(each.name)
                signs = "-*/%" if kind == "text" else "+-*/%"
                if kind and _beside(expression, each, signs):
                    where = place(file, each.line, each.column)
                    yield _reckoned(where, each.name, kind)


def _beside(expression: Expression, name: Named, signs: str) -> bool:
    """Whether a sign of arithmetic stands right beside a variable."""
    source, at = expression.source, name.column - expression.column
    if name.line != expression.line or not source.startswith(name.name, at):
        return False
    before = source[:at].rstrip()[-1:]
    behind = source[at + len(name.name) :].lstrip()[:1]
    return bool(before and before in signs) or bool(behind and behind in signs)


def _reckoned(where: Where, name: str, kind: str) -> Finding:
    return found(
        "warning",
        "VARIABLE_KIND",
        where,
        f"{quoted(name)} is {kind}, and is reckoned with like a number",
        f"declare {name!r} as a number, or use another variable",
        variable=name,
    )


_Constant = tuple[str, int, int, str, Value, str]


def _set_constants(story: Whole) -> Iterator[_Constant]:
    for file, put in story.elements[Assign]:
        if put.operator == "=" and put.worth.constant:
            value = put.worth.worth(_NOBODY)
            yield file, put.line, put.name_column, put.name, value, "set to"


def _comparisons(story: Whole) -> Iterator[_Constant]:
    for file, expressions in story.expressions:
        for expression in expressions:
            for each in expression.compared:
                place_of = (file, each.line, each.column)
                yield *place_of, each.name, each.value, "compared with"


def _written(value: Value) -> str:
    return quoted(value) if isinstance(value, str) else shown(value)


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"
