"""An agent's parameters: reads their definitions, and checks and renders arguments.

`read_parameters` is for the author's file, `resolve_arguments` for the user's values.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec.structs import replace

from saniwa.agent.definition import AgentDefinition, AgentParameter, ParameterRule, ParameterType
from saniwa.agent.field_kinds import NOTATION
from saniwa.agent.prompt_resolver import INPUT_VARIABLE, is_variable_name
from saniwa.core.errors import ConfigurationValidationError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import (
    LONGEST_TEXT,
    LocatedFields,
    add_type_error,
    is_number,
    make_form,
)

if TYPE_CHECKING:
    from saniwa.process.schema_checker import SchemaChecker


RUN_OPTIONS = frozenset(
    {
        "--allow-tool",
        "--dir",
        "--help",
        "--input",
        "--interrupted",
        "--json",
        "--max-calls",
        "--max-cost",
        "--max-iterations",
        "--max-tokens",
        "--model",
        "--model-url",
        "--process",
        "--quiet",
        "--record",
        "--replay",
        "--resume",
        "--run",
        "--wait",
        "--workspace",
    }
)
"""Options that `saniwa agent run` uses itself, whatever an agent's parameters are
called."""


def name_option(name: str, parameter: AgentParameter) -> str:
    """Return a parameter's option on the command line."""
    return parameter.cli or "--" + name.replace("_", "-")


LONGEST_PATTERN = 1_000
"""The longest pattern, in characters."""
MOST_ITEMS = 1_000
"""The most items of a list."""
_match_number = re.compile(r"[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII).fullmatch
_BOOLEAN_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_TYPE_NAMES = {
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of strings",
}
_TYPE_HINTS = {
    "string": "put it in quotes",
    "number": "write it without quotes",
    "boolean": "write true or false, without quotes",
    "array": 'write a list, such as ["one", "two"]',
}


def parse_option_value(parameter: AgentParameter, value: Any) -> Any:
    """Convert a text of the command line to the parameter's type.

    A value that cannot be converted is returned unchanged, for `find_value_fault` to
    report.
    """
    if not isinstance(value, str):
        return value
    match parameter.type:
        case "number" if _match_number(value):
            number = float(value)
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        case "boolean":
            return _BOOLEAN_WORDS.get(value.lower(), value)
        case "array":
            return [part.strip() for part in value.split(",") if part.strip()]
        case _:
            return value


def find_value_fault(parameter: AgentParameter, value: Any) -> str:
    """Say what is wrong with a value; empty if nothing is.

    The text continues a sentence that begins with the value.
    """
    if not _has_type(parameter.type, value):
        return f"is not {_TYPE_NAMES[parameter.type]}"
    rule = parameter.validation
    values = value if parameter.type == "array" else [value]
    if len(values) > MOST_ITEMS:
        return f"has more than {MOST_ITEMS} items"
    if any(isinstance(each, str) and len(each) > LONGEST_TEXT for each in values):
        return f"has more than {LONGEST_TEXT} characters"
    return _find_rule_breach(rule, value)


def _has_type(kind: str, value: Any) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "number":
            return is_number(value)
        case "boolean":
            return isinstance(value, bool)
        case _:
            return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _find_rule_breach(rule: ParameterRule, value: Any) -> str:
    if rule.min is not None and value < rule.min:
        return f"is less than {rule.min:g}"
    if rule.max is not None and value > rule.max:
        return f"is more than {rule.max:g}"
    if rule.pattern and not _matches_pattern(rule.pattern, value):
        return f"does not match {quote_value(rule.pattern)}"
    if rule.enum and value not in rule.enum:
        return "is not one of " + ", ".join(quote_value(each) for each in rule.enum[:20])
    return ""


def suggest_value_fix(parameter: AgentParameter, value: Any) -> str:
    """Suggest a fix for a value that `find_value_fault` rejected."""
    if _has_type(parameter.type, value):
        return "change the value or 'validation'"
    return _TYPE_HINTS[parameter.type]


def find_pattern_fault(pattern: str) -> str:
    """Say why a pattern cannot be used; empty if it can."""
    from saniwa.process.schema_checker import check_schema

    if len(pattern) > LONGEST_PATTERN:
        return f"the pattern has more than {LONGEST_PATTERN} characters"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as problem:
        return f"{quote_value(pattern)} is not a regular expression: {problem}"
    # First the pattern alone: inside a group, a stray parenthesis could close the
    # group.
    for written in (pattern, _anchor_pattern(pattern)):
        if check_schema({"pattern": written}):
            return (
                f"{quote_value(pattern)} is not a supported pattern: look-around,"
                " back-references and huge repeats are not allowed"
            )
    return ""


def _anchor_pattern(pattern: str) -> str:
    return f"^(?:{pattern})$"


def _matches_pattern(pattern: str, value: str) -> bool:
    return not _make_pattern_checker(_anchor_pattern(pattern)).find_problems(value)


@lru_cache(maxsize=128)
def _make_pattern_checker(pattern: str) -> "SchemaChecker":
    # Matching takes linear time for any pattern.
    from saniwa.process.schema_checker import SchemaChecker

    return SchemaChecker({"pattern": pattern})


def render_value(value: Any) -> str:
    """Render a value for a prompt."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def resolve_arguments(definition: AgentDefinition, given: Mapping[str, Any]) -> dict[str, str]:
    """Turn arguments into variables: `{origin: "Tokyo"}` is `{"origin": "Tokyo"}`.

    A text becomes a number, a boolean or a list if the parameter is one, since the
    command line has only texts. Missing arguments take their defaults; a parameter with
    neither has no variable. Every agent takes `input_text`.

    Raises:
        ConfigurationValidationError: `ARGUMENT_UNUSABLE`, with every problem at once.
    """
    parameters = {INPUT_VARIABLE: AgentParameter(), **definition.parameters}
    values = {
        name: parse_option_value(parameters[name], given[name]) if name in given else each.default
        for name, each in parameters.items()
        if name in given or each.default is not msgspec.UNSET
    }
    found = [*_find_argument_problems(definition.name, parameters, given, values)]
    if found:
        raise _make_argument_error(found)
    return {name: render_value(value) for name, value in sorted(values.items())}


def _find_argument_problems(
    agent: str,
    parameters: Mapping[str, AgentParameter],
    given: Mapping[str, Any],
    values: Mapping[str, Any],
) -> Iterator[Finding]:
    for name in sorted(set(given) - set(parameters)):
        known = ", ".join(sorted(parameters)) or "none"
        hint = suggest_nearest(name, parameters) or f"its parameters are: {known}"
        yield _make_argument_finding(name, f"{agent!r} has no parameter {quote_value(name)}", hint)
    for name, parameter in parameters.items():
        option = f" with {parameter.cli}" if parameter.cli else ""
        if name not in values:
            if parameter.required:
                yield _make_argument_finding(
                    name, f"the parameter {name!r} is required", f"give it{option}"
                )
            continue
        why = find_value_fault(parameter, values[name])
        if why:
            message = f"{quote_value(values[name])} for {name!r} {why}"
            yield _make_argument_finding(name, message, parameter.description)


def _make_argument_finding(name: str, message: str, hint: str) -> Finding:
    return Finding(
        code="ARGUMENT_UNUSABLE", message=message, where=SourceLocation(path=name), hint=hint
    )


def _make_argument_error(found: list[Finding]) -> ConfigurationValidationError:
    first, others = found[0], len(found) - 1
    more = f" (and {others} more)" if others else ""
    return ConfigurationValidationError(
        first.code,
        first.message + more,
        where=first.where,
        hint=first.hint,
        details={"findings": [each.to_document() for each in found]},
    )


MOST_PARAMETERS = 1_000
"""The most parameters of one agent."""
_RULE_TYPES = {"min": "number", "max": "number", "pattern": "string"}
RULE = make_form("a validation", ParameterRule, notation=NOTATION)
PARAMETER = make_form("a parameter", AgentParameter, notation=NOTATION)


def read_parameters(held: Located) -> dict[str, AgentParameter]:
    """Read the valid parameters of a mapping, by name."""
    found: dict[str, AgentParameter] = {}
    options: dict[str, str] = {}
    if len(held.value) > MOST_PARAMETERS:
        add_type_error(held, "'parameters'", f"at most {MOST_PARAMETERS} of them")
        return found
    for name, inner in _merge_parameters(held).items():
        if is_variable_name(name) is None or len(name) > 100:
            inner.report("NAME_UNUSABLE/parameters", key=True, name=name)
            continue
        written = PARAMETER.read(inner, f"the parameter {quote_value(name)}")
        found[name] = _read_parameter(written)
        _check_option(name, found[name], written, options)
    return found


def _merge_parameters(held: Located) -> dict[str, Located]:
    """Return every parameter by name, the upper file's over the lower one's."""
    found = _merge_parameters(held.below) if held.below is not None else {}
    for name, value in held.value.items():
        if not str(name).startswith("_"):
            found[name] = held.make_inner(name, value)._replace(below=found.get(name))
    return found


def _check_option(
    name: str, parameter: AgentParameter, found: LocatedFields, options: dict[str, str]
) -> None:
    """Check that an option is not used by another parameter or the command itself."""
    option = name_option(name, parameter)
    other = options.setdefault(option, name)
    if other != name:
        place = found.get("cli", found.held)
        place.report("DUPLICATE_KEY/option", option=option, other=other)
    elif option in RUN_OPTIONS:
        message = f"{option!r} is already an option of 'saniwa agent run'"
        hint = f"give it another 'cli', such as '--my-{option.removeprefix('--')}'"
        if "cli" in found:
            found["cli"].add_error("NAME_RESERVED", message, hint=hint)
        else:
            found.held.add_warning("NAME_RESERVED", message, hint=hint, key=True)


def _read_parameter(found: LocatedFields) -> AgentParameter:
    kind = found.get_value("type", "string")
    # If the type is unknown, values cannot be checked.
    known = "type" not in found.malformed
    rule = _read_rule(found.read_part("validation"), kind if known else "")
    parameter: AgentParameter = found.build_record(validation=rule, default=msgspec.UNSET)
    held = found.get("default")
    if not known or held is None or held.value is None:
        return parameter
    why = find_value_fault(parameter, held.value)
    if not why:
        return replace(parameter, default=held.value)
    held.report(
        "WRONG_TYPE/parameter",
        hint=suggest_value_fix(parameter, held.value),
        value=held.value,
        why=why,
    )
    return parameter


def _read_rule(found: LocatedFields, kind: str) -> ParameterRule:
    for name, wanted in _RULE_TYPES.items():
        if kind and name in found and kind != wanted:
            found.pop(name).report("WRONG_TYPE/rule_type", name=name, wanted=wanted, kind=kind)
    least, most = found.get_value("min"), found.get_value("max")
    if least is not None and most is not None and least > most:
        found["min"].report("WRONG_TYPE/rule", least=least, most=most)
    _check_pattern(found)
    _check_enum(found, kind)
    rule: ParameterRule = found.build_record()
    return rule


def _check_pattern(found: LocatedFields) -> None:
    why = find_pattern_fault(found["pattern"].value) if "pattern" in found else ""
    if why:
        hint = "fix it, or list the values under 'enum'"
        found.pop("pattern").add_error("PATTERN_UNUSABLE", why, hint=hint)


def _check_enum(found: LocatedFields, kind: str) -> None:
    allowed = found.get_value("enum", [])
    bare = AgentParameter(type=cast(ParameterType, kind or "string"))
    for item in found["enum"].list_items() if kind and allowed else ():
        why = find_value_fault(bare, item.value)
        if why:
            item.report(
                "WRONG_TYPE/enum_value",
                hint=suggest_value_fix(bare, item.value),
                value=item.value,
                why=why,
            )
    if "enum" in found and not allowed:
        found["enum"].report("WRONG_TYPE/enum")
