"""Moving a run to another definition of its process."""

from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.process.definition import MIGRATED
from saniwa.process.record import Approval, Opening, Record
from saniwa.process.standing import Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing import variables as variable
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.review import digest


def opening(plan: Plan, folder: str) -> Opening:
    """What a run that stands on a definition says of it."""
    return Opening(
        process_id=plan.process.process_id,
        process_version=plan.process.version,
        definition=plan.hash,
        folder=folder,
    )


def unfit(plan: Plan, standing: Standing) -> str:
    """Why a run cannot stand on a definition; empty if it can."""
    process_id = standing.opening.process_id
    if plan.process.process_id != process_id:
        return f"it is {quoted(plan.process.process_id)}, not {quoted(process_id)}"
    if standing.state not in plan.states:
        return f"it has no state {quoted(standing.state)}"
    for problem in variable.problems(plan, standing.variables, "/context"):
        return f"its variables do not fit: {problem.path}: {problem.message}"
    return ""


def migration(
    plan: Plan, standing: Standing, visitor: Visitor, now: int, event_id: str
) -> Record:
    """The record of the move: a row of its own, in the same state."""
    return Record(
        revision=standing.revision + 1,
        at=now,
        state=standing.state,
        event=MIGRATED,
        event_id=event_id,
        source=standing.state,
        role=visitor.role,
        author=visitor.author,
        approval=Approval(standing.revision, digest(standing)),
        opening=opening(plan, standing.opening.folder),
    )


def not_a_person() -> ProcessError:
    """Who is no person moves no run."""
    return ProcessError(
        "FORBIDDEN",
        "only a person moves a run to another definition, and this door is an agent's",
        hint="open the gate with a person's credential",
    )


def not_moved(standing: Standing, plan: Plan, why: str) -> ProcessError:
    """The run stays where it is."""
    return ProcessError(
        "MIGRATION_REFUSED",
        f"{standing.run_id} cannot move to version {plan.process.version!r}: {why}",
        hint="bring the run to a state both definitions have, or keep the state",
        details={"state": standing.state, "states": sorted(plan.states)},
    )
