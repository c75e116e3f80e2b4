import msgspec
import pytest

from saniwa.experiment.report.condition_tables import build_cost
from saniwa.experiment.report.report_blocks import TableBlock
from tests.fakes.reports import make_trial


@pytest.mark.parametrize("mode", ["sim", "real"])
def test_money_is_reported_where_there_is_any(mode: str) -> None:
    """Stand-ins cost nothing, so the table has no row of zeros for cost."""
    whole = make_trial("D", 1)
    plan = msgspec.structs.replace(whole.prepared.plan, mode=mode)
    made = msgspec.structs.replace(whole.prepared, plan=plan)
    table = next(
        b for b in build_cost(whole._replace(prepared=made).material) if isinstance(b, TableBlock)
    )
    names = {row[0][0].text for row in table.rows}
    money = {"US dollars", "Answers without a price", "Cost per turn ↓"}

    assert (money if mode == "real" else set()) == names & money
    assert "Input tokens" in names
