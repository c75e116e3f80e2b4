"""The StepResult contract as a check any test may call."""

import json
from typing import Never

import jsonschema_rs
import msgspec

from saniwa.script.directive import StepResult, schema_text


def _refuse(uri: str) -> Never:
    raise AssertionError(f"the contract wants to fetch {uri}")


CONTRACT = jsonschema_rs.Draft202012Validator(
    json.loads(schema_text()), retriever=_refuse
)
"""The published schema; it needs nothing from anywhere else."""


def assert_keeps_contract(step: StepResult) -> None:
    """The step, as written for hosts, fits the schema and comes back equal."""
    written = step.as_json()

    CONTRACT.validate(json.loads(written))
    assert step == msgspec.json.decode(written, type=StepResult)
