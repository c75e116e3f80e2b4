"""What an experiment says in numbers: estimates, comparisons, effects and gates."""

from collections.abc import Sequence
from itertools import islice
from statistics import fmean
from typing import Final

import msgspec

from saniwa.experiment.measure.digits import apart, tidy
from saniwa.experiment.measure.gates import gates_of
from saniwa.experiment.measure.inference.bootstrap import Interval, intervals
from saniwa.experiment.measure.inference.correction import (
    ALPHA,
    effect_size,
    holm,
    size_word,
)
from saniwa.experiment.measure.inference.factors import (
    Factor,
    Pair,
    factors_of,
    pairs_of,
)
from saniwa.experiment.measure.inference.installed import check_installed
from saniwa.experiment.measure.inference.method import MOST_PAIRS, method_of
from saniwa.experiment.measure.inference.permutation import EXACT, least_p, paired_p
from saniwa.experiment.measure.inference.table import Table, table_of
from saniwa.experiment.measure.inference.variance import effects_of
from saniwa.experiment.measure.model import (
    Analysis,
    Comparison,
    Effect,
    Estimate,
    Numbers,
)
from saniwa.experiment.plan import Plan

FEW: Final = 5
"""Cells below which an interval is known to be too narrow."""


def analyse(plan: Plan, numbers: Sequence[Numbers]) -> Analysis:
    """Everything that is said about an experiment in numbers.

    Never raises over what was measured: one seed, no spread or missing cells give None
    and a note. The order of the cells makes no difference.

    Raises:
        ConfigurationError: `EXTRA_MISSING`.
    """
    check_installed()
    table, factors = table_of(plan, numbers), factors_of(plan)
    estimates, made = _estimates(table)
    pairs = list(islice(pairs_of(plan, factors), MOST_PAIRS + 1))
    comparisons, made_too = _comparisons(table, pairs[:MOST_PAIRS])
    return Analysis(
        estimates=estimates,
        comparisons=comparisons,
        effects=_effects(table, factors),
        gates=gates_of(plan, numbers),
        method=method_of(table, [*made, *made_too], pairs, comparisons),
    )


def _estimates(
    table: Table,
) -> tuple[dict[str, dict[str, Estimate]], list[Interval | None]]:
    places = [
        (condition.name, metric)
        for condition in table.conditions
        for metric in table.rows
    ]
    rows = [list(table.rows[metric][name].values()) for name, metric in places]
    made = intervals(rows)
    found: dict[str, dict[str, Estimate]] = {c.name: {} for c in table.conditions}
    for (name, metric), row, interval in zip(places, rows, made, strict=True):
        found[name][metric] = _estimate(row, interval)
    return found, made


def _estimate(row: Sequence[float], interval: Interval | None) -> Estimate:
    return Estimate(
        mean=tidy(fmean(row)) if row else None,
        low=tidy(interval.low) if interval else None,
        high=tidy(interval.high) if interval else None,
        n=len(row),
        note=_note(row, "cell"),
    )


def _note(row: Sequence[float], what: str) -> str:
    """What is unusual about values, in a few words."""
    if not row:
        return "nothing to count" if what == "cell" else "no block has both"
    if len(row) == 1:
        return f"one {what}: no interval"
    if min(row) == max(row):
        return f"the same in all {len(row)} {what}s"
    return f"{len(row)} {what}s: the interval is too narrow" if len(row) < FEW else ""


def _comparisons(
    table: Table, pairs: Sequence[Pair]
) -> tuple[tuple[Comparison, ...], list[Interval | None]]:
    places = [(pair, metric) for metric in table.rows for pair in pairs]
    rows = [_differences(table, pair, metric) for pair, metric in places]
    made, found = intervals(rows), paired_p(rows)
    corrected = holm(found)
    compared = []
    for n, (pair, metric) in enumerate(places):
        row, interval, effect = rows[n], made[n], effect_size(rows[n])
        compared.append(
            Comparison(
                metric=metric,
                first=pair.first.name,
                second=pair.second.name,
                difference=tidy(fmean(row)) if row else None,
                low=tidy(interval.low) if interval else None,
                high=tidy(interval.high) if interval else None,
                p=tidy(found[n]),
                p_corrected=tidy(corrected[n]),
                effect=tidy(effect),
                size=size_word(effect),
                blocks=len(row),
                factor=pair.factor,
                note=_compared_note(row),
            )
        )
    return tuple(compared), made


def _differences(table: Table, pair: Pair, metric: str) -> list[float]:
    """Second less first, block by block, where both have a value."""
    first = table.rows[metric][pair.first.name]
    second = table.rows[metric][pair.second.name]
    return [apart(first[block], second[block]) for block in first if block in second]


def _compared_note(row: Sequence[float]) -> str:
    if row and not any(row):
        return "no block differs: nothing to test"
    note = _note(row, "block")
    if 1 < len(row) <= EXACT and (least := least_p(len(row), 1)) >= ALPHA:
        unable = f"{len(row)} blocks: p cannot be below {least:.4g}"
        return f"{note}; {unable}" if note else unable
    return note


def _effects(table: Table, factors: Sequence[Factor]) -> tuple[Effect, ...]:
    found = effects_of(table, factors)
    corrected = holm([effect.p for effect in found])
    return tuple(
        msgspec.structs.replace(effect, p=tidy(effect.p), p_corrected=tidy(p))
        for effect, p in zip(found, corrected, strict=True)
    )
