"""The checks that the gate has not run yet: what each will do, and whether it can."""

import shlex
from typing import Literal

import msgspec

from saniwa.core.text import quote_value, truncate
from saniwa.process.definition import CheckGuard, TransitionDefinition
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.guards import GuardFacts

_LONGEST_COMMAND = 300
"""Characters of a command that are shown at most."""


class PendingCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A check that the gate runs when an event is sent; until then its result is unknown."""

    guard_name: str
    """The guard that declares it."""
    description: str
    """The author's description."""
    event_name: str
    """The event that runs it."""
    status: Literal["ready", "blocked"]
    """Whether the gate can run it; `blocked` until its owner allows the program."""
    current_status: str
    """What the gate will do, or why it cannot."""


def list_pending_checks(
    index: ProcessIndex, way: TransitionDefinition, facts: GuardFacts
) -> tuple[PendingCheck, ...]:
    """List the checks that were needed to judge a transition, and have not been run."""
    found = []
    for name in facts.checks.pending:
        guard = index.process.guards[name]
        assert isinstance(guard, CheckGuard), "only a check can be pending"
        obstacle = facts.checks.find_obstacle(guard)
        when = "is due" if way.is_automatic else "is sent"
        plan = f"the gate will {describe_check(guard)} when {way.event} {when}"
        found.append(
            PendingCheck(
                guard_name=name,
                description=guard.description,
                event_name=way.event,
                status="blocked" if obstacle else "ready",
                current_status=obstacle or plan,
            )
        )
    return tuple(found)


def describe_check(guard: CheckGuard) -> str:
    """Say what the gate does to run a check, after the words `the gate will`."""
    about = quote_value(guard.subject)
    match guard.kind:
        case "command":
            return f"run {truncate(shlex.join(guard.command), _LONGEST_COMMAND)}"
        case "scenario_check":
            return f"check the scenario {about}"
        case "story_check":
            return f"check the story {about}"
        case "run_log":
            return f"read the run {about}"
        case "run_replay":
            return f"replay the run {about}"
        case "experiment_report":
            return f"replay the experiment {about}" if guard.subject else "replay the experiment"
        case "json_schema":
            return f"check {quote_value(guard.artifact_type)} with its schema"
        case "file_hash":
            return f"read {', '.join(guard.files)} at the commit {about}"
        case "same_subject":
            return f"compare {', '.join(guard.values)}"
