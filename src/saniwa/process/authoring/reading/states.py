"""States with their hooks and tools, read from a definition."""

from typing import Any

from saniwa.process.authoring.draft import Placed
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading import form
from saniwa.process.authoring.reading.hooks import hooks_of
from saniwa.process.authoring.reading.shape import Fields, fields, needs
from saniwa.process.definition import Hook, State, ToolPermissions


def state(page: Page, value: Any, path: Path) -> Placed[State] | None:
    """A state; a plain text is the name of one about which no more is said."""
    if isinstance(value, str):
        named = good_name(page, value, path)
        return Placed(State(name=value), path, {"name": path}) if named else None
    found = fields(page, value, path, form.STATE, "a state")
    if found is None or not needs(page, found, ("name",), path, "a state"):
        return None
    paths = found.paths
    part = State(
        name=found.said("name"),
        description=found.said("description", ""),
        prompt=found.said("prompt", ""),
        required_artifacts=found.texts("required_artifacts"),
        is_final=found.said("is_final", False),
        on_enter=_hooks(page, found, "on_enter", paths),
        on_exit=_hooks(page, found, "on_exit", paths),
        tool_permissions=_permissions(page, found, paths),
    )
    return Placed(part, path, paths, found.malformed)


def _hooks(
    page: Page, found: Fields, name: str, paths: dict[str, Path]
) -> tuple[Hook, ...]:
    held = found.get(name)
    hooks = [] if held is None else hooks_of(page, held.value, held.path)
    paths.update((f"{name}[{nth}]", path) for nth, (_, path) in enumerate(hooks))
    return tuple(hook for hook, _ in hooks)


def _permissions(
    page: Page, found: Fields, paths: dict[str, Path]
) -> ToolPermissions | None:
    held = found.get("tool_permissions")
    if held is None:
        return None
    owner = "'tool_permissions'"
    named = fields(page, held.value, held.path, form.TOOL_PERMISSIONS, owner)
    assert named is not None, "its shape was looked at before"
    paths.update((f"tool_permissions.{key}", path) for key, path in named.paths.items())
    return ToolPermissions(
        allowed=named.texts("allowed") if "allowed" in named else None,
        ask=named.texts("ask"),
        denied=named.texts("denied"),
    )
