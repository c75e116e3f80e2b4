"""What type checkers and editors see of `from saniwa import …`.

`make types` checks the functions below; at run time only the two lists are compared.
"""

import ast
from typing import assert_type

import saniwa
from saniwa import (
    Action,
    Finding,
    Gate,
    Report,
    Rulebook,
    Run,
    Scenario,
    StepResult,
    Story,
    Verdict,
    World,
    compute_world_hash,
    judge,
    open_gate,
    open_scenario,
    restore_world,
    take_snapshot,
)
from tests.house.pages import ROOT


def test_type_checkers_see_the_public_list() -> None:
    """The imports for type checkers name the same homes as the table used at run time."""
    source = (ROOT / "src" / "saniwa" / "__init__.py").read_text(encoding="utf-8")
    block = next(each for each in ast.parse(source).body if isinstance(each, ast.If))
    found = {
        name.asname: each.module
        for each in block.body
        if isinstance(each, ast.ImportFrom)
        for name in each.names
    }

    assert saniwa._HOMES == found


def check_functions_have_their_types(action: Action, world: World, book: Rulebook) -> None:
    """A user's calls are checked, and what they give has a type."""
    assert_type(judge(action, world, book), Verdict)
    assert_type(open_scenario("door_and_key"), Scenario)
    assert_type(open_gate(), Gate)
    assert_type(restore_world(take_snapshot(world)), World)
    assert_type(compute_world_hash(world), str)


def check_classes_have_their_types(
    run: Run, story: Story, report: Report, step: StepResult
) -> None:
    """Attributes of public classes have types as well."""
    assert_type(run.world, World)
    assert_type(story.report, Report)
    assert_type(report.findings, tuple[Finding, ...])
    assert_type(step.next.value, str)
