"""Runs of a small garden, stored where the test says."""

from collections.abc import Sequence
from typing import Any

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.language.parser_context import make_unrecognised_claim
from saniwa.models.metering import CallBudget
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.ports import Listener, RunStore
from saniwa.runs.replay import ReplayDifference, ReplayResult
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.world.model import Id, World

GARDEN: dict[str, Any] = {
    "name": "garden",
    "gm_opening_message": "The gate is locked.",
    "locations": {
        "yard": {"exits": {"north": {"to": "orchard", "door": "gate"}, "east": "shed"}},
        "orchard": {"is_goal": True, "exits": {"south": {"to": "yard", "door": "gate"}}},
        "shed": {"exits": {"west": "yard"}},
    },
    "props": {
        "bench": {"kind": "supporter", "location": "yard"},
        "key": {"name": "brass key", "aliases": ["old metal"], "location": "bench"},
        "rusty": {"name": "rusty key", "aliases": ["old metal"], "location": "bench"},
        "loaf": {"edible": True, "location": "shed"},
        "gate": {
            "kind": "door",
            "connects": ["yard", "orchard"],
            "openable": True,
            "open": False,
            "lockable": True,
            "locked": True,
            "required_key": "key",
        },
    },
    "characters": {"player": {"location": "yard"}, "keeper": {"location": "yard"}},
    "clear_condition": {"type": "reach_location", "target": "orchard"},
}
"""A locked gate, its key and another on a bench, a loaf in a shed; the orchard is the goal."""


class ScriptedListener:
    """Returns prepared claims for known texts."""

    def __init__(self, heard: dict[str, Sequence[object]]) -> None:
        self.heard = heard

    async def listen(
        self,
        text: str,
        actor: Id,  # noqa: ARG002 - the port's signature
        world: World,  # noqa: ARG002 - the port's signature
        calls: CallBudget,  # noqa: ARG002 - the port's signature
    ) -> Sequence[object]:
        """The prepared claims for the text, or a claim that the words are not understood."""
        return self.heard.get(text, [make_unrecognised_claim(text)])


def open_courtyard_run(
    store: RunStore | None = None,
    *,
    listener: Listener | None = None,
    scenario: dict[str, Any] = GARDEN,
    book: str | dict[str, Any] | None = None,
    ids: CountingIds | None = None,
    **choices: Any,
) -> Run:
    """A new run of the garden with counting ids and a fixed clock."""
    return open_run(
        load_scenario(scenario),
        resolve_layers(book),
        store if store is not None else MemoryRunStore(),
        listener=listener,
        ids=ids or CountingIds(),
        clock=FixedClock(),
        **choices,
    )


def resume_restarted(run: Run, store: RunStore) -> Run:
    """The same run, resumed as after a restart of the machine."""
    return resume_run(run.id, store, clock=FixedClock(), ids=CountingIds())


def make_action(kind: str, **fields: str) -> dict[str, str]:
    """An action of the player in its wire form."""
    return {"type": kind, "actorId": "player", **fields}


TAKE_KEY = make_action("take", targetId="key")
OPEN_GATE = make_action("open", targetId="gate")
GO_NORTH = make_action("move", targetId="orchard")
GO_EAST = make_action("move", targetId="shed")


def summarize_replay(result: ReplayResult) -> tuple[int, ReplayDifference | None]:
    """How many turns were equal, and where the record and the replay first differ."""
    return result.turns_checked, result.first_difference
