import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from saniwa.core.errors import ExperimentError
from saniwa.experiment.analysis_records import (
    HEADLINE_METRICS,
    Analysis,
    ConditionComparison,
    Estimate,
)
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.plan import Condition
from saniwa.experiment.report.assembly import MAX_ROWS, assemble_report
from saniwa.experiment.report.outcome_summary import build_material, summarize_outcomes
from saniwa.experiment.report.render import render_html_page, render_markdown
from tests.fakes.reports import PlayedTrial, make_trial

_CONDITIONS = 80
_CELLS = 10_000
_DIGEST = """
from hashlib import sha256
from saniwa.experiment.report.render import render_markdown
from saniwa.experiment.report.render import render_html_page
from tests.fakes.reports import make_trial
t = make_trial()
for form in (render_markdown, render_html_page):
    print(sha256(form(t.report).encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_order_of_hashes_changes_no_byte() -> None:
    """Two interpreters with different hash seeds write the same report and page."""
    root = Path(__file__).parents[4]
    found = [
        subprocess.run(
            [sys.executable, "-c", _DIGEST],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("0", "1")
    ]

    assert 2 == len(found[0])
    assert found[0] == found[1]


def _make_large_trial() -> tuple[PlayedTrial, Iterator[CellOutcome]]:
    """Make eighty conditions in ten thousand cells, with outcomes created on demand."""
    whole = make_trial("A", 1)
    names = [f"A+model=モデル{nth:02d}" for nth in range(_CONDITIONS)]
    conditions = tuple(
        Condition(name=name, inject=False, gm=False, model=name[2:]) for name in names
    )
    plan = msgspec.structs.replace(
        whole.prepared.plan,
        conditions=conditions,
        factors={"model": tuple(each.model for each in conditions)},
        seeds=tuple(range(_CELLS // _CONDITIONS)),
    )
    numbers = tuple(
        msgspec.structs.replace(whole.numbers[0], condition=name, seed=seed)
        for seed in plan.seeds
        for name in names
    )
    estimate = Estimate(mean=0.5, low=0.4, high=0.6, n=len(plan.seeds))
    pairs = [(a, b) for a in names for b in names if a < b]
    analysis = Analysis(
        estimates={name: dict.fromkeys(HEADLINE_METRICS, estimate) for name in names},
        comparisons=tuple(
            ConditionComparison(
                metric=HEADLINE_METRICS[0],
                first=first,
                second=second,
                difference=0.1,
                low=0.0,
                high=0.2,
                p=0.5,
                p_corrected=1.0,
                effect=0.1,
                size="none",
                blocks=125,
            )
            for first, second in pairs
        ),
        effects=(),
        gates=(),
        method="Canned.",
    )
    made = msgspec.structs.replace(whole.prepared, plan=plan)
    outcomes = (
        msgspec.structs.replace(whole.outcomes[0], condition=name, seed=seed)
        for seed in plan.seeds
        for name in names
    )
    return PlayedTrial(made, (), numbers, analysis), outcomes


@pytest.mark.slow
def test_a_large_experiment_has_a_page_of_bounded_size() -> None:
    """For ten thousand cells in eighty conditions the page stays small and says what was cut."""
    large, outcomes = _make_large_trial()

    gathered = summarize_outcomes(large.prepared.plan, outcomes)
    material = build_material(large.prepared, gathered, large.numbers, large.analysis)
    report = assemble_report(material)
    page = render_html_page(report)

    assert len(page) < 1_000_000
    assert "The charts show 12 of 80 conditions" in page
    assert f"The {MAX_ROWS} of 3,160 rows" in page


def test_markdown_needs_no_matplotlib_and_the_page_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """REPORT.md is written without matplotlib; for the page, the error names the extra."""
    report = make_trial("D", 1).report
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    assert "# trial" in render_markdown(report)
    with pytest.raises(ExperimentError) as caught:
        render_html_page(report)
    assert ("EXTRA_MISSING", "pip install 'saniwa[report]'") == (
        caught.value.code,
        caught.value.hint,
    )


def test_the_report_is_loaded_without_heavy_libraries() -> None:
    """Reading plans and printing help do not import a plotting library."""
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, saniwa.experiment.report.render, saniwa.experiment.comparison_report;"
            "print(sorted({'matplotlib', 'numpy', 'scipy'} & set(sys.modules)))",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "[]\n" == loaded
