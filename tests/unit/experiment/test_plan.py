import asyncio

import msgspec

from saniwa.experiment.outcome import encode
from saniwa.experiment.plan import Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from tests.fakes.experiments import HOUSE, Scripted, cell_of, plan, prepared, say

ZOE_FIRST = HOUSE | {
    "name": "late",
    "characters": {
        "zoe": {"name": "Zoe", "location": "kitchen"},
        "ben": {"name": "Ben", "location": "kitchen"},
    },
}


def _played(whole: Prepared) -> bytes:
    oracle = Scripted([say("*take the cup* Mine."), say("*go to the hall* Bye.")])
    return encode(
        asyncio.run(play_cell(Stages(whole), cell_of(whole.plan, "D"), oracle))
    )


def test_a_plan_that_was_written_down_is_the_plan() -> None:
    """Read back it has the same fingerprint and plays the same, byte for byte."""
    whole = prepared(plan(scenarios=("late",), max_turns=2), {"late": ZOE_FIRST})
    again = msgspec.json.decode(whole.encoded(), type=Prepared)

    assert whole == again
    assert whole.fingerprint == again.fingerprint
    assert _played(whole) == _played(again)


def test_the_order_of_the_cast_is_part_of_a_plan() -> None:
    """Another first speaker is another experiment."""
    turned = ZOE_FIRST | {"characters": dict(reversed(ZOE_FIRST["characters"].items()))}
    made = plan(scenarios=("late",))
    first, other = (prepared(made, {"late": each}) for each in (ZOE_FIRST, turned))

    assert first.fingerprint != other.fingerprint
