"""The page at the end: what was tried, how often, and whether it held."""

from collections.abc import Iterator, Sequence
from textwrap import indent

from tests.torture.ordeal import Ordeal, Tally
from tests.torture.rounds import Outcome


def page(ordeals: Sequence[Ordeal], found: Sequence[Outcome]) -> str:
    """One paragraph for each ordeal that was tried, with what broke, then the sum."""
    parts = list[str]()
    for ordeal in ordeals:
        if mine := [outcome for outcome in found if outcome.ordeal == ordeal.name]:
            parts.append("\n".join(_paragraph(ordeal, mine)))
            parts += _broken([outcome for outcome in mine if outcome.broken])
    return "\n\n".join([*parts, _sum(found)])


def listed(ordeals: Sequence[Ordeal]) -> str:
    """Every ordeal: its name, what is done, and what must hold."""
    return "\n\n".join("\n".join([o.name, *_said(o)]) for o in ordeals)


def _paragraph(ordeal: Ordeal, mine: Sequence[Outcome]) -> Iterator[str]:
    broken = sum(bool(outcome.broken) for outcome in mine)
    yield f"{ordeal.name}: {_held(broken)}"
    yield from _said(ordeal)
    yield f"  how often: {_count(len(mine), 'trial')}, {_figures(mine)}"


def _said(ordeal: Ordeal) -> Iterator[str]:
    yield f"  tried:     {ordeal.tried}"
    yield f"  promised:  {ordeal.promised}"


def _broken(broken: Sequence[Outcome]) -> Iterator[str]:
    """How to try each again; the first told whole, for the others are often the same."""
    for number, outcome in enumerate(broken):
        again = f"--minutes 0 --only {outcome.ordeal} --seed '{outcome.seed}'"
        whole = indent(f"\n{outcome.broken.rstrip()}", "  ") if number == 0 else ""
        yield f"BROKEN, again with: python -m tests.torture {again}{whole}"


def _sum(found: Sequence[Outcome]) -> str:
    broken = sum(bool(outcome.broken) for outcome in found)
    names = {outcome.ordeal for outcome in found}
    return (
        f"{_count(len(names), 'ordeal')}, {_count(len(found), 'trial')}, "
        f"{_figures(found)}: {_held(broken)}"
    )


def _figures(found: Sequence[Outcome]) -> str:
    """What was done and found in the trials that held; a broken one counts nothing."""
    tally = sum((outcome.tally for outcome in found), Tally())
    return (
        f"{tally.harmed:,} times harmed, "
        f"{tally.acknowledged:,} acknowledged and found again, "
        f"{tally.refused:,} refused and not found"
    )


def _held(broken: int) -> str:
    return f"BROKEN in {_count(broken, 'trial')}" if broken else "held"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
