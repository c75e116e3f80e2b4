import msgspec

from saniwa.experiment.metrics import find_metric
from saniwa.experiment.report.condition_tables import MAX_COLUMNS, MAX_ROWS, build_scenario_tables
from saniwa.experiment.report.report_blocks import ReportLine, TableBlock
from saniwa.experiment.report_wording import format_estimate
from tests.fakes.reports import make_trial


def _join_text(line: ReportLine) -> str:
    return "".join(piece.text for piece in line)


def _build_tables(*scenarios: str, letters: str = "ABCD") -> list[TableBlock]:
    whole = make_trial(letters)
    analysis = msgspec.structs.replace(
        whole.analysis, by_scenario=dict.fromkeys(scenarios, whole.analysis.estimates)
    )
    blocks = build_scenario_tables(whole._replace(analysis=analysis).material)
    return [each for each in blocks if isinstance(each, TableBlock)]


def test_every_scenario_has_a_row_with_the_figures_of_the_analysis() -> None:
    """The figures of each scenario are shown as well as their mean."""
    table = _build_tables("house", "garden")[0]
    metric = find_metric("impossible_deed_rate")
    estimates = make_trial().analysis.estimates
    expected = [" ".join(format_estimate(estimates[c][metric.name], metric)) for c in "ABCD"]

    assert ("Scenario", "A", "B", "C", "D") == table.columns
    assert [["house", *expected], ["garden", *expected]] == [
        [_join_text(cell) for cell in row] for row in table.rows
    ]


def test_many_conditions_stand_below_each_other() -> None:
    """With many conditions the table has more rows instead of more columns."""
    whole = make_trial()
    old = whole.prepared.plan
    more = [msgspec.structs.replace(old.conditions[0], name=f"A{n}") for n in range(MAX_COLUMNS)]
    plan = msgspec.structs.replace(old, conditions=(*old.conditions, *more))
    given = whole._replace(
        prepared=msgspec.structs.replace(whole.prepared, plan=plan),
        analysis=msgspec.structs.replace(
            whole.analysis, by_scenario={"house": whole.analysis.estimates}
        ),
    )
    table = next(b for b in build_scenario_tables(given.material) if isinstance(b, TableBlock))

    assert ("Scenario", "Condition", "Impossible actions") == table.columns
    assert 4 + MAX_COLUMNS == len(table.rows)


def test_one_scenario_needs_no_table() -> None:
    """A plan with one scenario has no such table."""
    assert () == build_scenario_tables(make_trial().material)


def test_many_scenarios_are_cut_in_words() -> None:
    """The page has a limit on scenarios and says how many are left out."""
    table = _build_tables(*(f"s{n}" for n in range(MAX_ROWS + 1)))[0]

    assert MAX_ROWS == len(table.rows)
    assert f"The first {MAX_ROWS} of {MAX_ROWS + 1} rows" in table.note
