"""An agent at work: its place at a gate, and whom it tells about escalations."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from saniwa.core.address import shown
from saniwa.core.errors import LoopError

if TYPE_CHECKING:
    from saniwa.agent.floor import Floor
    from saniwa.process.gate import Gate
    from saniwa.wiring.gate_places import GatePlaces


class Post:
    """Tells addresses about escalations, by HTTP."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
        import asyncio

        from saniwa.wiring.gate_places import gate_folders, webhook_hosts
        from saniwa.wiring.webhook import Webhook

        body = msgspec.json.encode(message)
        webhook = Webhook(hosts=lambda: webhook_hosts(gate_folders()))
        try:
            await asyncio.to_thread(webhook.send, address, body)
        except OSError as problem:
            raise LoopError(
                "ESCALATION_UNDELIVERED",
                f"{shown(address)!r} could not be told about an escalation: {problem}",
                hint="see that something listens there, then go on with --resume",
                recoverable=True,
                details={"address": shown(address)},
            ) from problem


def gate_floor(
    gate: "Gate", places: "GatePlaces", run_id: str, *, wait: bool
) -> "Floor":
    """A worker's place at a run; one that waits looks again and again."""
    from saniwa.agent.worker.floor import GateFloor
    from saniwa.store.gate.handing import HandingBench
    from saniwa.wiring.model import SystemPause

    opening = gate.log.standing(run_id).opening
    bench = HandingBench(places.artifacts(run_id, opening.folder))
    return GateFloor(gate, run_id, bench, pause=SystemPause() if wait else None)
