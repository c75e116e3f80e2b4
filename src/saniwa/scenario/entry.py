"""One line of the registry."""

import msgspec

BUILT_IN = "built-in"
"""What stands for the path of a scenario that has no file."""


class ScenarioEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Where a scenario is, and what it is for."""

    scenario_id: str
    """Unique in its registry."""
    path: str | None
    """The file, relative to the registry's folder; None for the built-in scenario."""
    tags: tuple[str, ...] = ()
    """Words to choose scenarios by."""
    recommended_profile: str = "dev"
    """The profile an experiment should run it with: dev, gate or full."""
    description: str = ""
    """What it is about."""
    registry: str = ""
    """The registry file that names it, as the user named that file."""
