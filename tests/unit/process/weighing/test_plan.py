import pytest

from saniwa.process.definition import (
    ArtifactDefinition,
    EventDefinition,
    RoleDefinition,
    Transition,
)
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.plan import Plan
from tests.fakes.gate import door_process
from tests.fakes.paper import AGENT, paper


def test_a_guarded_way_comes_before_an_open_one() -> None:
    """Otherwise in the author's order."""
    ways = (
        Transition(source="closed", event="knock", to="passed"),
        Transition(source="closed", event="knock", to="open", guard="permitted"),
        Transition(source="closed", event="knock", to="closed", guard="other"),
    )
    plan = Plan(door_process(transitions=ways))

    assert ["open", "closed", "passed"] == [w.to for w in plan.ways("closed", "knock")]


def test_timers_come_soonest_first_and_nobody_sends_them() -> None:
    """They are no way of any event."""
    ways = (
        Transition(source="closed", event="late", to="passed", after=9),
        Transition(source="closed", event="soon", to="open", after=3),
    )
    plan = Plan(door_process(transitions=ways))

    assert ["soon", "late"] == [way.event for way in plan.timers("closed")]
    assert () == plan.ways("closed", "soon")


def test_without_roles_the_three_standard_ones_count() -> None:
    """An agent works, a reviewer approves, a human does neither for free."""
    events = tuple(
        EventDefinition(name=name, allowed_roles=("*",))
        for name in ("knock", "approve", "reject", "override_guard")
    )
    plan = Plan(door_process(events=events))

    assert ("agent", "human", "reviewer") == plan.who_may("knock")
    assert ("reviewer",) == plan.who_may("approve")
    assert ("human", "reviewer") == plan.who_may("override_guard")


@pytest.mark.parametrize(
    ("named", "needed"),
    [
        ("open", True),
        ("closed->open", True),
        ("closed -> open", True),
        ("knock", False),
    ],
)
def test_a_kind_may_be_required_for_a_transition(named: str, needed: bool) -> None:
    """Named by the event, or by the two states."""
    kind = ArtifactDefinition(type="permit", required_for_transitions=(named,))
    plan = Plan(door_process(artifacts=(kind,)))
    (way,) = plan.ways("closed", "open")

    assert needed is ("permit" in plan.needs(way))


def test_a_kind_may_say_itself_where_it_is_required() -> None:
    """As a state may say what it requires."""
    kind = ArtifactDefinition(type="permit", required_in_states=("closed",))
    plan = Plan(door_process(artifacts=(kind,)))

    assert ("permit",) == plan.required_in("closed")
    assert () == plan.required_in("open")


def test_a_rejection_needs_no_evidence() -> None:
    """Going back because something is missing must be possible."""
    plan = Plan(paper())
    (reject,) = plan.ways("review", "reject")

    assert () == plan.needs(reject)


def test_a_persons_role_grants_nothing_to_an_agent() -> None:
    """Not even what every role may send."""
    plan = Plan(paper())

    assert plan.may_send("jot", AGENT)
    assert not plan.may_send("jot", Visitor("reviewer", person=True))
    assert not plan.may_send("approve", Visitor("reviewer"))


def test_approving_and_rejecting_are_granted_one_by_one() -> None:
    """`can_approve` is not `can_reject`."""
    role = RoleDefinition(name="boss", allowed_events=("*",), can_approve=True)
    plan = Plan(paper(roles=(role,)))
    boss = Visitor("boss", person=True)

    assert plan.may_send("approve", boss)
    assert not plan.may_send("reject", boss)
