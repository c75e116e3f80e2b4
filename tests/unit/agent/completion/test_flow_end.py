import asyncio

import pytest

from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import StepMachine
from tests.fakes.completion import make_case


@pytest.mark.parametrize("through", [True, False])
def test_complete_when_the_flow_is_through(through: bool) -> None:
    """The completion holds at the end of the flow only."""
    looked = make_case("I am done", iteration=500, checks=500, flow_complete=through)

    assert through == asyncio.run(build_completion(StepMachine()).check(looked)).complete


def test_the_reason_names_the_last_step() -> None:
    """The reason names the last step."""
    said = asyncio.run(build_completion(StepMachine()).check(make_case(flow_complete=True)))

    assert "the flow has ended after 's_door'" == said.reason
