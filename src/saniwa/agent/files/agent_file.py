"""Reads an agent's own file: everything except its flow.

`read_completion` reads when the agent is done, `AgentFile` the rest. Mistakes become
findings; nothing is raised.
"""

from typing import Any, Literal

from saniwa.agent.completion import ENTRY_POINT_GROUP
from saniwa.agent.definition import (
    ActionSettings,
    AgentLimits,
    CheckBudget,
    CompletionDefinition,
    CompositeCompletion,
    CustomCompletion,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    LoggingSettings,
    ModelSettings,
    StepMachine,
    StructuredSignal,
)
from saniwa.agent.files.format import (
    AGENT,
    COMPLETIONS,
    LEGACY_TYPES,
    MATCH_MODE,
    OPERATOR,
    OPERATORS,
)
from saniwa.agent.files.parameters import read_parameters
from saniwa.agent.files.value_kinds import NOTATION
from saniwa.agent.prompts.template import PORT_FACTS, is_known_fact
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.reader import LocatedFields, add_type_error

DEEPEST_COMPLETION = 8
"""How deep composites may be nested."""
MOST_CONDITIONS = 100
"""The most conditions of one composite."""
_COMPLETION_TYPES = tuple(COMPLETIONS)


def read_completion(behavior: LocatedFields) -> CompletionDefinition | None:
    """Read the completion in an agent's `behavior`; None if it is invalid."""
    written_type = behavior.get("completionType")
    return _read_typed_completion(written_type, behavior.get_part("completionConfig"), 0)


def find_completion_type(said: Located) -> str:
    """Return the completion type that a word means; empty, with a finding, if none."""
    word = said.value
    if isinstance(word, str) and word in COMPLETIONS:
        return word
    if isinstance(word, str) and word in LEGACY_TYPES:
        new = LEGACY_TYPES[word]
        message = f"the completion type {word!r} is called {new!r} now"
        said.add_warning("OLD_NOTATION", message, hint=f"write {new!r}")
        return new
    allowed = ", ".join(_COMPLETION_TYPES)
    near = said.page.suggest_nearest(word, _COMPLETION_TYPES) if isinstance(word, str) else ""
    said.add_error(
        "UNKNOWN_VALUE",
        f"there is no completion type {quote_value(word)}; allowed are {allowed}",
        hint=near or f"write one of {allowed}",
    )
    return ""


def _read_typed_completion(
    said: Located | None, config: Located, depth: int
) -> CompletionDefinition | None:
    kind = find_completion_type(said) if said is not None else ""
    if not kind:
        return None
    found = COMPLETIONS[kind].read(config)
    match kind:
        case "iterationBudget":
            return IterationBudget(**found.to_arguments("maxIterations"))
        case "checkBudget":
            return CheckBudget(**found.to_arguments("maxChecks"))
        case "keywordSignal":
            word = found.get_value("completionKeyword", "?")
            return KeywordSignal(completion_keyword=word)
        case "structuredSignal":
            kind = found.get_value("signalType", "?")
            return StructuredSignal(**found.to_arguments("requiredFields"), signal_type=kind)
        case "externalState":
            return _read_external_state(found)
        case "custom":
            return _read_custom(found)
        case "composite":
            return _read_composite(found, depth)
        case _:
            return StepMachine()


def _read_external_state(found: LocatedFields) -> ExternalState:
    held = found.get("fact")
    if held is not None and not is_known_fact(held.value):
        held.add_warning(
            "COMPLETION_FACT_UNKNOWN",
            f"neither a world nor a gate tells the fact {quote_value(held.value)}",
            hint=held.page.suggest_nearest(held.value, PORT_FACTS)
            or f"they tell {', '.join(PORT_FACTS)}",
        )
    return ExternalState(**found.to_arguments("fact", "equals"))


def _read_custom(found: LocatedFields) -> CustomCompletion:
    path = found.get("handlerPath")
    if path is not None:
        path.add_error(
            "UNKNOWN_KEY",
            "'handlerPath' names a file, and no file of an agent is ever run",
            key=True,
            hint="install it as an entry point of the group 'saniwa.completion',"
            " and write its 'name'",
        )
    elif found.check_required(["name"], "a completion of type 'custom'"):
        _check_plugin(found["name"])
    return CustomCompletion(**found.to_arguments("config"), name=found.get_value("name", "?"))


def _check_plugin(held: Located) -> None:
    """Warn if a plugin is not installed here; it may be where the agent runs."""
    names = list_plugin_names()
    if held.value not in names:
        held.add_warning(
            "COMPLETION_PLUGIN_UNKNOWN",
            f"no completion plugin {quote_value(held.value)} is installed",
            hint=held.page.suggest_nearest(held.value, names)
            or f"install one that offers it in the group {ENTRY_POINT_GROUP!r}",
        )


def list_plugin_names() -> frozenset[str]:
    """Return the names of the installed completion plugins."""
    # Imported late: few agents need it.
    from importlib.metadata import entry_points

    return frozenset(entry_points(group=ENTRY_POINT_GROUP).names)


def _read_composite(found: LocatedFields, depth: int) -> CompositeCompletion | None:
    usual = _read_operator(found)
    found.check_choice("mode", MATCH_MODE)
    mode = found.get_value("mode", usual)
    if "conditions" not in found:
        return None
    listed = found["conditions"]
    if not listed.value or len(listed.value) > MOST_CONDITIONS or depth >= DEEPEST_COMPLETION:
        why = f"1 to {MOST_CONDITIONS} conditions, at most {DEEPEST_COMPLETION} levels deep"
        add_type_error(listed, "'conditions'", why)
        return None
    each = [_read_condition(item, depth) for item in listed.list_items()]
    conditions = tuple(one for one in each if one is not None)
    if len(conditions) < len(each):
        return None
    return CompositeCompletion(mode=mode, conditions=conditions)


def _read_operator(found: LocatedFields) -> Literal["any", "all"]:
    """Return the mode that a legacy `operator` means."""
    held = found.get("operator")
    if held is None:
        return "any"
    found.check_choice("operator", OPERATOR)
    word = found.get_value("operator", "or")
    mode = OPERATORS[word]
    if "mode" in found:
        message = "the key 'operator' says again what 'mode' has said"
        held.add_error("DUPLICATE_KEY", message, hint="keep 'mode'")
    elif held.value == word:
        message = f"the operator {word!r} is called mode {mode!r} now"
        held.add_warning("OLD_NOTATION", message, hint=f"write mode {mode!r}")
    return mode


def _read_condition(held: Located, depth: int) -> CompletionDefinition | None:
    """Read one condition: `{type, config}`, or its fields next to its type."""
    if not isinstance(held.value, dict):
        add_type_error(held, "a condition", "a mapping with a 'type'")
        return None
    named: dict[str, Any] = {
        NOTATION.resolve_key(key, ("type", "completionType", "config")): key for key in held.value
    }
    key = named.get("type") or named.get("completionType")
    if key is None:
        allowed = ", ".join(_COMPLETION_TYPES)
        message, hint = "a condition needs 'type'", f"its type is one of {allowed}"
        held.add_error("FIELD_MISSING", message, hint=hint)
        return None
    config = _find_config(held, key, named.get("config"))
    return _read_typed_completion(held.make_inner(key, held.value[key]), config, depth + 1)


def _find_config(held: Located, key: str, inner: str | None) -> Located:
    if inner is not None and isinstance(held.value[inner], dict):
        first = held.value[inner]
        rest = {k: v for k, v in held.value.items() if k not in (key, inner)}
        below = held._replace(value=rest) if rest else None
        return held.make_inner(inner, first)._replace(below=below)
    return held._replace(value={k: v for k, v in held.value.items() if k != key})


class AgentFile:
    """The contents of an agent's own file; defaults where something is invalid."""

    def __init__(self, held: Located) -> None:
        found = AGENT.read(held)
        self.found = found
        behavior = found.read_part("behavior")
        self.prompts = found.read_part("prompts")
        self.system = behavior.get("systemPromptPath") or found.get_part("behavior")
        self.completion_type = str(behavior.get_value("completionType", ""))
        self.completion = read_completion(behavior)
        """When it is done; None if that could not be read."""
        self.model = found.read_part("model")
        self.parts: dict[str, Any] = {
            "version": found.get_value("version", "0.0.0"),
            "name": found.get_value("name", "unnamed"),
            **found.to_arguments("displayName", "description"),
            **behavior.to_arguments("systemPromptPath", "speaks"),
            "completion": self.completion or StepMachine(),
            "allowed_tools": behavior.get_texts("allowedTools"),
            "permission_mode": behavior.get_value("permissionMode", ""),
            "parameters": read_parameters(found.get_part("parameters")),
            **self.prompts.to_arguments("fallbackDir"),
            "actions": ActionSettings(**found.read_part("actions").to_arguments()),
            "asking": ModelSettings(**self.model.to_arguments()),
            "limits": AgentLimits(**found.read_part("limits").to_arguments()),
            "logging": LoggingSettings(**found.read_part("logging").to_arguments()),
        }

    @property
    def registry_path(self) -> str:
        """The file of the flow, inside the agent's folder; empty if none is named."""
        return str(self.prompts.get_value("registry", ""))
