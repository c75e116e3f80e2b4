"""The one place that picks concrete parts: which store, which scenario, which book.

Doors ask here and are handed ports; nothing here decides anything about a story.
"""

from saniwa.wiring.door import (
    headless_door,
    published_schema,
)
from saniwa.wiring.keeping import (
    StoryKeeping,
    keeping_of,
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
from saniwa.wiring.story import (
    inspect_story,
    load_story,
    open_story,
    resume_story,
)

__all__ = [
    "Inspection",
    "Parts",
    "StoryKeeping",
    "book_document",
    "book_layers",
    "book_named",
    "existing_store",
    "find_run",
    "headless_door",
    "inspect_book",
    "inspect_scenario",
    "inspect_story",
    "is_file",
    "keeping_of",
    "load_story",
    "open_scenario",
    "open_store",
    "open_story",
    "project_registry",
    "published_schema",
    "registry_place",
    "resume_story",
    "shipped_registry",
]
