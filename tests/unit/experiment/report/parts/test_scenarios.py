import msgspec

from saniwa.experiment.report.blocks import Line, Table
from saniwa.experiment.report.figures import estimated, metric_named
from saniwa.experiment.report.parts.crossing import WIDEST
from saniwa.experiment.report.parts.scenarios import MOST_ROWS, by_scenario
from tests.fakes.reports import trial


def _text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def _tables(*scenarios: str, letters: str = "ABCD") -> list[Table]:
    whole = trial(letters)
    analysis = msgspec.structs.replace(
        whole.analysis,
        by_scenario=dict.fromkeys(scenarios, whole.analysis.estimates),
    )
    blocks = by_scenario(whole._replace(analysis=analysis).material)
    return [each for each in blocks if isinstance(each, Table)]


def test_every_scenario_has_a_row_with_the_figures_of_the_analysis() -> None:
    """That scenarios differ is not hidden in their mean."""
    table = _tables("house", "garden")[0]
    metric = metric_named("impossible_deed_rate")
    estimates = trial().analysis.estimates
    expected = [" ".join(estimated(estimates[c][metric.name], metric)) for c in "ABCD"]

    assert ("Scenario", "A", "B", "C", "D") == table.columns
    assert [["house", *expected], ["garden", *expected]] == [
        [_text(cell) for cell in row] for row in table.rows
    ]


def test_many_conditions_stand_below_each_other() -> None:
    """A table stays narrow enough to read."""
    whole = trial()
    old = whole.prepared.plan
    more = [
        msgspec.structs.replace(old.conditions[0], name=f"A{n}") for n in range(WIDEST)
    ]
    plan = msgspec.structs.replace(old, conditions=(*old.conditions, *more))
    given = whole._replace(
        prepared=msgspec.structs.replace(whole.prepared, plan=plan),
        analysis=msgspec.structs.replace(
            whole.analysis, by_scenario={"house": whole.analysis.estimates}
        ),
    )
    table = next(b for b in by_scenario(given.material) if isinstance(b, Table))

    assert ("Scenario", "Condition", "Impossible deeds") == table.columns
    assert 4 + WIDEST == len(table.rows)


def test_one_scenario_needs_no_table() -> None:
    """There is nothing to take apart."""
    assert () == by_scenario(trial().material)


def test_many_scenarios_are_cut_in_words() -> None:
    """The page stays of bounded size, and says what it leaves out."""
    table = _tables(*(f"s{n}" for n in range(MOST_ROWS + 1)))[0]

    assert MOST_ROWS == len(table.rows)
    assert f"The first {MOST_ROWS} of {MOST_ROWS + 1} rows" in table.note
