"""Whether a deed that is told is one of those that were done."""

from typing import NamedTuple

from saniwa.agent.translate.truth.facts import Facts
from saniwa.world import action as act
from saniwa.world.model import Id


class ToldDeed(NamedTuple):
    """Something told as done."""

    actors: tuple[Id, ...]
    """Whoever it may have been."""
    kind: str
    """The action's wire name."""
    targets: tuple[Id, ...]
    """What it may have been done to; nothing where that is not known."""
    words: str
    """The words that tell it."""
    other: Id | None = None
    """Who got it or where it went, where that is told."""


def happened(deed: ToldDeed, facts: Facts) -> bool:
    """Whether anything that was done can be called so."""
    return any(_same(deed, action, facts) for action in facts.turn.applied_actions)


def _same(deed: ToldDeed, action: act.Action, facts: Facts) -> bool:
    if isinstance(action, act.Give) and action.recipient_id in deed.actors:
        return deed.kind == "take" and action.target_id in deed.targets
    if action.actor_id not in deed.actors:
        return False
    if _handled(deed, action):
        return True
    target = getattr(action, "target_id", None)
    if deed.targets and target not in deed.targets:
        return False
    if deed.other is not None and deed.other not in _others(action, facts):
        return False
    return _means(deed.kind, action, facts)


def _others(action: act.Action, facts: Facts) -> tuple[Id | None, ...]:
    """Who or what else had a part: for what was taken, where it was."""
    if not isinstance(action, act.Take):
        return (other_part(action),)
    thing = facts.before.entities.get(action.target_id)
    return (action.source_id, thing.place if thing is not None else None)


def _handled(deed: ToldDeed, action: act.Action) -> bool:
    """Whether the words mean no more than that something had a part in it."""
    parts = {getattr(action, role) for role in action.roles}
    if deed.kind in ("use", "search", "introduce"):
        return not parts.isdisjoint(deed.targets)
    # A key is put into the lock it opens.
    tool = getattr(action, "tool_id", None)
    return deed.kind == "put" and tool is not None and tool in deed.targets


def _means(kind: str, action: act.Action, facts: Facts) -> bool:
    """Whether the action can be called so."""
    if isinstance(action, act.Open) and kind == "unlock":
        gate = facts.before.entities.get(action.target_id)
        return gate is not None and gate.locked
    if isinstance(action, act.Use):
        return kind in ("use", "open", "close")
    done = act.type_of(action)
    return kind == done or {kind, done} <= {"drop", "put"}


def other_part(action: act.Action) -> Id | None:
    """Who gets it, where it goes, or what it comes from."""
    if isinstance(action, act.Give):
        return action.recipient_id
    if isinstance(action, act.Take):
        return action.source_id
    return action.destination_id if isinstance(action, act.Put) else None
