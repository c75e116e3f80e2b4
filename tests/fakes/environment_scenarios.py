"""Scenarios for learning environments: shipped ones by name, and small ones of the tests."""

from collections.abc import Mapping
from typing import Any

from saniwa.app.scenario_lookup import BookLayers, load_book_layers, open_scenario
from saniwa.experiment.run_template import RunTemplate
from saniwa.scenario.loader import Scenario

ATTIC: dict[str, Any] = {
    "name": "attic",
    "gm_opening_message": "Dust dances in the light.",
    "locations": {
        "attic": {"name": "Attic", "exits": ["stairs"]},
        "stairs": {"name": "Stairs", "exits": ["attic", "cellar"]},
        "cellar": {"name": "Cellar", "exits": ["stairs"]},
    },
    "props": {
        "chest": {
            "name": "chest",
            "kind": "container",
            "location": "attic",
            "openable": True,
            "open": False,
        },
        "diamond": {"name": "diamond", "location": "chest"},
        "coin": {"name": "coin", "location": "attic", "hidden": True},
        "lamp": {"name": "lamp", "location": "cellar"},
    },
    "characters": {
        "ann": {"name": "Ann", "location": "attic", "goals": ["Find the lamp."]},
        "ben": {"name": "Ben", "location": "attic"},
        "cat": {"name": "Cat", "location": "cellar"},
    },
    "clear_condition": {"type": "hold_object", "target": "lamp"},
}
"""Ann and Ben in an attic, with a closed chest and a hidden coin; Cat is in the cellar."""


def open_with_layers(
    scenario: str | Mapping[str, Any], book: Mapping[str, Any] | None = None
) -> tuple[Scenario, BookLayers]:
    """A scenario and its rulebook layers, as every environment takes them."""
    found = open_scenario(scenario)
    return found, load_book_layers(found, book)


def make_run_template(scenario: str | Mapping[str, Any], **how: Any) -> RunTemplate:
    """A prepared scenario, from which runs can be started."""
    return RunTemplate(*open_with_layers(scenario), **how)
