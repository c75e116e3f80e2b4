"""Fields of an answer as variables, including nested ones."""

from saniwa.agent.loop.prompt_variables import AnswerSchema
from saniwa.agent.prompt_resolver import list_output_fields

SCHEMA = {
    "type": "object",
    "properties": {
        "mood": {"type": "string"},
        "next": {"type": "object", "properties": {"action": {"type": "string"}}},
        "next_action": {"type": "string"},
    },
}


def test_a_field_inside_another_is_a_variable_with_both_names() -> None:
    """A nested field is a variable with both names, unless an outer field has that name."""
    answer = AnswerSchema("plan", SCHEMA)

    assert {"plan_mood": "good", "plan_next_action": "outer"} == answer.extract_outputs(
        '{"mood": "good", "next": {"action": "inner"}, "next_action": "outer"}'
    )


def test_what_an_answer_lacks_is_no_variable() -> None:
    """If a field is not the object that the schema expects, its inner fields are missing."""
    answer = AnswerSchema("plan", SCHEMA)

    assert {"plan_next": "soon"} == answer.extract_outputs('{"next": "soon"}')
    assert {} == answer.extract_outputs("no object")


def test_nesting_has_a_limit() -> None:
    """Four levels of nesting are read."""
    schema: dict[str, object] = {}
    for name in "edcba":
        schema = {"properties": {name: schema}}

    assert ["a", "a_b", "a_b_c", "a_b_c_d"] == [*list_output_fields(schema)]
