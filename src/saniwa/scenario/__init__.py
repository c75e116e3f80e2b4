"""Authored starting positions: found by id, checked whole, turned into worlds.

An id the registry does not name is an error before anything runs, never a quiet default.
"""

from saniwa.core.errors import SchemaValidationError, ValidationErrorCode
from saniwa.scenario.entry import ScenarioEntry
from saniwa.scenario.inspect import Inspected, inspect
from saniwa.scenario.load import Scenario, load, world_of
from saniwa.scenario.registry import Registry, inspect_registry
from saniwa.scenario.result import ValidationResult, validate_scenario

__all__ = [
    "Inspected",
    "Registry",
    "Scenario",
    "ScenarioEntry",
    "SchemaValidationError",
    "ValidationErrorCode",
    "ValidationResult",
    "inspect",
    "inspect_registry",
    "load",
    "validate_scenario",
    "world_of",
]
