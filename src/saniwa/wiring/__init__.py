"""The one place that picks concrete parts: which store, which scenario, which book.

Doors ask here and are handed ports; nothing here decides anything about a story. Stories
are opened by `wiring.story`, which is loaded only where one is played.
"""

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
