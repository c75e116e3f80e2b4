import asyncio

import msgspec

from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.outcome import encode_outcome
from saniwa.experiment.plan import PreparedPlan
from saniwa.experiment.run_template import RunTemplates
from tests.fakes.experiments import HOUSE, Scripted, cell_of, plan, prepared, say

ZOE_FIRST = HOUSE | {
    "name": "late",
    "characters": {
        "zoe": {"name": "Zoe", "location": "kitchen"},
        "ben": {"name": "Ben", "location": "kitchen"},
    },
}


def _played(whole: PreparedPlan) -> bytes:
    oracle = Scripted([say("*take the cup* Mine."), say("*go to the hall* Bye.")])
    return encode_outcome(
        asyncio.run(play_cell(RunTemplates(whole), cell_of(whole.plan, "D"), oracle))
    )


def test_a_plan_that_was_written_down_is_the_plan() -> None:
    """Read back it has the same fingerprint and plays the same, byte for byte."""
    whole = prepared(plan(scenarios=("late",), max_turns=2), {"late": ZOE_FIRST})
    again = msgspec.json.decode(whole.encode(), type=PreparedPlan)

    assert whole == again
    assert whole.fingerprint == again.fingerprint
    assert _played(whole) == _played(again)


def test_the_order_of_the_cast_is_part_of_a_plan() -> None:
    """Another first speaker is another experiment."""
    turned = ZOE_FIRST | {"characters": dict(reversed(ZOE_FIRST["characters"].items()))}
    made = plan(scenarios=("late",))
    first, other = (prepared(made, {"late": each}) for each in (ZOE_FIRST, turned))

    assert first.fingerprint != other.fingerprint
