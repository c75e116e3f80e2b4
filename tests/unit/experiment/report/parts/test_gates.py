import msgspec

from saniwa.experiment.metrics import find_metric, judge_gates
from saniwa.experiment.report.condition_tables import build_gates
from saniwa.experiment.report.report_blocks import TableBlock
from tests.fakes.reports import make_trial


def test_gates_call_numbers_what_other_tables_call_them() -> None:
    """A metric has the same name in every table, with a note on why its values may differ."""
    first, second = (b for b in build_gates(make_trial().material) if isinstance(b, TableBlock))
    label = find_metric("retry_success_rate").label

    assert f"{label} > 0.80" == second.columns[3]
    assert "counted together" in first.note
    assert "counted together" in second.note


def test_a_gate_shows_the_counts_of_its_rates() -> None:
    """A rate over all turns of a condition is followed by the counts it is made of."""
    trial = make_trial()
    tables = [b for b in build_gates(trial.material) if isinstance(b, TableBlock)]
    verdict = trial.analysis.gates[0]
    sums = trial.material.get_pooled_numbers(verdict.condition)

    assert f"({sums.give_ups}/{sums.turns}) " in tables[0].rows[0][3][0].text


def test_where_nothing_was_played_there_is_nothing_to_judge() -> None:
    """A gate for which nothing was played is neither passed nor failed."""
    whole = make_trial("D", 1)
    nothing = msgspec.structs.replace(whole.analysis, gates=judge_gates(whole.prepared.plan, ()))
    tables = build_gates(whole._replace(analysis=nothing).material)
    rows = [row for b in tables if isinstance(b, TableBlock) for row in b.rows]

    assert ["nothing to judge"] * 2 == [row[1][0].text for row in rows]
    assert {"–"} == {cell[0].text for row in rows for cell in row[2:]}
