"""An agent's own file, read: who it is, what it may, how it is asked and stopped."""

from typing import Any

from saniwa.agent.authoring.paper import form
from saniwa.agent.authoring.paper.shape import fields
from saniwa.agent.authoring.written.completion import completion_of
from saniwa.agent.authoring.written.parameter import parameters_of
from saniwa.agent.definition import Actions, Asking, Limits, Logging, StepMachine
from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held

_MOST = 10**15
_MODES = ("plan", "acceptEdits", "bypassPermissions")


class Whole:
    """What an agent's own file says, its flow aside; defaults where something is wrong."""

    def __init__(self, held: Held) -> None:
        found = fields(held, form.AGENT, "an agent")
        found.needs(["version", "name", "displayName", "description"], "an agent")
        found.needs(["behavior"], "an agent")
        self.found = found
        behavior = fields(found.part("behavior"), form.BEHAVIOR, "'behavior'")
        if "behavior" in found:
            behavior.needs(["completionType"], "'behavior'")
        self.prompts = fields(found.part("prompts"), form.PROMPTS, "'prompts'")
        self.system = behavior.get("systemPromptPath") or found.part("behavior")
        self.completion_type = str(behavior.said("completionType", ""))
        self.completion = completion_of(behavior)
        """When it is done; None where that could not be read."""
        self.model = fields(found.part("model"), form.MODEL, "'model'")
        self.parts: dict[str, Any] = {
            "version": found.said("version", "0.0.0"),
            "name": found.said("name", "unnamed"),
            **found.taken("displayName", "description"),
            **behavior.taken("systemPromptPath", "speaks"),
            "completion": self.completion or StepMachine(),
            "allowed_tools": behavior.texts("allowedTools"),
            "permission_mode": behavior.one_of("permissionMode", _MODES, ""),
            "parameters": parameters_of(found.part("parameters")),
            **self.prompts.taken("fallbackDir"),
            "actions": _actions(found),
            "asking": _asking(self.model),
            "limits": _limits(found),
            "logging": _logging(found),
        }

    @property
    def registry(self) -> str:
        """The file of the flow, inside the agent's folder; empty where none is named."""
        return str(self.prompts.said("registry", ""))


def _actions(found: Fields) -> Actions:
    actions = fields(found.part("actions"), form.ACTIONS, "'actions'")
    types = actions.texts("types")
    return Actions(**actions.taken("enabled", "outputFormat"), types=types)


def _asking(model: Fields) -> Asking:
    _check_least(model, "temperature")
    written = ("use", "url", "maxTokens", "temperature", "seed", "history")
    return Asking(**model.taken(*written))


def _limits(found: Fields) -> Limits:
    limits = fields(found.part("limits"), form.LIMITS, "'limits'")
    _check_least(limits, "maxCost")
    return Limits(**limits.taken("maxIterations", "maxCalls", "maxTokens", "maxCost"))


def _logging(found: Fields) -> Logging:
    logging = fields(found.part("logging"), form.LOGGING, "'logging'")
    logging.one_of("format", ("jsonl", "text"), "jsonl")
    return Logging(**logging.taken("directory", "format", "maxFiles"))


def _check_least(found: Fields, name: str) -> None:
    """See that a number is 0 or more, and not absurd; a whole one is one as well."""
    held = found.get(name)
    if held is None:
        return
    if 0 <= held.value <= _MOST:
        found[name] = held._replace(value=float(held.value))
        return
    del found[name]
    low = held.value < 0
    wrong = "less than 0" if low else f"more than {_MOST}"
    hint = "write 0, or more" if low else "write a smaller number"
    held.error("WRONG_TYPE", f"{name!r} must not be {wrong}", hint=hint)
