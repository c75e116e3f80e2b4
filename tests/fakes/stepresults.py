"""The StepResult contract as a check that any test may call."""

import json
from typing import Never

import jsonschema_rs
import msgspec
from msgspec import UNSET

from saniwa.story.step_result import Branch, StepResult, read_schema_text


def _refuse(uri: str) -> Never:
    raise AssertionError(f"the contract wants to fetch {uri}")


CONTRACT = jsonschema_rs.Draft202012Validator(json.loads(read_schema_text()), retriever=_refuse)
"""The published schema, which refers to no other."""


def assert_keeps_contract(step: StepResult) -> None:
    """The step, as written for hosts, fits the schema and is read back equal.

    What a schema cannot say is checked too: options have the same texts as the choices.
    """
    written = step.to_json()

    CONTRACT.validate(json.loads(written))
    assert step == msgspec.json.decode(written, type=StepResult)
    for directive in step.directives:
        if isinstance(directive, Branch) and directive.args.options is not UNSET:
            texts = tuple(option.text for option in directive.args.options)
            assert directive.args.choices == texts
