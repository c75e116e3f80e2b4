from pathlib import Path

import pytest

from saniwa.agent.definition import AgentDefinition, AgentFlow
from saniwa.agent.gate_agent_port import collect_facts
from saniwa.agent.layer_contracts import Progress
from saniwa.agent.loop.prompt_variables import collect_variables
from saniwa.agent.mind.character_view import VIEW_SECTIONS
from saniwa.agent.port import AgentView
from saniwa.agent.prompt_resolver import (
    PORT_FACTS,
    PORT_VARIABLES,
    STANDARD_VARIABLES,
    is_known_fact,
    name_output_variable,
)
from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds


def test_the_loop_says_every_standard_variable_and_no_other() -> None:
    """The standard variables are exactly those that the loop supplies."""
    agent = AgentDefinition(version="1.0.0", name="guide", flow=AgentFlow(entry_step="", steps={}))

    assert set(STANDARD_VARIABLES) == set(
        collect_variables(agent, {}, Progress(), AgentView(), checks=0, most=9)
    )


def test_a_characters_view_is_among_the_floors_variables() -> None:
    """Every section of a character's view is among the port's variables."""
    assert set() == {*VIEW_SECTIONS, "language"} - set(PORT_VARIABLES)


def test_an_output_is_named_after_its_step() -> None:
    """A step's output is a variable whose name has underscores for dots."""
    assert "initial_plan_title" == name_output_variable("initial.plan", "title")


@pytest.mark.parametrize(
    ("fact", "told"), [("state", True), ("variables.mood", True), ("turn", True), ("mood", False)]
)
def test_a_fact_is_reported_by_a_world_or_a_gate(fact: str, told: bool) -> None:
    """Facts of a world and a gate are known, and the variables of a process under `variables`."""
    assert told == is_known_fact(fact)


def test_the_facts_are_those_the_floors_tell(tmp_path: Path) -> None:
    """The known facts are exactly those that a world and a gate supply."""
    with open_gate(tmp_path, clock=FixedClock(), ids=CountingIds()) as gate:
        state = gate.get_state(gate.create_run("exploration").run_id)
    world = {"goal_reached", "place", "turn"}

    assert set(PORT_FACTS) == {*collect_facts(state), *world}
