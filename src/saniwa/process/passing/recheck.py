"""Why a record cannot have come about: every event weighed again, on what was known then."""

from collections.abc import Iterable, Iterator

import msgspec

from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact
from saniwa.process.definition import (
    DECISIONS,
    MIGRATED,
    OVERRIDE,
    SetVariable,
    Transition,
    WriteArtifact,
)
from saniwa.process.record import Note, Record
from saniwa.process.standing import Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.fields import fields_of
from saniwa.process.weighing.front_matter import FrontMatterError, read_inline
from saniwa.process.weighing.guard import Facts
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.variables import opening_problems, problems
from saniwa.process.weighing.weigh import lacks


def first_faults(plan: Plan, record: Record) -> Iterator[str]:
    """What is wrong with a run's first record."""
    if record.state != plan.process.initial_state:
        yield f"a run begins in state {quoted(plan.process.initial_state)}"
    begun = plan.process.initial_variables
    given = {k: v for k, v in record.variables.items() if begun.get(k) != v}
    wrong = (*opening_problems(plan, given), *problems(plan, record.variables, ""))
    for problem in wrong[:1]:
        yield f"it does not begin with these variables: {problem.path}"


def event_faults(plan: Plan, before: Standing, record: Record) -> Iterator[str]:
    """What is wrong with an event, by the definition of its time."""
    quiet = record.event in DECISIONS or record.author.type == "system"
    if record.variables != ({} if quiet else record.payload):
        yield "it set other variables than were sent with it"
    for artifact in record.artifacts:
        if _misread(plan, artifact):
            yield f"{quoted(artifact.place)} does not say what its record says"
        if bool(plan.lookup(artifact.type)) != bool(artifact.checked):
            yield f"{quoted(artifact.place)} is not looked up as its kind asks"
    if not _could(plan, before, record):
        told = f"{quoted(record.event)} as {quoted(record.role)}"
        yield f"{told} does not lead there from {quoted(before.state)} on this evidence"


def migration_faults(
    before: Standing, after: Plan | None, record: Record
) -> Iterator[str]:
    """What is wrong with a move to another definition."""
    assert record.event == MIGRATED, "only a migration is looked at so"
    if record.state != before.state:
        yield "a migration changes no state"
    if record.variables or record.artifacts:
        yield "a migration changes nothing else"
    if after is not None and record.state not in after.states:
        yield f"the new definition has no state {quoted(record.state)}"


def note_faults(plan: Plan, standing: Standing, note: Note) -> Iterator[str]:
    """What is wrong with a note: it brings only what a hook of that moment brings."""
    hooks = plan.hooks(standing.source, standing.state)
    known = note.about == "hook" and 0 <= note.hook < len(hooks)
    hook = hooks[note.hook] if known and note.revision == standing.revision else None
    sets = {hook.variable: hook.value} if isinstance(hook, SetVariable) else {}
    if note.variables not in ({}, sets):
        yield "a note sets variables that no hook sets"
    writes = [hook.content] if isinstance(hook, WriteArtifact) else []
    if [each.content for each in note.artifacts] not in ([], writes):
        yield "a note brings evidence that no hook writes"


def _could(plan: Plan, before: Standing, record: Record) -> bool:
    """Whether the rules let this event lead where it led, on the evidence of its time."""
    facts = Facts(plan, before, _AsHandedIn(), record.artifacts)
    if record.event == OVERRIDE:
        named = record.payload.get("event", OVERRIDE)
        ways: Iterable[Transition] = plan.ways(before.state, str(named))[:1]
        return any(way.to == record.state for way in ways)
    if record.author.type == "system":
        passed = record.at - before.entered
        ways = [way for way in plan.timers(before.state) if way.after <= passed]
    else:
        visitor = Visitor(record.role, person=record.author.type == "human")
        ways = plan.open_to(before.state, record.event, visitor)
    return any(
        (way.to, way.event) == (record.state, record.event)
        and not lacks(plan, way, facts)
        for way in ways
    )


def _misread(plan: Plan, artifact: Artifact) -> bool:
    if artifact.content is msgspec.UNSET:
        return False
    if not plan.asks_fields(artifact.type):
        return artifact.fields != ()
    try:
        return artifact.fields != fields_of(read_inline(artifact.content))
    except FrontMatterError:
        # Intake refuses such a text, so this record did not come from the gate.
        return True


class _AsHandedIn:
    """Evidence at the time it was looked at; what became of it is another question."""

    def home(self, run_id: str, folder: str) -> str:  # noqa: ARG002 - the port's signature
        """Nobody asks."""
        return ""

    def fault(self, folder: str, artifact: Artifact) -> str:  # noqa: ARG002 - the port's signature
        """It was as it was handed in."""
        return ""
