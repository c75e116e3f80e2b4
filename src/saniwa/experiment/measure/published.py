"""The `stats` of a condition in `results.json`: the keys others know, and ours."""

from collections.abc import Sequence
from typing import Any, Final

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.metrics import METRICS, percentile, value
from saniwa.experiment.measure.model import Numbers
from saniwa.experiment.measure.pooled import pooled
from saniwa.experiment.telling.deny import DENY_CODES

RATES: Final = tuple(m.name for m in METRICS if m.pools and m.unit != "ms")
"""The metrics that are published for a condition as a whole."""


def stats_of(numbers: Sequence[Numbers]) -> dict[str, Any]:
    """What is published of the cells of one condition, all turns together.

    In whatever order the cells come, it is the same.
    """
    whole = pooled(numbers)
    return _known(numbers, whole) | _ours(numbers, whole)


def _known(numbers: Sequence[Numbers], whole: Numbers) -> dict[str, Any]:
    """The keys that results had before there was Saniwa."""
    return {
        "turns": whole.turns,
        "success": sum(each.success for each in numbers),
        "retries_total": whole.retries,
        "addressing_violations": whole.addressing_violations,
        "impossible_actions": {
            "total": whole.impossible,
            "breakdown": _all_codes(whole.impossible_by_code),
        },
        "stall_events": whole.stall_events,
        "stall_recoveries": whole.stall_recoveries,
        "gm_interventions": {
            "count": sum(whole.interventions.values()),
            "triggers": whole.interventions,
        },
        "gm_denied_count": whole.hard_denied,
        "latency_ms": {
            "p50": tidy(percentile(whole.latency_ms, 50)),
            "p95": tidy(percentile(whole.latency_ms, 95)),
        },
    }


def _ours(numbers: Sequence[Numbers], whole: Numbers) -> dict[str, Any]:
    goals = [each.goal_reached for each in numbers if each.goal_reached is not None]
    return {
        "cells": len(numbers),
        "crashes": sum(not each.success for each in numbers),
        "generation_calls": whole.generation_calls,
        "actions": whole.actions,
        "refused_actions": whole.refused_actions,
        "invented_actions": whole.invented_actions,
        "kept_actions": whole.kept_actions,
        "refused_kept_actions": whole.refused_kept_actions,
        "milestones": {"passed": whole.milestones_passed, "total": whole.milestones},
        "unsent": list(whole.unsent),
        "first_try_valid": whole.first_try_valid,
        "impossible_first": {
            "total": whole.impossible_first,
            "breakdown": _all_codes(whole.impossible_first_by_code),
        },
        "invented": {
            "total": whole.invented,
            "first_answers": whole.invented_first,
            "names": list(whole.invented_names),
        },
        "retried_turns": whole.retried_turns,
        "retry_successes": whole.retry_successes,
        "retry_fail_reasons": whole.fail_reasons,
        "silent_corrections": whole.silent_corrections,
        "give_ups": whole.give_ups,
        "hard_denied": whole.hard_denied,
        "format_breaks": {
            "first_answers": whole.format_breaks,
            "by_type": whole.breaks_by_type,
            "repairs": whole.repairs_by_method,
        },
        "unread": whole.unread,
        "goals": {"reached": sum(goals), "cells": len(goals)},
        "tokens": {"input": whole.input_tokens, "output": whole.output_tokens},
        "cost_usd_micros": whole.cost,
        "unpriced": whole.unpriced,
        "rates": {name: tidy(value(name, whole)) for name in RATES},
    }


def _all_codes(tally: dict[str, int]) -> dict[str, int]:
    return {code: tally.get(code, 0) for code in DENY_CODES}
