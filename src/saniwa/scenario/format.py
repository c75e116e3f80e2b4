"""The keys of a scenario and a registry, each with the shape of its value.

`field_reader.FIELD_CHECKS` checks the shapes; `docs/reference/scenario-format.md`
explains every key.
"""

from collections.abc import Mapping

Shape = str
"""The name of a row in `field_reader.FIELD_CHECKS`."""
Form = Mapping[str, Shape]
"""The keys of one kind of mapping."""

SCENARIO: Form = {
    "name": "name",
    "title": "text",
    "description": "text",
    "notes": "text",
    "author": "text",
    "language": "text",
    "time_of_day": "name",
    "locations": "records",
    "characters": "records",
    "props": "records",
    "prop_aliases": "aliases",
    "clear_condition": "mapping",
    "gm_opening_message": "text",
    "preflight_messages": "anything",
    "lint_allow": "mapping",
    "rulebook": "part",
    "script": "part",
    "process": "part",
    "protagonist": "name",
    "turn_order": "names",
    "flags": "flags",
}
LOCATION: Form = {
    "id": "name",
    "name": "name",
    "description": "text",
    "aliases": "names",
    "is_goal": "flag",
    "props": "names",
    "exits": "exits",
    "containers": "mapping",
    "hidden_objects": "names",
    "locked_exits": "mapping",
    "red_herrings": "mapping",
}
EXIT: Form = {"to": "name", "door": "name", "label": "name"}
LOCKED_EXIT: Form = {
    "door_name": "name",
    "required_key": "name",
    "locked": "flag",
    "open": "flag",
    "description": "text",
    "aliases": "names",
    "hint_on_locked": "text",
    "suggestions": "texts",
}
RED_HERRING: Form = {"description": "text", "hint": "text"}
PROP: Form = {
    "id": "name",
    "name": "name",
    "kind": "name",
    "location": "name",
    "description": "text",
    "aliases": "names",
    "takeable": "flag",
    "openable": "flag",
    "open": "flag",
    "lockable": "flag",
    "locked": "flag",
    "required_key": "name",
    "edible": "flag",
    "hidden": "flag",
    "state": "words",
    "connects": "names",
    "hint": "text",
    "attributes": "attributes",
    "is_container": "flag",
    "contains": "names",
    "leads_to": "name",
}
CHARACTER: Form = {
    "id": "name",
    "name": "name",
    "location": "name",
    "holding": "names",
    "status": "words",
    "description": "text",
    "aliases": "names",
    "goals": "texts",
    "agent": "part",
    "attributes": "attributes",
}
CLEAR_CONDITION: Form = {
    "type": "name",
    "target": "name",
    "actor": "name",
    "location": "name",
    "holding": "name",
    "flag": "name",
    "message": "telling",
    "milestones": "list",
}
MILESTONE: Form = {"flag": "name", "facts": "list", "spoils": "flag"}
FACT: Form = {"entity": "name", "place": "name", "condition": "name", "attribute": "name"}
USE: Form = {"needs": "name", "state": "texts", "flags": "flags", "message": "telling"}
TELLING: Form = {"en": "text", "ja": "text"}
LINT_ALLOW: Form = {"unidirectional_exits": "names"}

ENTRY: Form = {
    "scenario_id": "name",
    "path": "name",
    "tags": "names",
    "recommended_profile": "name",
    "description": "text",
}
REGISTRY: Form = {"scenarios": "list"}

HOURS = {"morning": "朝", "afternoon": "昼", "evening": "夕方", "night": "夜"}
"""The times of day, and the published label of each."""
SPELLINGS = {"connected_to": "exits", "location_id": "location"}
"""Other spellings of a key, as other systems write them."""
NULL_MEANS = frozenset({"location", "actor", "path"})
"""Keys whose null has a meaning; for others it is the same as no key."""


KEY_GUESSES: Mapping[str, tuple[str, ...]] = {
    "actors": ("characters",),
    "appearance": ("description",),
    "carries": ("holding",),
    "carrying": ("holding",),
    "connections": ("exits", "connects"),
    "contains": ("props",),
    "contents": ("contains", "props"),
    "desc": ("description",),
    "doors": ("locked_exits", "exits"),
    "eatable": ("edible",),
    "end": ("clear_condition",),
    "ending": ("clear_condition",),
    "food": ("edible",),
    "goal": ("clear_condition", "is_goal", "goals"),
    "has": ("holding", "contains", "props"),
    "in": ("location",),
    "intro": ("gm_opening_message",),
    "introduction": ("gm_opening_message",),
    "inventory": ("holding", "contains"),
    "is_locked": ("locked",),
    "is_open": ("open",),
    "items": ("props", "contains", "holding"),
    "key": ("required_key",),
    "npcs": ("characters",),
    "objects": ("props", "contains"),
    "opening": ("gm_opening_message",),
    "opening_message": ("gm_opening_message",),
    "people": ("characters",),
    "place": ("location",),
    "places": ("locations",),
    "player": ("protagonist",),
    "portable": ("takeable",),
    "position": ("location",),
    "requires": ("required_key", "needs"),
    "room": ("location",),
    "rooms": ("locations",),
    "start": ("gm_opening_message",),
    "synonyms": ("aliases",),
    "text": ("message", "description"),
    "things": ("props", "contains"),
    "type": ("kind",),
    "unlocked_by": ("required_key",),
    "win": ("clear_condition",),
    "win_condition": ("clear_condition",),
}
"""Keys that authors try; the first meaning that the mapping knows is suggested."""
