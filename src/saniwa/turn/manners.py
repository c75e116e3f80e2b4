"""Crafts in words: the verbs people have for them, and what is told when one is done."""

import re
from typing import Final

from saniwa.turn.languages.tongue import grammar, plan, told
from saniwa.turn.sight import the
from saniwa.world.action import Use
from saniwa.world.manner import Manner
from saniwa.world.model import Id, World

_BRACES: Final = re.compile(r"\{(actor|target|tool)\}")


def manner_of(world: World, name: str) -> Manner:
    """The craft of this name; one without words where nobody teaches it."""
    known = (manner for manner in world.manners if manner.name == name)
    return next(known, Manner(name=name))


def verb_for(world: World, name: str) -> str:
    """The plain verb for a craft in the world's language, else its name."""
    spoken = manner_of(world, name).spoken(world.language)
    return spoken[0] if spoken else name


def plan_craft(action: Use, world: World, fields: dict[str, str]) -> str:
    """What a craft would be, such as "slice the carrot with the knife"."""
    line = "craft target_id" + (" tool_id" if action.tool_id else "")
    verb = verb_for(world, action.manner)
    return plan(world.language, line, **{**fields, "verb": verb})


def tell_craft(action: Use, before: World, viewer: Id) -> str:
    """What happened when a craft was done: the book's own sentence, else a plain one."""
    names = {
        role.removesuffix("_id"): the(before, getattr(action, role), viewer)
        for role in ("actor_id", *action.roles)
        if getattr(action, role) is not None
    }
    own = manner_of(before, action.manner).told
    text = own.get(before.language) or own.get(before.language[:2])
    if text:
        filled = _BRACES.sub(lambda found: names.get(found[1], ""), text)
        return filled[:1].upper() + filled[1:]
    return _plainly(action, before, viewer, names)


def _plainly(action: Use, world: World, viewer: Id, names: dict[str, str]) -> str:
    mine = action.actor_id == viewer
    line = "craft.with" if action.tool_id else "craft"
    deed = grammar(world.language).deed(verb_for(world, action.manner), mine=mine)
    who = names.pop("actor")
    fields = names if mine else {"who": who, **names}
    return told(world.language, line if mine else f"{line}.they", deed=deed, **fields)
