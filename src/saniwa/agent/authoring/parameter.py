"""What the user of an agent may say, read from its definition."""

from collections.abc import Callable
from typing import cast, get_args

from saniwa.agent.authoring.form import PARAMETER, RULE
from saniwa.agent.authoring.page import Held
from saniwa.agent.authoring.shape import Fields, fields, wrong_type
from saniwa.agent.authoring.value import fault_of, pattern_fault
from saniwa.agent.definition import Parameter, ParameterType, Rule
from saniwa.agent.prompting.variable import is_name
from saniwa.core.quoted import quoted

MOST_PARAMETERS = 1_000
"""Parameters of one agent."""
_TYPES = get_args(ParameterType)
_FOR = {"min": "number", "max": "number", "pattern": "string"}


def parameters_of(held: Held) -> dict[str, Parameter]:
    """The parameters of a mapping that could be read, by name."""
    found: dict[str, Parameter] = {}
    options: dict[str, str] = {}
    if len(held.value) > MOST_PARAMETERS:
        wrong_type(held, "'parameters'", f"at most {MOST_PARAMETERS} of them")
        return found
    for name, inner in _merged(held).items():
        if is_name(name) is None or len(name) > 100:
            message = f"the parameter {quoted(name)} cannot be a variable's name"
            hint = "use letters, digits, '_' and '-'"
            inner.page.error("NAME_UNUSABLE", message, inner.path, key=True, hint=hint)
            continue
        found[name] = _parameter(inner, name, options)
    return found


def _merged(held: Held) -> dict[str, Held]:
    """Every parameter by name, the upper file's over the lower one's."""
    found = _merged(held.below) if held.below is not None else {}
    for name, value in held.value.items():
        if not str(name).startswith("_"):
            found[name] = held.inner(name, value)._replace(below=found.get(name))
    return found


def _parameter(held: Held, name: str, options: dict[str, str]) -> Parameter:
    found = fields(held, PARAMETER, f"the parameter {quoted(name)}")
    kind = found.one_of("type", _TYPES, "string")
    option = found.said("cli", "")
    if option and options.setdefault(option, name) != name:
        message = f"the option {option!r} belongs to {options[option]!r} already"
        found["cli"].error("DUPLICATE_KEY", message, hint="give it another option")
    parameter = Parameter(
        type=cast(ParameterType, kind),
        description=found.said("description", ""),
        required=found.said("required", False),
        cli=option,
        validation=_rule(found.part("validation"), kind),
    )
    if "default" not in found:
        return parameter
    return _with_default(parameter, found)


def _with_default(parameter: Parameter, found: Fields) -> Parameter:
    from msgspec.structs import replace

    held = found["default"]
    if held.value is None:
        return parameter
    why = fault_of(parameter, held.value)
    if why:
        held.error("WRONG_TYPE", f"the default {quoted(held.value)} {why}")
        return parameter
    return replace(parameter, default=held.value)


def _rule(held: Held, kind: str) -> Rule:
    found = fields(held, RULE, "a validation")
    for name, wanted in _FOR.items():
        if name in found and kind != wanted:
            message = f"{name!r} is for a {wanted}, and the parameter is of type {kind}"
            found.pop(name).error("WRONG_TYPE", message, hint="leave it out")
    least, most = found.said("min"), found.said("max")
    if least is not None and most is not None and least > most:
        message = f"'min' is {least!r}, more than 'max', which is {most!r}"
        found["min"].error("WRONG_TYPE", message, hint="exchange them")
    pattern = _checked(found, "pattern", pattern_fault)
    allowed = found.said("enum", [])
    for nth, value in enumerate(allowed):
        why = fault_of(Parameter(type=cast(ParameterType, kind)), value)
        if why:
            item = found["enum"].inner(nth, value)
            item.error("WRONG_TYPE", f"the value {quoted(value)} {why}")
    if "enum" in found and not allowed:
        found["enum"].error(
            "WRONG_TYPE", "'enum' allows nothing", hint="list some values"
        )
    return Rule(min=least, max=most, pattern=pattern, enum=tuple(allowed))


def _checked(found: Fields, name: str, fault: Callable[[str], str]) -> str:
    held = found.get(name)
    why = fault(held.value) if held is not None else ""
    if held is not None and why:
        held.error("PATTERN_UNUSABLE", why)
        return ""
    return str(found.said(name, ""))
