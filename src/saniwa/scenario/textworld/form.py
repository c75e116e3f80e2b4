"""The keys of a TextWorld game file, and what we understand of its predicates."""

from saniwa.scenario.form import Form

VERSION = 1
"""The one version of game files there is."""

GAME: Form = {
    "version": "anything",
    "world": "list",
    "grammar": "anything",
    "quests": "list",
    "infos": "list",
    "KB": "mapping",
    "metadata": "mapping",
    "objective": "text",
}
KNOWLEDGE: Form = {"logic": "anything", "text_grammars_path": "anything"}
PROPOSITION: Form = {"name": "name", "arguments": "list"}
ARGUMENT: Form = {"name": "name", "type": "name"}
ENTITY: Form = {
    "id": "name",
    "type": "name",
    "name": "anything",
    "noun": "anything",
    "adj": "anything",
    "desc": "text",
    "room_type": "anything",
    "definite": "anything",
    "indefinite": "anything",
    "synonyms": "names",
}
QUEST: Form = {
    "desc": "anything",
    "reward": "anything",
    "commands": "texts",
    "win_events": "list",
    "fail_events": "list",
    "optional": "flag",
    "repeatable": "flag",
}
EVENT: Form = {"commands": "texts", "actions": "anything", "condition": "mapping"}
CONDITION: Form = {
    "name": "anything",
    "preconditions": "list",
    "postconditions": "anything",
    "command_template": "anything",
    "reverse_name": "anything",
    "reverse_command_template": "anything",
}

PLAYER, HANDS = "P", "I"
"""The ids, and types, of whoever plays and of what they carry."""
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
"""The directions of a map, and the way back."""
_WAYS = tuple(f"{direction}_of" for direction in OPPOSITE)
STATES = ("open", "closed", "locked")
"""How a container or door can stand."""
SIGNATURES: dict[str, tuple[tuple[str, ...], ...]] = {
    "at": (("P", "r"), ("t", "r")),
    "in": (("o", "I"), ("o", "c")),
    "on": (("o", "s"),),
    **dict.fromkeys(STATES, (("c",), ("d",))),
    "match": (("k", "c"), ("k", "d")),
    "link": (("r", "d", "r"),),
    "free": (("r", "r"),),
    **dict.fromkeys(_WAYS, (("r", "r"),)),
    **dict.fromkeys((f"{way}/d" for way in _WAYS), (("r", "d", "r"),)),
    "edible": (("f",),),
    "eaten": (("f",),),
}
"""Every predicate that we know, with the types of what it is about."""
