"""The final report: what was tried, how often, and whether it held."""

from collections.abc import Iterator, Sequence
from textwrap import indent

from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.rounds import TrialOutcome


def render_page(ordeals: Sequence[Ordeal], found: Sequence[TrialOutcome]) -> str:
    """One paragraph for each ordeal that was tried, with its failures, then the totals."""
    parts = list[str]()
    for ordeal in ordeals:
        if mine := [outcome for outcome in found if outcome.ordeal == ordeal.name]:
            parts.append("\n".join(_render_paragraph(ordeal, mine)))
            parts += _render_broken([outcome for outcome in mine if outcome.broken])
    return "\n\n".join([*parts, _render_sum(found)])


def render_ordeals(ordeals: Sequence[Ordeal]) -> str:
    """Every ordeal: its name, what is done, and what must hold."""
    return "\n\n".join("\n".join([o.name, *_describe_ordeal(o)]) for o in ordeals)


def _render_paragraph(ordeal: Ordeal, mine: Sequence[TrialOutcome]) -> Iterator[str]:
    broken = sum(bool(outcome.broken) for outcome in mine)
    yield f"{ordeal.name}: {_describe_outcome(broken)}"
    yield from _describe_ordeal(ordeal)
    yield f"  how often: {_render_count(len(mine), 'trial')}, {_render_figures(mine)}"


def _describe_ordeal(ordeal: Ordeal) -> Iterator[str]:
    yield f"  tried:     {ordeal.tried}"
    yield f"  promised:  {ordeal.promised}"


def _render_broken(broken: Sequence[TrialOutcome]) -> Iterator[str]:
    """The command that repeats each failure; only the first is printed in full."""
    for number, outcome in enumerate(broken):
        again = f"--minutes 0 --only {outcome.ordeal} --seed '{outcome.seed}'"
        whole = indent(f"\n{outcome.broken.rstrip()}", "  ") if number == 0 else ""
        yield f"BROKEN, again with: python -m tests.torture {again}{whole}"


def _render_sum(found: Sequence[TrialOutcome]) -> str:
    broken = sum(bool(outcome.broken) for outcome in found)
    names = {outcome.ordeal for outcome in found}
    return (
        f"{_render_count(len(names), 'ordeal')}, {_render_count(len(found), 'trial')}, "
        f"{_render_figures(found)}: {_describe_outcome(broken)}"
    )


def _render_figures(found: Sequence[TrialOutcome]) -> str:
    """The counts of the trials that held; a broken one counts nothing."""
    tally = sum((outcome.tally for outcome in found), TrialTally())
    return (
        f"{tally.harmed:,} times harmed, "
        f"{tally.acknowledged:,} acknowledged and found again, "
        f"{tally.refused:,} refused and not found"
    )


def _describe_outcome(broken: int) -> str:
    return f"BROKEN in {_render_count(broken, 'trial')}" if broken else "held"


def _render_count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
