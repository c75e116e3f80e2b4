"""What an experiment would take, for people and for machines."""

from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli.render import answer
from saniwa.cli.tally import counted
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.experiment.plan import Plan, Prepared
    from saniwa.wiring.experiment.forecast import Forecast

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000


def tell_forecast(prepared: "Prepared", found: "Forecast", *, as_json: bool) -> None:
    """Tell it; nothing has been asked or written."""
    plan = prepared.plan
    if as_json:
        answer({"ok": True, "plan": plan, **msgspec.to_builtins(found)})
        return
    names = ", ".join(condition.name for condition in plan.conditions[:12])
    more = f" … ({len(plan.conditions)} in all)" if len(plan.conditions) > 12 else ""
    rows = (
        ("experiment", plan.experiment_id),
        ("mode", plan.mode),
        ("scenarios", ", ".join(plan.scenarios)),
        ("conditions", names + more),
        ("cells", f"{found.cells:,}"),
        ("turns", f"at most {plan.max_turns} a cell"),
        ("calls", _between(found.calls_fewest, found.calls_most)),
        ("tokens", f"about {_between(found.tokens_fewest, found.tokens_most)}"),
        ("cost", _cost(plan.mode, found)),
        ("disk", f"about {size(found.disk)}"),
    )
    for label, words in rows:
        click.echo(printable(f"{label:<11} {words}"))
    _tell_lacking(plan)


def _tell_lacking(plan: "Plan") -> None:
    """Say beforehand that so few blocks cannot show anything."""
    from saniwa.experiment.measure.reach import blocks_lacking

    needed = blocks_lacking(plan)
    if needed:
        blocks = counted(len(plan.scenarios) * len(plan.seeds), "block")
        click.echo(
            f"note: {blocks} of scenario and seed cannot show anything; from {needed} on "
            "they can",
            err=True,
        )


def size(count: int) -> str:
    """So many bytes as people say it: `12.3 MB`."""
    value, unit = float(count), 0
    while value >= _STEP and unit < len(_UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit else f"{count} bytes"


def _between(fewest: int, most: int) -> str:
    return f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"


def _cost(mode: str, found: "Forecast") -> str:
    if mode == "sim":
        return "nothing: stand-ins play"
    if found.cost_fewest is None or found.cost_most is None:
        models = ", ".join(found.unpriced)
        return f"unknown: nobody knows the price of {models}; name it under 'prices'"
    return f"about ${found.cost_fewest:.2f} to ${found.cost_most:.2f}"
