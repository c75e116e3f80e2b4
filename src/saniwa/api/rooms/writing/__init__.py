"""Writing: stories and scenarios checked as they are typed, and their files kept."""

from saniwa.api.rooms.writing import checking, scenario_texts, story_texts

OPERATIONS = (
    *checking.OPERATIONS,
    *story_texts.OPERATIONS,
    *scenario_texts.OPERATIONS,
)
