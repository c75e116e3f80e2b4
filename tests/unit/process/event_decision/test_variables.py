from typing import Any

import pytest

from saniwa.core.errors import ProcessError
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.variable_checks import (
    MOST_VARIABLES,
    build_first_variables,
    find_variable_problems,
)
from tests.fakes.paper_process import PaperGates, make_paper_process

SCHEMA = {"properties": {"secret": {"type": "boolean"}, "rounds": {"type": "integer"}}}


def test_variables_are_held_to_the_process_schema() -> None:
    """The variables after an event must fit the process's schema."""
    office = PaperGates(make_paper_process(variables_schema=SCHEMA))
    run_id = office.begin()

    answer = office.send(run_id, "jot", payload={"rounds": "many"})

    (problem,) = answer["error"]["details"]["validation_errors"]
    assert "/payload/rounds" == problem["path"]


def test_a_guarded_variable_is_given_at_first_only_if_the_schema_names_it() -> None:
    """Initial variables that a guard reads must be named by the schema."""
    with pytest.raises(ProcessError, match="a guard reads 'secret'"):
        build_first_variables(ProcessIndex(make_paper_process()), {"secret": False})

    given = build_first_variables(
        ProcessIndex(make_paper_process(variables_schema=SCHEMA)), {"secret": False}
    )

    assert {"rounds": 0, "secret": False} == given


@pytest.mark.parametrize(
    "variables",
    [
        {"exploration_mode": "domain", "team_mode": "solo"},
        {"assumptions": ["a"], "decision_criteria": []},
        {"anything": {"else": 1}},
    ],
)
def test_the_published_variables_have_their_published_kinds(variables: dict[str, Any]) -> None:
    """The published variables have fixed types, and all others are free."""
    assert () == tuple(find_variable_problems(ProcessIndex(make_paper_process()), variables, ""))


def test_a_run_has_a_bounded_number_of_variables() -> None:
    """The number of variables is limited."""
    many = {f"v{n}": n for n in range(MOST_VARIABLES + 1)}

    assert 1 == len(tuple(find_variable_problems(ProcessIndex(make_paper_process()), many, "")))
