"""The one place that picks concrete parts: which store, which scenario, which book.

Doors ask here and are handed ports; nothing here decides anything about a story. The
names below are imported when they are first asked for: a door to a gate needs no world.
Stories are opened by `wiring.story`, gates by `wiring.gate`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saniwa.wiring.door import (
        headless_door,
        published_schema,
    )
    from saniwa.wiring.parts import (
        Parts,
    )
    from saniwa.wiring.scenario import (
        Inspection,
        book_document,
        book_layers,
        book_named,
        inspect_book,
        inspect_scenario,
        is_file,
        open_scenario,
        project_registry,
        registry_place,
        shipped_registry,
    )
    from saniwa.wiring.store import (
        existing_store,
        find_run,
        open_store,
    )

__all__ = [
    "Inspection",
    "Parts",
    "book_document",
    "book_layers",
    "book_named",
    "existing_store",
    "find_run",
    "headless_door",
    "inspect_book",
    "inspect_scenario",
    "is_file",
    "open_scenario",
    "open_store",
    "project_registry",
    "published_schema",
    "registry_place",
    "shipped_registry",
]

_HOMES = {
    "Parts": "parts",
    "existing_store": "store",
    "find_run": "store",
    "headless_door": "door",
    "open_store": "store",
    "published_schema": "door",
}
"""Where a name lives; those that are not here live in `scenario`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'saniwa.wiring' has no attribute {name!r}")
    home = importlib.import_module(f"saniwa.wiring.{_HOMES.get(name, 'scenario')}")
    return getattr(home, name)
