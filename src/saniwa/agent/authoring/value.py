"""Whether a value is what a parameter asks for, and how it reads in a prompt."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from saniwa.agent.definition import Parameter, Rule
from saniwa.core.paper.kinds import LONGEST_TEXT, is_number
from saniwa.core.quoted import quoted

if TYPE_CHECKING:
    from saniwa.process.weighing.schema import Checker

LONGEST_PATTERN = 1_000
"""Letters a pattern may have."""
MOST_ITEMS = 1_000
"""Items of a list."""
_NUMBER = re.compile(
    r"[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII
).fullmatch
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
_CALLED = {
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of texts",
}
_CURES = {
    "string": "put it in quotes",
    "number": "write it without quotes",
    "boolean": "write true or false, without quotes",
    "array": 'write a list, such as ["one", "two"]',
}


def taken(parameter: Parameter, value: Any) -> Any:
    """A value as the command line gives it, as the parameter's type has it.

    What cannot be taken stays as it is, for `fault_of` to tell.
    """
    if not isinstance(value, str):
        return value
    match parameter.type:
        case "number" if _NUMBER(value):
            number = float(value)
            return (
                int(number) if number.is_integer() and abs(number) < 2**53 else number
            )
        case "boolean":
            return _TRUTH.get(value.lower(), value)
        case "array":
            return [part.strip() for part in value.split(",") if part.strip()]
        case _:
            return value


def fault_of(parameter: Parameter, value: Any) -> str:
    """What is wrong with a value; empty if nothing is. Reads on after the value."""
    if not _is(parameter.type, value):
        return f"is not {_CALLED[parameter.type]}"
    rule = parameter.validation
    values = value if parameter.type == "array" else [value]
    if len(values) > MOST_ITEMS:
        return f"has more than {MOST_ITEMS} items"
    if any(isinstance(each, str) and len(each) > LONGEST_TEXT for each in values):
        return f"has more than {LONGEST_TEXT} letters"
    return _breach(rule, value)


def _is(kind: str, value: Any) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "number":
            return is_number(value)
        case "boolean":
            return isinstance(value, bool)
        case _:
            return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _breach(rule: Rule, value: Any) -> str:
    if rule.min is not None and value < rule.min:
        return f"is less than {rule.min:g}"
    if rule.max is not None and value > rule.max:
        return f"is more than {rule.max:g}"
    if rule.pattern and not _matches(rule.pattern, value):
        return f"does not match {quoted(rule.pattern)}"
    if rule.enum and value not in rule.enum:
        return "is none of " + ", ".join(quoted(each) for each in rule.enum[:20])
    return ""


def cure_of(parameter: Parameter, value: Any) -> str:
    """What to do about a value `fault_of` has found something wrong with."""
    if _is(parameter.type, value):
        return "change the value, or what 'validation' asks for"
    return _CURES[parameter.type]


def pattern_fault(pattern: str) -> str:
    """Why a pattern cannot be used; empty if it can."""
    from saniwa.process.weighing.schema import check_schema

    if len(pattern) > LONGEST_PATTERN:
        return f"the pattern has more than {LONGEST_PATTERN} letters"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as problem:
        return f"{quoted(pattern)} is no pattern: {problem}"
    # First alone: put into a group, a stray parenthesis could close it.
    for written in (pattern, _whole(pattern)):
        if check_schema({"pattern": written}):
            return (
                f"{quoted(pattern)} is no pattern we take: it may have no look-around,"
                " no back-reference and no huge repeat"
            )
    return ""


def _whole(pattern: str) -> str:
    return f"^(?:{pattern})$"


def _matches(pattern: str, value: str) -> bool:
    return not _checker(_whole(pattern)).problems(value)


@lru_cache(maxsize=128)
def _checker(pattern: str) -> "Checker":
    # Its time grows with the text alone, whatever the pattern.
    from saniwa.process.weighing.schema import Checker

    return Checker({"pattern": pattern})


def written(value: Any) -> str:
    """A value as a prompt has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)
