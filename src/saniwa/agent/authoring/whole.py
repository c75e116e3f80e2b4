"""An agent's own file, read: who it is, what it may, how it is asked and stopped."""

from typing import Any, cast

from saniwa.agent.authoring import form
from saniwa.agent.authoring.completion import completion_of
from saniwa.agent.authoring.files import OVER
from saniwa.agent.authoring.page import Held
from saniwa.agent.authoring.parameter import parameters_of
from saniwa.agent.authoring.shape import Fields, fields
from saniwa.agent.definition import Actions, Asking, Limits, Logging
from saniwa.agent.prompting.folder import check_inside

REGISTRY = "steps_registry.json"
"""The file of an agent's flow, where it names none."""
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
        self.parts: dict[str, Any] = {
            "version": found.said("version", "0.0.0"),
            "name": found.said("name", "unnamed"),
            "display_name": found.said("displayName", ""),
            "description": found.said("description", ""),
            "system_prompt_path": behavior.said(
                "systemPromptPath", "prompts/system.md"
            ),
            "completion": self.completion,
            "speaks": behavior.said("speaks", False),
            "allowed_tools": behavior.texts("allowedTools"),
            "permission_mode": behavior.one_of("permissionMode", _MODES, ""),
            "parameters": parameters_of(found.part("parameters")),
            "fallback_dir": self.prompts.said("fallbackDir", ""),
            "actions": _actions(found),
            "asking": _asking(found),
            "limits": _limits(found),
            "logging": _logging(found),
        }

    @property
    def registry(self) -> str:
        """The file of the flow, inside the agent's folder."""
        return str(self.prompts.said("registry", REGISTRY))


def _actions(found: Fields) -> Actions:
    actions = fields(found.part("actions"), form.ACTIONS, "'actions'")
    return Actions(
        enabled=actions.said("enabled", False),
        types=actions.texts("types"),
        output_format=actions.said("outputFormat", "action"),
    )


def _asking(found: Fields) -> Asking:
    model = fields(found.part("model"), form.MODEL, "'model'")
    return Asking(
        use=_used(model),
        url=model.said("url", ""),
        max_tokens=model.said("maxTokens", 512),
        temperature=_at_least(model, "temperature", 0.0),
        seed=model.said("seed"),
        history=model.said("history", 20),
    )


def _used(model: Fields) -> str:
    """The model to ask; a file that an agent's own file names lies in its folder."""
    held = model.get("use")
    if held is None:
        return ""
    kind, _, path = held.value.partition(":")
    own = held.page.document.file != OVER
    why = check_inside(path) if own and kind in ("canned", "replay") else ""
    if why:
        hint = "write a path that stays inside the agent's folder"
        held.error("FILE_OUTSIDE", why, hint=hint)
    return str(held.value)


def _limits(found: Fields) -> Limits:
    limits = fields(found.part("limits"), form.LIMITS, "'limits'")
    return Limits(
        max_iterations=limits.said("maxIterations", 100),
        max_calls=limits.said("maxCalls"),
        max_tokens=limits.said("maxTokens"),
        max_cost=_at_least(limits, "maxCost", None),
    )


def _logging(found: Fields) -> Logging:
    logging = fields(found.part("logging"), form.LOGGING, "'logging'")
    return Logging(
        directory=logging.said("directory", "logs"),
        format=cast(Any, logging.one_of("format", ("jsonl", "text"), "jsonl")),
        max_files=logging.said("maxFiles", 100),
    )


def _at_least(found: Fields, name: str, otherwise: float | None) -> Any:
    held = found.get(name)
    if held is None or held.value >= 0:
        return otherwise if held is None else float(held.value)
    held.error("WRONG_TYPE", f"{name!r} must not be less than 0")
    return otherwise
