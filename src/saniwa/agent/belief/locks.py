"""Whether something is locked: nobody sees it from afar, whoever tries it knows."""

from collections.abc import Iterator
from typing import Final

from saniwa.agent.belief.attempts import Attempt
from saniwa.agent.belief.notebook import Notebook
from saniwa.turn.way import ways_out
from saniwa.world import action as act
from saniwa.world.model import Id, World
from saniwa.world.view import within_reach

_ABOUT_LOCKS: Final = frozenset(
    {"door_locked", "target_locked", "already_locked", "already_unlocked"}
)
"""Reasons for a refusal that tell how a lock stands."""


def feel_locks(notes: Notebook, attempt: Attempt) -> None:
    """Learn what the attempt tells its witness, or its own doer, about locks."""
    own = attempt.action.actor_id == notes.who
    for thing in _touched(attempt):
        found = attempt.after.entities.get(thing)
        if found is None or not within_reach(attempt.after, notes.who, thing):
            continue
        if found.lockable and (_turned(attempt, thing) or (own and _tried(attempt))):
            notes.feel_lock(thing, found.locked)


def _touched(attempt: Attempt) -> Iterator[Id]:
    yield from attempt.named
    if isinstance(attempt.action, act.Move):
        yield from _doors(attempt.before, attempt.action)


def _doors(world: World, action: act.Move) -> Iterator[Id]:
    for way in ways_out(world, action.actor_id):
        if way.to == action.target_id and way.door is not None:
            yield way.door


def _turned(attempt: Attempt, thing: Id) -> bool:
    """Whether the deed has locked or unlocked it."""
    before, after = attempt.before.entities.get(thing), attempt.after.entities[thing]
    return before is not None and before.locked != after.locked


def _tried(attempt: Attempt) -> bool:
    """Whether one's own hands or a close look have told."""
    verdict = attempt.verdict
    if verdict.success:
        return isinstance(attempt.action, act.Inspect)
    stuck = isinstance(attempt.action, act.Open) and verdict.reason_code == "LOCKED"
    return stuck or verdict.fail_reason in _ABOUT_LOCKS
