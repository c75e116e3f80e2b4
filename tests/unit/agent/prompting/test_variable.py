from saniwa.agent.character.view import SECTIONS
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.floor import View
from saniwa.agent.flow import Flow
from saniwa.agent.looping.known import known, outputs_of
from saniwa.agent.progress import Progress
from saniwa.agent.prompting.variable import (
    FLOOR_VARIABLES,
    STANDARD_VARIABLES,
    output_variable,
)


def test_the_loop_says_every_standard_variable_and_no_other() -> None:
    """What an author may rely on is what a prompt is really made with."""
    agent = AgentDefinition(
        version="1.0.0", name="guide", flow=Flow(entry_step="", steps={})
    )

    assert set(STANDARD_VARIABLES) == set(
        known(agent, {}, Progress(), View(), checks=0)
    )


def test_a_characters_view_is_among_the_floors_variables() -> None:
    """Every section of a view can be written in a prompt."""
    assert set() == {*SECTIONS, "language"} - set(FLOOR_VARIABLES)


def test_an_output_is_named_as_the_loop_names_it() -> None:
    """Dots in a step's id become underscores, here and where answers are read."""
    name = output_variable("initial.plan", "title")

    assert "initial_plan_title" == name
    assert {name: "x"} == outputs_of("initial.plan", '{"title": "x"}')
