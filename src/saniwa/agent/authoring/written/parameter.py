"""What the user of an agent may say, read from its definition."""

from typing import cast, get_args

from msgspec.structs import replace

from saniwa.agent.authoring.option import RUN_OPTIONS, option_of
from saniwa.agent.authoring.paper.form import PARAMETER, RULE
from saniwa.agent.authoring.paper.shape import fields
from saniwa.agent.authoring.value import cure_of, fault_of, pattern_fault
from saniwa.agent.definition import Parameter, ParameterType, Rule
from saniwa.agent.prompting.variable import is_name
from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import wrong_type
from saniwa.core.quoted import quoted

MOST_PARAMETERS = 1_000
"""Parameters of one agent."""
_TYPES = get_args(ParameterType)
_MEANT = {
    "bool": "boolean",
    "float": "number",
    "int": "number",
    "integer": "number",
    "list": "array",
    "str": "string",
    "text": "string",
}
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
        written = fields(inner, PARAMETER, f"the parameter {quoted(name)}")
        found[name] = _parameter(written)
        _check_option(name, found[name], written, options)
    return found


def _merged(held: Held) -> dict[str, Held]:
    """Every parameter by name, the upper file's over the lower one's."""
    found = _merged(held.below) if held.below is not None else {}
    for name, value in held.value.items():
        if not str(name).startswith("_"):
            found[name] = held.inner(name, value)._replace(below=found.get(name))
    return found


def _check_option(
    name: str, parameter: Parameter, found: Fields, options: dict[str, str]
) -> None:
    """See that a parameter's option means it, and nothing else."""
    option = option_of(name, parameter)
    other = options.setdefault(option, name)
    if other != name:
        message = f"the option {option!r} belongs to {other!r} already"
        place = found.get("cli", found.held)
        place.error("DUPLICATE_KEY", message, hint="give it another option")
    elif option in RUN_OPTIONS:
        message = f"{option!r} is an option of 'saniwa agent run' itself"
        hint = f"give it another 'cli', such as '--my-{option.removeprefix('--')}'"
        if "cli" in found:
            found["cli"].error("NAME_RESERVED", message, hint=hint)
        else:
            path = found.held.path
            found.held.page.warn("NAME_RESERVED", message, path, hint=hint, key=True)


def _parameter(found: Fields) -> Parameter:
    kind = found.one_of("type", _TYPES, "string", _MEANT)
    # Of a type nobody knows, nobody knows what fits it.
    known = "type" not in found.malformed
    parameter = Parameter(
        **found.taken("description", "required", "cli"),
        type=cast(ParameterType, kind),
        validation=_rule(found.part("validation"), kind if known else ""),
    )
    held = found.get("default")
    if not known or held is None or held.value is None:
        return parameter
    why = fault_of(parameter, held.value)
    if not why:
        return replace(parameter, default=held.value)
    hint = cure_of(parameter, held.value)
    held.error("WRONG_TYPE", f"the default {quoted(held.value)} {why}", hint=hint)
    return parameter


def _rule(held: Held, kind: str) -> Rule:
    found = fields(held, RULE, "a validation")
    for name, wanted in _FOR.items():
        if kind and name in found and kind != wanted:
            message = f"{name!r} is for a {wanted}, and the parameter is of type {kind}"
            found.pop(name).error("WRONG_TYPE", message, hint="leave it out")
    least, most = found.said("min"), found.said("max")
    if least is not None and most is not None and least > most:
        message = f"'min' is {least!r}, more than 'max', which is {most!r}"
        found["min"].error("WRONG_TYPE", message, hint="exchange them")
    return Rule(min=least, max=most, pattern=_pattern(found), enum=_enum(found, kind))


def _pattern(found: Fields) -> str:
    held = found.get("pattern")
    why = pattern_fault(held.value) if held is not None else ""
    if held is None or not why:
        return str(found.said("pattern", ""))
    hint = "mend it, or list the values under 'enum'"
    held.error("PATTERN_UNUSABLE", why, hint=hint)
    return ""


def _enum(found: Fields, kind: str) -> tuple[object, ...]:
    allowed = found.said("enum", [])
    bare = Parameter(type=cast(ParameterType, kind or "string"))
    for nth, value in enumerate(allowed):
        why = fault_of(bare, value) if kind else ""
        if why:
            item, hint = found["enum"].inner(nth, value), cure_of(bare, value)
            item.error("WRONG_TYPE", f"the value {quoted(value)} {why}", hint=hint)
    if "enum" in found and not allowed:
        hint = "list some values"
        found["enum"].error("WRONG_TYPE", "'enum' allows nothing", hint=hint)
    return tuple(allowed)
