import pytest

from saniwa.process.definition import (
    ArtifactDefinition,
    EventDefinition,
    RoleDefinition,
    TransitionDefinition,
)
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.submission import Visitor
from tests.fakes.gate import make_door_process
from tests.fakes.paper_process import AGENT, make_paper_process


def test_a_guarded_way_comes_before_an_open_one() -> None:
    """Guarded transitions come first, otherwise in the author's order."""
    ways = (
        TransitionDefinition(source="closed", event="knock", to="passed"),
        TransitionDefinition(source="closed", event="knock", to="open", guard="permitted"),
        TransitionDefinition(source="closed", event="knock", to="closed", guard="other"),
    )
    plan = ProcessIndex(make_door_process(transitions=ways))

    assert ["open", "closed", "passed"] == [w.to for w in plan.find_transitions("closed", "knock")]


def test_timers_come_soonest_first_and_no_person_sends_them() -> None:
    """Timed transitions are sorted by time, and no event triggers them."""
    ways = (
        TransitionDefinition(source="closed", event="late", to="passed", after=9),
        TransitionDefinition(source="closed", event="soon", to="open", after=3),
    )
    plan = ProcessIndex(make_door_process(transitions=ways))

    assert ["soon", "late"] == [way.event for way in plan.list_automatic("closed")]
    assert () == plan.find_transitions("closed", "soon")


def test_without_roles_the_three_standard_ones_count() -> None:
    """Without roles, the three standard roles apply."""
    events = tuple(
        EventDefinition(name=name, allowed_roles=("*",))
        for name in ("knock", "approve", "reject", "override_guard")
    )
    plan = ProcessIndex(make_door_process(events=events))

    assert ("agent", "human", "reviewer") == plan.list_allowed_roles("knock")
    assert ("reviewer",) == plan.list_allowed_roles("approve")
    assert ("human", "reviewer") == plan.list_allowed_roles("override_guard")


@pytest.mark.parametrize(
    ("named", "needed"),
    [("open", True), ("closed->open", True), ("closed -> open", True), ("knock", False)],
)
def test_a_kind_may_be_required_for_a_transition(named: str, needed: bool) -> None:
    """A kind may be required by naming the event, or the two states."""
    kind = ArtifactDefinition(type="permit", required_for_transitions=(named,))
    plan = ProcessIndex(make_door_process(artifacts=(kind,)))
    (way,) = plan.find_transitions("closed", "open")

    assert needed is ("permit" in plan.list_required_kinds(way))


def test_a_kind_may_say_itself_where_it_is_required() -> None:
    """A kind may name the state that requires it."""
    kind = ArtifactDefinition(type="permit", required_in_states=("closed",))
    plan = ProcessIndex(make_door_process(artifacts=(kind,)))

    assert ("permit",) == plan.list_kinds_for_state("closed")
    assert () == plan.list_kinds_for_state("open")


def test_a_rejection_needs_no_evidence() -> None:
    """A rejection needs no evidence."""
    plan = ProcessIndex(make_paper_process())
    (reject,) = plan.find_transitions("review", "reject")

    assert () == plan.list_required_kinds(reject)


def test_a_persons_role_grants_nothing_to_an_agent() -> None:
    """An agent cannot use a person's role, not even for an event of every role."""
    plan = ProcessIndex(make_paper_process())

    assert plan.can_send("jot", AGENT)
    assert not plan.can_send("jot", Visitor("reviewer", person=True))
    assert not plan.can_send("approve", Visitor("reviewer"))


def test_approving_and_rejecting_are_granted_one_by_one() -> None:
    """`can_approve` does not grant rejecting."""
    role = RoleDefinition(name="boss", allowed_events=("*",), can_approve=True)
    plan = ProcessIndex(make_paper_process(roles=(role,)))
    boss = Visitor("boss", person=True)

    assert plan.can_send("approve", boss)
    assert not plan.can_send("reject", boss)
