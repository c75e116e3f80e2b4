import msgspec

from saniwa.experiment.measure.gates import gates_of
from saniwa.experiment.report.blocks import Table
from saniwa.experiment.report.figures import metric_named
from saniwa.experiment.report.parts.gates import gates
from tests.fakes.reports import trial


def test_gates_call_numbers_what_other_tables_call_them() -> None:
    """The same number has one name in a report, and it is said why it may differ."""
    first, second = (b for b in gates(trial().material) if isinstance(b, Table))
    label = metric_named("retry_success_rate").label

    assert f"{label} > 0.80" == second.columns[3]
    assert "counted together" in first.note
    assert "counted together" in second.note


def test_where_nothing_was_played_there_is_nothing_to_judge() -> None:
    """A gate that nobody came to is neither passed nor failed."""
    whole = trial("D", 1)
    nothing = msgspec.structs.replace(
        whole.analysis, gates=gates_of(whole.prepared.plan, ())
    )
    tables = gates(whole._replace(analysis=nothing).material)
    rows = [row for b in tables if isinstance(b, Table) for row in b.rows]

    assert ["nothing to judge"] * 2 == [row[1][0].text for row in rows]
    assert {"–"} == {cell[0].text for row in rows for cell in row[2:]}
