"""When an agent is done, read from its definition."""

from typing import Any, Literal, cast

from saniwa.agent.authoring.paper.form import COMPLETIONS, OLD_TYPES
from saniwa.agent.authoring.paper.shape import fields, known_as
from saniwa.agent.completion.custom import GROUP
from saniwa.agent.definition import (
    CheckBudget,
    Completion,
    Composite,
    Custom,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)
from saniwa.agent.prompting.variable import FLOOR_FACTS, is_told
from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import wrong_type
from saniwa.core.quoted import quoted

DEEPEST = 8
"""Composites within composites."""
MOST_CONDITIONS = 100
"""Conditions of one composite."""
_OPERATORS = {"or": "any", "first": "any", "and": "all"}
_ALLOWED = tuple(COMPLETIONS)


def completion_of(behavior: Fields) -> Completion | None:
    """The completion an agent's `behavior` names; None where that is broken."""
    said = behavior.get("completionType")
    return _read(said, behavior.part("completionConfig"), 0)


def type_of(said: Held) -> str:
    """The completion type a word means; empty, with a finding, if none."""
    word = said.value
    if isinstance(word, str) and word in COMPLETIONS:
        return word
    if isinstance(word, str) and word in OLD_TYPES:
        new = OLD_TYPES[word]
        message = f"the completion type {word!r} is called {new!r} now"
        said.warn("OLD_NOTATION", message, hint=f"write {new!r}")
        return new
    allowed = ", ".join(_ALLOWED)
    near = said.page.near(word, _ALLOWED) if isinstance(word, str) else ""
    said.error(
        "UNKNOWN_VALUE",
        f"there is no completion type {quoted(word)}; allowed are {allowed}",
        hint=near or f"write one of {allowed}",
    )
    return ""


def _read(said: Held | None, config: Held, depth: int) -> Completion | None:
    kind = type_of(said) if said is not None else ""
    if not kind:
        return None
    owner = f"a completion of type {kind!r}"
    found = fields(config, COMPLETIONS[kind], owner)
    match kind:
        case "iterationBudget":
            return IterationBudget(**found.taken("maxIterations"))
        case "checkBudget":
            return CheckBudget(**found.taken("maxChecks"))
        case "keywordSignal":
            found.needs(["completionKeyword"], owner)
            word = found.said("completionKeyword", "?")
            return KeywordSignal(completion_keyword=word)
        case "structuredSignal":
            found.needs(["signalType"], owner)
            kind = found.said("signalType", "?")
            return StructuredSignal(**found.taken("requiredFields"), signal_type=kind)
        case "externalState":
            return _external(found)
        case "custom":
            return _custom(found, owner)
        case "composite":
            return _composite(found, owner, depth)
        case _:
            return StepMachine()


def _external(found: Fields) -> ExternalState:
    held = found.get("fact")
    if held is not None and not is_told(held.value):
        held.warn(
            "COMPLETION_FACT_UNKNOWN",
            f"neither a world nor a gate tells the fact {quoted(held.value)}",
            hint=held.page.near(held.value, FLOOR_FACTS)
            or f"they tell {', '.join(FLOOR_FACTS)}",
        )
    return ExternalState(**found.taken("fact", "equals"))


def _custom(found: Fields, owner: str) -> Custom:
    path = found.get("handlerPath")
    if path is not None:
        path.page.error(
            "UNKNOWN_KEY",
            "'handlerPath' names a file, and no file of an agent is ever run",
            path.path,
            key=True,
            hint="install it as an entry point of the group 'saniwa.completion',"
            " and write its 'name'",
        )
    elif found.needs(["name"], owner):
        _check_plugin(found["name"])
    return Custom(**found.taken("config"), name=found.said("name", "?"))


def _check_plugin(held: Held) -> None:
    """See that a plugin is installed here; where the agent runs, it may be."""
    names = plugin_names()
    if held.value not in names:
        held.warn(
            "COMPLETION_PLUGIN_UNKNOWN",
            f"no completion plugin {quoted(held.value)} is installed",
            hint=held.page.near(held.value, names)
            or f"install one that offers it in the group {GROUP!r}",
        )


def plugin_names() -> frozenset[str]:
    """The completion plugins that are installed."""
    # Loaded late: few agents ask for it.
    from importlib.metadata import entry_points

    return frozenset(entry_points(group=GROUP).names)


def _composite(found: Fields, owner: str, depth: int) -> Composite | None:
    mode = found.one_of("mode", ("any", "all"), _operator(found))
    if not found.needs(["conditions"], owner):
        return None
    listed = found["conditions"]
    if not listed.value or len(listed.value) > MOST_CONDITIONS or depth >= DEEPEST:
        why = f"1 to {MOST_CONDITIONS} conditions, at most {DEEPEST} levels deep"
        wrong_type(listed, "'conditions'", why)
        return None
    each = [
        _condition(listed.inner(nth, item), depth)
        for nth, item in enumerate(listed.value)
    ]
    conditions = tuple(one for one in each if one is not None)
    if len(conditions) < len(each):
        return None
    return Composite(mode=cast(Literal["any", "all"], mode), conditions=conditions)


def _operator(found: Fields) -> str:
    """The mode an old `operator` means."""
    held = found.get("operator")
    if held is None:
        return "any"
    word = found.one_of("operator", tuple(_OPERATORS), "or")
    mode = _OPERATORS[word]
    if "mode" in found:
        message = "the key 'operator' says again what 'mode' has said"
        held.error("DUPLICATE_KEY", message, hint="keep 'mode'")
    elif held.value == word:
        message = f"the operator {word!r} is called mode {mode!r} now"
        held.warn("OLD_NOTATION", message, hint=f"write mode {mode!r}")
    return mode


def _condition(held: Held, depth: int) -> Completion | None:
    """One of several: `{type, config}`, or its fields beside its type."""
    if not isinstance(held.value, dict):
        wrong_type(held, "a condition", "a mapping with a 'type'")
        return None
    named: dict[str, Any] = {
        known_as(key, {"type": "", "completionType": "", "config": ""}): key
        for key in held.value
    }
    key = named.get("type") or named.get("completionType")
    if key is None:
        allowed = ", ".join(_ALLOWED)
        message, hint = "a condition needs 'type'", f"its type is one of {allowed}"
        held.error("FIELD_MISSING", message, hint=hint)
        return None
    config = _config(held, key, named.get("config"))
    return _read(held.inner(key, held.value[key]), config, depth + 1)


def _config(held: Held, key: str, inner: str | None) -> Held:
    if inner is not None and isinstance(held.value[inner], dict):
        first = held.value[inner]
        rest = {k: v for k, v in held.value.items() if k not in (key, inner)}
        below = held._replace(value=rest) if rest else None
        return held.inner(inner, first)._replace(below=below)
    return held._replace(value={k: v for k, v in held.value.items() if k != key})
