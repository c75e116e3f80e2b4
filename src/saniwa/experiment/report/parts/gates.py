"""Gate-3A and Gate-3B, condition by condition."""

from saniwa.experiment.measure.model import Check, GateVerdict
from saniwa.experiment.report.blocks import (
    Badge,
    Block,
    Heading,
    Line,
    Name,
    Paragraph,
    Table,
    Words,
    words,
)
from saniwa.experiment.report.figures import NOTHING, metric_named, plain
from saniwa.experiment.report.material import MOST_CONDITIONS, Material

_ABOUT = {
    "Gate-3A": "blocking: what fails it must not be released",
    "Gate-3B": "advice: how well guidance is taken",
}


_POOLED = (
    "All turns of a condition are counted together here; other tables have means over "
    "runs, so the same number can differ a little. A line with nothing to count, –, "
    "neither passes nor fails; a gate with such a line and none that fails is not judged."
)


def gates(material: Material) -> tuple[Block, ...]:
    """A table for each gate."""
    verdicts = material.analysis.gates
    named = sorted({each.gate for each in verdicts})
    if not named:
        nothing = "No condition has a game master, so there is nothing to let through."
        return Heading("Gates", "gates"), Paragraph(words(nothing))
    tables = (_gate([v for v in verdicts if v.gate == gate]) for gate in named)
    return (Heading("Gates", "gates"), *tables)


def _gate(verdicts: list[GateVerdict]) -> Table:
    first = verdicts[0]
    heads = (f"{_called(each)} {each.limit}" for each in first.checks)
    shown = verdicts[:MOST_CONDITIONS]
    cut = len(shown) < len(verdicts)
    return Table(
        first.gate.lower(),
        f"{first.gate} ({_ABOUT[first.gate]})",
        ("Condition", "Verdict", metric_named("deeds_per_turn").label, *heads),
        tuple(map(_row, shown)),
        f"{_POOLED} The first {len(shown)} of {len(verdicts)} conditions are listed."
        if cut
        else _POOLED,
    )


def _called(check: Check) -> str:
    return metric_named(check.name).label


def _row(verdict: GateVerdict) -> tuple[Line, ...]:
    deeds = words(plain(verdict.deeds_per_turn))
    word = (_badge(verdict),)
    return (Name(verdict.condition),), word, deeds, *map(_checked, verdict.checks)


def _badge(verdict: GateVerdict) -> Badge:
    if not verdict.judged:
        return Badge("nothing to judge")
    return Badge("passed", "good") if verdict.passed else Badge("failed", "bad")


def _checked(check: Check) -> Line:
    if not check.judged:
        return words(NOTHING)
    mark = Badge("✓", "good") if check.passed else Badge("✗", "bad")
    return Words(f"{plain(check.value, 3)} "), mark
