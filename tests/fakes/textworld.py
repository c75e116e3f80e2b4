"""Games of TextWorld made on the spot, and what TextWorld itself says of them.

`tw-make` makes its games by these calls, and then wants a compiler that is not here.
"""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from saniwa.documents.document import Document, parse_document

PASSIVE = ("look", "inventory", "examine")
"""What changes nothing, and has another name with us."""


def make_custom_game(seed: int, rooms: int = 5, objects: int = 10, length: int = 5, **more: Any) -> Any:  # fmt: skip
    """A game as `tw-make custom` makes it; `more` are its quest and grammar settings."""
    import textworld  # type: ignore[import-untyped]
    from textworld.generator import make_game  # type: ignore[import-untyped]

    options = textworld.GameOptions()
    options.seeds = seed
    options.nb_rooms, options.nb_objects = rooms, objects
    options.nb_parallel_quests = more.pop("parallel", 1)
    options.quest_length = length
    options.chaining.max_breadth = more.pop("breadth", 1)
    for name, value in more.items():
        setattr(options.grammar, name, value)
    with _ignore_warnings():
        return make_game(options)


def make_challenge_game(name: str, seed: int, **settings: Any) -> Any:
    """A game as `tw-make` makes it of one of its challenges."""
    import textworld
    from textworld.challenges import CHALLENGES  # type: ignore[import-untyped]

    options = textworld.GameOptions()
    options.seeds = seed
    with _ignore_warnings():
        return CHALLENGES[name][1](settings=settings, options=options)


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """TextWorld warns of its own grammar and machine; that is not ours to mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def to_document(game: Any) -> Document:
    """The game's file, read by us."""
    return parse_document(json.dumps(game.serialize()), "game.json", "json")


@cache
def make_small_game() -> str:
    """The file of one small game, for tests that spoil it."""
    return json.dumps(make_custom_game(1).serialize())


def render_command(action: Any, game: Any) -> str:
    """An action of TextWorld as a command with ids in it."""
    return str(action.format_command({id: id for id in game.infos}))


def iterate_states(game: Any) -> Iterator[tuple[str, set[str], Any]]:
    """Each line of the walkthrough, all TextWorld would allow before it, and how it is.

    The last has no line.
    """
    from textworld.generator.game import GameProgression  # type: ignore[import-untyped]

    names = {id: each.name for id, each in game.infos.items()}
    progress = GameProgression(game)
    for line in game.metadata["walkthrough"]:
        yield line, _list_active(progress, game), progress
        fits = [a for a in progress.valid_actions if a.format_command(names) == line]
        progress.update(fits[0])
    yield "", _list_active(progress, game), progress


def _list_active(progress: Any, game: Any) -> set[str]:
    commands = (render_command(action, game) for action in progress.valid_actions)
    return {c for c in commands if not c.startswith(PASSIVE)}


def make_tiny_game(*facts: str, **more: Any) -> dict[str, Any]:
    """A game file without TextWorld: a hall, a cellar north of it, and what is added.

    Facts are written `on(o_0, s_0)`; an id's type is what stands before its number.
    """
    said = [*("at(P, r_0)", "north_of(r_1, r_0)", "free(r_0, r_1)", "free(r_1, r_0)"), *facts]
    world = [parse_proposition(fact) for fact in said]
    ids = {a["name"]: a["type"] for fact in world for a in fact["arguments"]}
    ids |= {"P": "P", "I": "I"} | more.pop("ids", {})
    names = {"r_0": "hall", "r_1": "cellar"} | more.pop("names", {})
    infos = [
        [id, {"id": id, "type": type, "name": names.get(id, None if id in "PI" else id)}]
        for id, type in ids.items()
    ]
    document = {
        "version": 1,
        "world": world,
        "quests": [make_quest("in(o_0, I)")] if "o_0" in ids else [],
        "infos": infos,
        "KB": {"logic": ""},
        "metadata": {"walkthrough": ["look"]},
    }
    return document | more


def make_quest(*wins: str, fails: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """A quest; each event is facts joined by ` & `."""

    def make_event(facts: str) -> dict[str, Any]:
        asked = [parse_proposition(fact) for fact in facts.split(" & ")]
        return {"commands": [], "actions": [], "condition": {"preconditions": asked}}

    return {
        "win_events": [make_event(facts) for facts in wins],
        "fail_events": [make_event(facts) for facts in fails],
    } | more


def parse_proposition(fact: str) -> dict[str, Any]:
    """A fact such as `on(o_0, s_0)` as game files write it."""
    name, _, rest = fact.removesuffix(")").partition("(")
    ids = rest.split(", ")
    arguments = [{"name": id, "type": id.split("_")[0]} for id in ids]
    return {"name": name, "arguments": arguments}
