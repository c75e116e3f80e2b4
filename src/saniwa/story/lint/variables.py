"""Checks of variables: undeclared, never read, or with values of the wrong kind."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple, cast

from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.suggestions import find_typo_correction
from saniwa.core.text import quote_value
from saniwa.story.elements import AskElement, AssignElement
from saniwa.story.evaluation import FUNCTIONS, ExpressionScope, Value, format_value
from saniwa.story.expression_parser import VariableReference
from saniwa.story.expressions import Expression
from saniwa.story.lint.context import (
    LintContext,
    list_lines,
    make_finding,
    make_place,
    suggest_name,
)

_MARKS: Final = ("once", "else", "ask")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]").match
_CALL = re.compile(rf"\b({'|'.join(FUNCTIONS)})\(\s*\Z").search


class SuggestedFix(NamedTuple):
    """How to correct a finding."""

    hint: str
    """The hint for the author."""
    details: dict[str, Any]
    """The edit, if there is one."""


def suggest_meaning(story: LintContext, where: SourceLocation, name: str) -> SuggestedFix | None:
    """Suggest a mark of an item, or quotes around a text; None if neither fits."""
    line = story.get_line(where).rstrip()
    before, after = line[: where.column - 1], line[where.column - 1 + len(name) :]
    if before.rstrip().endswith("{") and after.lstrip()[:1] == "}" and _ITEM(line):
        mark = find_typo_correction(name, _MARKS)
        if mark:
            hint = f"did you mean {{{mark}}}?"
            return SuggestedFix(hint, story.make_rewrite(where, name, mark))
    called = _CALL(before)
    if called is not None and after.lstrip()[:1] in (")", ","):
        what = "label" if called[1] == "visits" else "name"
        quoted = f'"{name}"'
        hint = f"put the {what} in quotes: {called[1]}({quoted})"
        return SuggestedFix(hint, story.make_rewrite(where, name, quoted))
    return None


_BUILT_IN_VARIABLES: Final = frozenset({"allowed", "reason", "heard"})
"""Variables that the player itself sets."""
_NO_SCOPE = cast(ExpressionScope, None)
"""Constant expressions read no scope."""


def find_undeclared_variables(story: LintContext) -> Iterator[Finding]:
    """Find variables that are never declared or given a value."""
    firm = {
        each.name
        for kind in (AssignElement, AskElement)
        for _, each in story.elements[kind]
        if not isinstance(each, AssignElement) or each.operator == "="
    }
    known = story.declarations.keys() or firm
    unknown = (
        (_find_read_variables(story) | {name for name, _ in _list_assignments(story)})
        - known
        - _BUILT_IN_VARIABLES
    )
    early = set() if story.declarations else _find_changed_variables(story) & firm
    uses = _list_uses(story, unknown | early) if unknown or early else {}
    for name in sorted(unknown):
        first = min(uses[name], key=_make_sort_key)
        lack = "declared" if story.declarations else "given a value"
        cure = suggest_meaning(story, first, name) or _suggest_fix(story, first, name, known)
        yield make_finding(
            "warning",
            "VARIABLE_UNDECLARED",
            first,
            f"the variable {quote_value(name)} is never {lack}",
            cure.hint,
            variable=name,
            lines=list_lines(uses[name], first.file),
            **cure.details,
        )
    order, changes = (_make_reading_order(story), _find_changes(story) if early else set())
    for name in sorted(early):
        first = min(uses[name], key=order)
        if first in changes:
            yield make_finding(
                "warning",
                "VARIABLE_UNDECLARED",
                first,
                f"the variable {quote_value(name)} is changed before it has a value",
                _suggest_declaration(story, name),
                variable=name,
                lines=list_lines(uses[name], first.file),
            )


def _suggest_fix(
    story: LintContext, first: SourceLocation, name: str, known: Collection[str]
) -> SuggestedFix:
    near = story.find_near(name, known)
    if near:
        story.misspelt.add(near)
    hint = suggest_name(near, _suggest_declaration(story, name))
    return SuggestedFix(hint, story.make_rewrite(first, name, near))


def _suggest_declaration(story: LintContext, name: str) -> str:
    """Suggest a declaration, with an initial value of the kind it is used as."""
    values = [
        each[4]
        for each in (*_list_constants(story), *_list_comparisons(story))
        if each[3] == name and each[4] is not None
    ]
    if any(each.name == name for _, each in story.elements[AskElement]):
        values.insert(0, "")
    first = "0"
    if values and isinstance(values[0], bool):
        first = "false"
    elif values and isinstance(values[0], str):
        first = '""'
    return f"declare it in the front matter: vars: {{{name}: {first}}}"


def _find_changed_variables(story: LintContext) -> set[str]:
    """The variables that are set by arithmetic, such as `+=`."""
    return {put.name for _, put in story.elements[AssignElement] if put.operator != "="}


def _find_changes(story: LintContext) -> set[SourceLocation]:
    """The places where variables are set by arithmetic."""
    return {
        make_place(file, put.line, put.name_column)
        for file, put in story.elements[AssignElement]
        if put.operator != "="
    }


def _make_reading_order(story: LintContext) -> Callable[[SourceLocation], tuple[int, int, int]]:
    files = {scene.file: number for number, scene in enumerate(story.scenes)}
    return lambda where: (files[where.file], where.line, where.column)


def _find_read_variables(story: LintContext) -> set[str]:
    """The variables that are read."""
    return {
        name.name
        for _, expressions in story.expressions
        for expression in expressions
        for name in expression.names
    }


def _list_assignments(story: LintContext) -> Iterator[tuple[str, SourceLocation]]:
    """Yield where variables are set, directly or by arithmetic."""
    for file, element in (*story.elements[AssignElement], *story.elements[AskElement]):
        if element.name:
            yield element.name, make_place(file, element.line, element.name_column)


def _list_uses(story: LintContext, names: set[str]) -> dict[str, list[SourceLocation]]:
    """Map each of these variables to the places where it is read or set."""
    uses = defaultdict(list)
    for name, where in _list_assignments(story):
        if name in names:
            uses[name].append(where)
    for file, expressions in story.expressions:
        for expression in expressions:
            for each in expression.names:
                if each.name in names:
                    uses[each.name].append(make_place(file, each.line, each.column))
    return uses


def _make_sort_key(where: SourceLocation) -> tuple[str, int, int]:
    return (where.file, where.line, where.column)


def find_unread_variables(story: LintContext) -> Iterator[Finding]:
    """Find variables that are never read."""
    named = {name: where for name, (where, _) in story.declarations.items()}
    for name, where in _list_assignments(story):
        # If others are declared, an undeclared variable is reported as that.
        if not story.declarations:
            named.setdefault(name, where)
    read = _find_read_variables(story)
    for name, where in named.items():
        if name in read or name in _BUILT_IN_VARIABLES or name in story.misspelt:
            continue
        yield make_finding(
            "warning",
            "VARIABLE_UNREAD",
            where,
            f"the variable {quote_value(name)} is never read",
            f"use it in a condition or show it with {{{name}}}, "
            "or take it out, with every [SET] of it",
            variable=name,
        )


def find_kind_mismatches(story: LintContext) -> Iterator[Finding]:
    """Find variables set to or compared with another kind than their initial value."""
    kinds = {
        name: _describe_kind(value)
        for name, (_, value) in story.declarations.items()
        if value is not None
    }
    if not kinds:
        return
    for file, line, column, name, value, verb in (
        *_list_constants(story),
        *_list_comparisons(story),
    ):
        kind, other = kinds.get(name), _describe_kind(value)
        if kind is None or value is None or kind == other:
            continue
        yield make_finding(
            "warning",
            "VARIABLE_KIND",
            make_place(file, line, column),
            f"{quote_value(name)} is {kind}, and {verb} {other}: {_quote_value(value)}",
            f"write {kind} here, or declare {name!r} otherwise",
            variable=name,
            value=value,
        )


def find_non_numeric_arithmetic(story: LintContext) -> Iterator[Finding]:
    """Find arithmetic with variables that are not numbers."""
    kinds = {
        name: _describe_kind(value)
        for name, (_, value) in story.declarations.items()
        if isinstance(value, str | bool)
    }
    for file, put in story.elements[AssignElement] if kinds else ():
        kind = kinds.get(put.name)
        joins = kind == "text" and put.operator == "+=" and put.old != "MODIFY"
        if kind is None or put.operator == "=" or joins:
            continue
        yield _make_arithmetic_finding(make_place(file, put.line, put.name_column), put.name, kind)
    for file, expressions in story.expressions if kinds else ():
        for expression in expressions:
            for each in expression.names:
                kind = kinds.get(each.name)
                signs = "-*/%" if kind == "text" else "+-*/%"
                if kind and _is_next_to_sign(expression, each, signs):
                    where = make_place(file, each.line, each.column)
                    yield _make_arithmetic_finding(where, each.name, kind)


def _is_next_to_sign(expression: Expression, name: VariableReference, signs: str) -> bool:
    """Whether an arithmetic operator is right next to a variable."""
    source, at = expression.source, name.column - expression.column
    if name.line != expression.line or not source.startswith(name.name, at):
        return False
    before = source[:at].rstrip()[-1:]
    after = source[at + len(name.name) :].lstrip()[:1]
    return bool(before and before in signs) or bool(after and after in signs)


def _make_arithmetic_finding(where: SourceLocation, name: str, kind: str) -> Finding:
    return make_finding(
        "warning",
        "VARIABLE_KIND",
        where,
        f"{quote_value(name)} is {kind}, and is reckoned with like a number",
        f"declare {name!r} as a number, or use another variable",
        variable=name,
    )


_Constant = tuple[str, int, int, str, Value, str]


def _list_constants(story: LintContext) -> Iterator[_Constant]:
    for file, put in story.elements[AssignElement]:
        if put.operator == "=" and put.worth.constant:
            value = put.worth.worth(_NO_SCOPE)
            yield file, put.line, put.name_column, put.name, value, "set to"


def _list_comparisons(story: LintContext) -> Iterator[_Constant]:
    for file, expressions in story.expressions:
        for expression in expressions:
            for each in expression.compared:
                place_of = (file, each.line, each.column)
                yield *place_of, each.name, each.value, "compared with"


def _quote_value(value: Value) -> str:
    return quote_value(value) if isinstance(value, str) else format_value(value)


def _describe_kind(value: Value) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"
