import asyncio

import msgspec

from saniwa.experiment.cell_outcome import encode_outcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import PreparedPlan
from saniwa.experiment.run_template import RunTemplates
from tests.fakes.experiments import (
    HOUSE,
    ScriptedOracle,
    make_plan,
    pick_cell,
    prepare_plan,
    render_answer,
)

ZOE_FIRST = HOUSE | {
    "name": "late",
    "characters": {
        "zoe": {"name": "Zoe", "location": "kitchen"},
        "ben": {"name": "Ben", "location": "kitchen"},
    },
}


def _play_encoded(whole: PreparedPlan) -> bytes:
    oracle = ScriptedOracle(
        [render_answer("*take the cup* Mine."), render_answer("*go to the hall* Bye.")]
    )
    return encode_outcome(
        asyncio.run(play_cell(RunTemplates(whole), pick_cell(whole.plan, "D"), oracle))
    )


def test_a_plan_that_was_written_down_is_the_plan() -> None:
    """A plan read back has the same fingerprint and plays the same, byte for byte."""
    whole = prepare_plan(make_plan(scenarios=("late",), max_turns=2), {"late": ZOE_FIRST})
    again = msgspec.json.decode(whole.encode(), type=PreparedPlan)

    assert whole == again
    assert whole.fingerprint == again.fingerprint
    assert _play_encoded(whole) == _play_encoded(again)


def test_the_order_of_the_cast_is_part_of_a_plan() -> None:
    """Another first speaker makes another experiment."""
    turned = ZOE_FIRST | {"characters": dict(reversed(ZOE_FIRST["characters"].items()))}
    made = make_plan(scenarios=("late",))
    first, other = (prepare_plan(made, {"late": each}) for each in (ZOE_FIRST, turned))

    assert first.fingerprint != other.fingerprint
