"""What holds for every plan that was read and prepared, looked at once more.

A prepared plan lies in a file, and a file can be changed by hand: nobody believes there
what nobody would have believed in a plan.
"""

from collections.abc import Iterator
from typing import get_args

from saniwa.core.quoted import quoted
from saniwa.experiment.authoring.crossing import name_of
from saniwa.experiment.authoring.form import (
    LARGEST_SEED,
    MOST_CELLS,
    MOST_CONDITIONS,
    MOST_SEEDS,
    RANGES,
)
from saniwa.experiment.authoring.level import HOTTEST
from saniwa.experiment.authoring.slug import is_id
from saniwa.experiment.cell import count_cells
from saniwa.experiment.plan import PLAIN_FAULTS, Condition, FactorName, Plan, Prepared
from saniwa.run.opening import LANGUAGES


def unsound(prepared: Prepared) -> Iterator[str]:
    """Everything that keeps a prepared plan from being carried out, in sentences."""
    plan = prepared.plan
    if not is_id(plan.experiment_id):
        yield f"{quoted(plan.experiment_id)} cannot be the id of an experiment"
    yield from _numbers(plan)
    yield from _sizes(plan)
    yield from _missing(prepared)
    for condition in plan.conditions:
        yield from _condition(prepared, condition)
    yield from _factors(plan)


def _numbers(plan: Plan) -> Iterator[str]:
    for name, (least, most) in RANGES.items():
        value = getattr(plan, name)
        if not least <= value <= most:
            yield f"{name!r} is from {least} to {most}, not {value}"
    if not all(0 <= seed <= LARGEST_SEED for seed in plan.seeds):
        yield f"a seed is from 0 to {LARGEST_SEED}"


def _sizes(plan: Plan) -> Iterator[str]:
    names = tuple(condition.name for condition in plan.conditions)
    for what, found, most in (
        ("scenarios", plan.scenarios, MOST_CELLS),
        ("conditions", names, MOST_CONDITIONS),
        ("seeds", plan.seeds, MOST_SEEDS),
    ):
        if not 1 <= len(found) <= most:
            yield f"{what!r} are from 1 to {most}, not {len(found)}"
        elif len(set(found)) < len(found):
            yield f"one of {what!r} stands there a second time"
    if count_cells(plan) > MOST_CELLS:
        yield f"{count_cells(plan)} cells are more than {MOST_CELLS}"


def _missing(prepared: Prepared) -> Iterator[str]:
    for scenario in prepared.plan.scenarios:
        if scenario not in prepared.settings:
            yield f"the scenario {quoted(scenario)} is not in it"
            continue
        books = prepared.books.get(scenario, {})
        for name in sorted({each.rulebook for each in prepared.plan.conditions}):
            if not books.get(name):
                yield f"the rulebook {quoted(name)} of {quoted(scenario)} is not in it"


def _factors(plan: Plan) -> Iterator[str]:
    unknown = sorted(set(plan.factors) - set(get_args(FactorName)))
    if unknown:
        yield f"conditions cannot differ in {quoted(unknown[0])}"
        return
    for name, levels in plan.factors.items():
        if {getattr(each, name) for each in plan.conditions} != set(levels):
            yield f"the levels of {name!r} are not those of the conditions"
    for condition in plan.conditions:
        called = name_of(condition, plan.factors)
        if condition.name != called:
            yield f"the condition {quoted(condition.name)} is {quoted(called)}"


def _condition(prepared: Prepared, condition: Condition) -> Iterator[str]:
    name = quoted(condition.name)
    if not 0 <= condition.temperature <= HOTTEST:
        yield f"{name} has a temperature of {condition.temperature}"
    if condition.faults not in (*prepared.plan.faults, PLAIN_FAULTS):
        yield f"{name} errs like {quoted(condition.faults)}, which is not in it"
    editions = prepared.prompts.get(condition.prompt, {})
    if not editions or (condition.language or next(iter(editions))) not in editions:
        yield f"the edition {quoted(condition.prompt)} of {name} is not in it"
    if condition.language and condition.language not in LANGUAGES:
        yield f"{name} is told in {quoted(condition.language)}"
