"""Walking a flow: retries, fallbacks, sub-steps, escalations, loops and limits."""

import pytest

from saniwa.agent.definition import AgentFlow
from saniwa.agent.flow_navigator import FlowMove, FlowNavigator, FlowPosition, start_flow
from saniwa.core.errors import LoopError
from tests.fakes.agents import make_flow, make_step

_CHECK = {"type": "keyword", "keywords": ["ok"]}


def _start_walk(f: AgentFlow) -> tuple[FlowNavigator, FlowPosition]:
    return FlowNavigator(f), start_flow(f)


def _pass_step(walk: FlowNavigator, position: FlowPosition) -> FlowPosition:
    return walk.pass_step(walk.count_run(position)).position


def _fail(walk: FlowNavigator, position: FlowPosition) -> FlowMove:
    return walk.fail_step(walk.count_run(position), "no")


def test_a_passing_step_leads_to_the_next() -> None:
    """After a passed check, the step it names is next."""
    walk, at = _start_walk(
        make_flow(make_step("a", check={**_CHECK, "on_pass": {"next": "b"}}), make_step("b"))
    )

    at = _pass_step(walk, at)

    assert ("b", {"a": 1, "b": 1}) == (at.step, at.visits)


def test_a_step_without_a_check_leads_to_its_own_next() -> None:
    """Without a check, the step's own `next` decides."""
    walk, at = _start_walk(make_flow(make_step("a", next="b"), make_step("b")))

    assert "b" == _pass_step(walk, at).step


def test_the_flow_ends_where_a_transition_says_so() -> None:
    """The flow ends only at a transition with `complete`."""
    walk, at = _start_walk(
        make_flow(make_step("a", check={**_CHECK, "on_pass": {"complete": True}}))
    )

    assert _pass_step(walk, at).complete


def test_a_failed_check_is_retried_three_times_by_default() -> None:
    """By default a failed check is retried three times, and is then an error."""
    walk, at = _start_walk(make_flow(make_step("a", check=_CHECK)))

    for _ in range(3):
        at = _fail(walk, at).position
    with pytest.raises(LoopError) as stopped:
        _fail(walk, at)

    assert (3, 1) == (at.retries, at.in_a_row)
    assert "RETRIES_EXHAUSTED" == stopped.value.code


def test_two_retries_are_two_more_runs() -> None:
    """The number of retries does not include the first run."""
    policy = {"max_retries": 2, "on_exhausted": "fallback", "fallback_step": "b"}
    check = {**_CHECK, "on_fail": {"retry": policy}}
    walk, at = _start_walk(make_flow(make_step("a", check=check), make_step("b")))
    runs = 0

    while at.step == "a":
        runs += 1
        at = _fail(walk, at).position

    assert (3, "b") == (runs, at.step)


def test_exhausted_retries_may_skip_to_where_passing_leads() -> None:
    """`skip` after the last retry continues as if the step had passed."""
    policy = {"max_retries": 0, "on_exhausted": "skip"}
    check = {**_CHECK, "on_fail": {"retry": policy}, "on_pass": {"next": "b"}}
    walk, at = _start_walk(make_flow(make_step("a", check=check), make_step("b")))

    assert "b" == _fail(walk, at).position.step


def test_skipping_the_last_step_is_no_end_reached() -> None:
    """Skipping the last step is an error, not the end of the flow."""
    policy = {"max_retries": 0, "on_exhausted": "skip"}
    check = {**_CHECK, "on_fail": {"retry": policy}, "on_pass": {"complete": True}}
    walk, at = _start_walk(make_flow(make_step("a", check=check)))

    with pytest.raises(LoopError) as stopped:
        _fail(walk, at)

    assert "RETRIES_EXHAUSTED" == stopped.value.code


def test_an_unknown_fallback_is_an_error() -> None:
    """After the last retry, an unknown fallback is an error."""
    policy = {"max_retries": 0, "on_exhausted": "fallback"}
    walk, at = _start_walk(
        make_flow(make_step("a", check={**_CHECK, "on_fail": {"retry": policy}}))
    )

    with pytest.raises(LoopError) as stopped:
        _fail(walk, at)

    assert "RETRIES_EXHAUSTED" == stopped.value.code


def test_a_step_may_run_ten_times_in_a_row() -> None:
    """A step may run ten times in a row, not counting retries."""
    walk, at = _start_walk(make_flow(make_step("a")))

    for _ in range(9):
        at = _pass_step(walk, at)
    with pytest.raises(LoopError) as stopped:
        _pass_step(walk, at)

    assert 10 == at.in_a_row
    assert "STEP_LOOP_LIMIT" == stopped.value.code


def test_a_step_that_leads_to_itself_is_counted_too() -> None:
    """A step that leads to itself counts towards the limit in a row."""
    walk, at = _start_walk(make_flow(make_step("a", next="a"), step_loop_limit=2))

    at = _pass_step(walk, at)
    with pytest.raises(LoopError) as stopped:
        _pass_step(walk, at)

    assert "STEP_LOOP_LIMIT" == stopped.value.code


def test_an_author_may_allow_more_runs_of_one_step() -> None:
    """`iterations.max` is the limit of its own step."""
    walk, at = _start_walk(make_flow(make_step("a", max_iterations=30)))

    for _ in range(29):
        at = _pass_step(walk, at)

    assert 30 == at.in_a_row


def test_loops_over_two_steps_are_allowed_and_counted() -> None:
    """A loop over two steps is allowed, and its visits are counted."""
    walk, at = _start_walk(make_flow(make_step("a", next="b"), make_step("b", next="a")))

    for _ in range(5):
        at = _pass_step(walk, at)

    assert {"a": 3, "b": 3} == at.visits


def test_loops_over_two_steps_end_at_the_visit_limit() -> None:
    """A loop over two steps ends with an error at the limit of visits."""
    walk, at = _start_walk(
        make_flow(make_step("a", next="b"), make_step("b", next="a"), visit_limit=3)
    )

    for _ in range(5):
        at = _pass_step(walk, at)
    with pytest.raises(LoopError) as stopped:
        _pass_step(walk, at)

    assert ("STEP_LOOP_LIMIT", 3) == (stopped.value.code, at.visits["a"])


def test_a_step_runs_as_often_as_it_must_before_it_continues() -> None:
    """A step runs `iterations.min` times before a passed check counts."""
    walk, at = _start_walk(make_flow(make_step("a", min_iterations=2, next="b"), make_step("b")))

    first = _pass_step(walk, at)
    second = _pass_step(walk, first)

    assert ("a", "b") == (first.step, second.step)


def _make_flow_with_parts(**more: object) -> AgentFlow:
    return make_flow(
        make_step("whole", sub_steps=["one", "two"], next="after", **more),
        make_step("one", type="subStep"),
        make_step("two", type="subStep"),
        make_step("after"),
    )


def test_sub_steps_run_in_order_and_then_the_whole_continues() -> None:
    """Sub-steps run in order, and then their step continues."""
    walk, at = _start_walk(_make_flow_with_parts())

    one = walk.enter_sub_steps(at)
    two = _pass_step(walk, one)
    whole = _pass_step(walk, two)
    after = walk.pass_step(whole).position

    assert ["one", "two", "whole", "after"] == [p.step for p in (one, two, whole, after)]
    assert whole.subs_done


def test_a_failed_sub_step_fails_the_whole() -> None:
    """If a sub-step fails, its step's failure transition is taken."""
    walk, at = _start_walk(
        make_flow(
            make_step("whole", sub_steps=["one"], check={**_CHECK, "on_fail": {"next": "mend"}}),
            make_step(
                "one", type="subStep", check={**_CHECK, "on_fail": {"retry": {"max_retries": 0}}}
            ),
            make_step("mend"),
        )
    )

    assert "mend" == _fail(walk, walk.enter_sub_steps(at)).position.step


def test_a_failed_sub_step_of_a_whole_that_says_nothing_is_an_error() -> None:
    """If a sub-step fails and its step has no failure transition, that is an error."""
    walk, at = _start_walk(
        make_flow(
            make_step("whole", sub_steps=["one"]),
            make_step(
                "one", type="subStep", check={**_CHECK, "on_fail": {"retry": {"max_retries": 0}}}
            ),
        )
    )

    with pytest.raises(LoopError, match="its sub-step 'one' failed: no"):
        _fail(walk, walk.enter_sub_steps(at))


def _make_escalating_flow(how: str, back: str, to: str = "chef") -> AgentFlow:
    return make_flow(
        make_step("begin", next="cook"),
        make_step(
            "cook",
            check={**_CHECK, "on_fail": {"retry": {"max_retries": 0}}},
            escalation={"escalate_to": to, "notification_method": how, "return_flow": back},
        ),
        make_step("chef"),
    )


def test_an_escalation_inside_jumps_and_comes_back() -> None:
    """After an `in_agent` escalation with `resume`, the first step runs again from its start."""
    walk, at = _start_walk(_make_escalating_flow("in_agent", "resume"))
    at = _pass_step(walk, at)

    chef = _fail(walk, at).position
    back = _pass_step(walk, chef)

    assert ["chef", "cook"] == [chef.step, back.step]
    assert (0, 2) == (back.retries, back.visits["cook"])


def test_an_escalation_inside_may_end_the_agent_afterwards() -> None:
    """After an `in_agent` escalation with `abort`, the agent ends with an error."""
    walk, at = _start_walk(_make_escalating_flow("in_agent", "abort"))
    chef = _fail(walk, _pass_step(walk, at)).position

    with pytest.raises(LoopError) as stopped:
        _pass_step(walk, chef)

    assert ("chef", "AGENT_ESCALATED") == (chef.step, stopped.value.code)


def test_an_escalation_inside_may_begin_everything_again() -> None:
    """After an `in_agent` escalation with `restart`, the first step is next, with visits kept."""
    walk, at = _start_walk(_make_escalating_flow("in_agent", "restart"))
    chef = _fail(walk, _pass_step(walk, at)).position

    again = _pass_step(walk, chef)

    assert ("begin", 2, ()) == (again.step, again.visits["begin"], again.frames)


@pytest.mark.parametrize("how", ["webhook", "log"])
@pytest.mark.parametrize(("back", "leads"), [("resume", "cook"), ("restart", "begin")])
def test_an_escalation_outside_is_reported_and_continues(how: str, back: str, leads: str) -> None:
    """An escalation by webhook or log is a notice, and the flow continues at once."""
    walk, at = _start_walk(_make_escalating_flow(how, back, "https://example.org/alarm"))

    walked = _fail(walk, _pass_step(walk, at))

    assert walked.notice is not None
    assert ("cook", "no", leads) == (walked.notice.step, walked.notice.reason, walked.position.step)


def test_a_transition_may_escalate_at_once() -> None:
    """A check may escalate without retries."""
    walk, at = _start_walk(
        make_flow(
            make_step(
                "a",
                check={**_CHECK, "on_fail": {"escalate": True}},
                escalation={"escalate_to": "b"},
            ),
            make_step("b"),
        )
    )

    assert "b" == _fail(walk, at).position.step


def test_endless_escalations_end_at_the_limit() -> None:
    """A step that escalates and resumes again and again reaches the limit."""
    walk, at = _start_walk(_make_escalating_flow("log", "resume"))
    at = _pass_step(walk, at)

    while at.in_a_row < 10:
        at = _fail(walk, at).position
    with pytest.raises(LoopError) as stopped:
        _fail(walk, at)

    assert "STEP_LOOP_LIMIT" == stopped.value.code


def _make_checked_flow(policy: dict[str, object]) -> AgentFlow:
    return make_flow(
        make_step("whole", sub_steps=["one"], check={**_CHECK, "on_fail": {"retry": policy}}),
        make_step("one", type="subStep"),
        make_step("mend"),
    )


_ONCE = {"max_retries": 1, "on_exhausted": "fallback", "fallback_step": "mend"}


def test_the_retries_of_a_step_with_parts_run_out() -> None:
    """The retries of a step with sub-steps are limited."""
    walk, at = _start_walk(_make_checked_flow(_ONCE))
    rounds = 0

    while at.step != "mend":
        rounds += 1
        whole = _pass_step(walk, walk.enter_sub_steps(at))
        at = walk.fail_step(whole, "no").position

    assert 2 == rounds


def test_a_part_that_fails_uses_the_retries_of_its_whole() -> None:
    """A failed sub-step uses a retry of its step."""
    f = _make_checked_flow(_ONCE)
    never = make_step(
        "one", type="subStep", check={**_CHECK, "on_fail": {"retry": {"max_retries": 0}}}
    )
    walk, at = _start_walk(make_flow(f.steps["whole"], never, f.steps["mend"]))

    again = _fail(walk, walk.enter_sub_steps(at)).position
    mended = _fail(walk, walk.enter_sub_steps(again)).position

    assert [("whole", 1), ("mend", 0)] == [(p.step, p.retries) for p in (again, mended)]


def test_what_is_complete_inside_a_part_is_the_part() -> None:
    """`complete` in a sub-step ends only that sub-step."""
    walk, at = _start_walk(
        make_flow(
            make_step("whole", sub_steps=["one", "two"], complete=True),
            make_step("one", type="subStep", complete=True),
            make_step("two", type="subStep"),
        )
    )

    two = _pass_step(walk, walk.enter_sub_steps(at))
    whole = _pass_step(walk, two)

    assert ("two", False) == (two.step, two.complete)
    assert walk.pass_step(whole).position.complete


def test_what_is_complete_inside_an_escalation_is_the_escalation() -> None:
    """`complete` in an escalation ends only the escalation, and an `abort` still follows."""
    f = _make_escalating_flow("in_agent", "abort")
    chef = make_step("chef", complete=True)
    walk, at = _start_walk(make_flow(f.steps["begin"], f.steps["cook"], chef))
    there = _fail(walk, _pass_step(walk, at)).position

    with pytest.raises(LoopError) as stopped:
        _pass_step(walk, there)

    assert "AGENT_ESCALATED" == stopped.value.code


def test_a_part_that_leads_elsewhere_still_comes_back() -> None:
    """After a sub-step that leads elsewhere, the remaining sub-steps run."""
    walk, at = _start_walk(
        make_flow(
            make_step("whole", sub_steps=["one", "two"], next="end"),
            make_step("one", type="subStep", next="detour"),
            make_step("detour"),
            make_step("two", type="subStep"),
            make_step("end"),
        )
    )

    detour = _pass_step(walk, walk.enter_sub_steps(at))
    two = _pass_step(walk, detour)

    assert ["detour", "two"] == [detour.step, two.step]
