"""Opening the model an agent names, counted and kept as asked."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saniwa.agent.bridges.bridge import Bridge
from saniwa.agent.bridges.metered import Metered
from saniwa.agent.bridges.redaction import Redaction, environment_secrets
from saniwa.agent.definition import Asking, Limits
from saniwa.agent.oracle import Oracle, Usage
from saniwa.agent.ports import Pause
from saniwa.wiring.model_named import Named, replaying


class SystemPause:
    """Waits in real time."""

    async def sleep(self, milliseconds: int) -> None:
        """Come back after that long."""
        import asyncio

        await asyncio.sleep(milliseconds / 1000)


def open_bridge(asking: Asking, **more: Any) -> Bridge:
    """The bridge to a model; everything else as for `open_oracle`."""
    return Bridge(open_oracle(asking, **more), history=asking.history)


def open_oracle(
    asking: Asking,
    *,
    record: str | Path | None = None,
    replay: str | Path | None = None,
    limits: Limits | None = None,
    spent: Usage | None = None,
    pause: Pause | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Oracle:
    """The oracle that answers for a model: tried again, counted and kept, as asked.

    Nothing is loaded and nobody is reached before the first question.

    Args:
        asking: The model.
        record: A tape on which everything is kept; goes on with one that is there.
        replay: A tape to answer from, instead of any model; costs nothing.
        limits: Where to stop.
        spent: What the agent had cost before it was opened again.
        pause: Waits between attempts.
        seed: Where the chance of those pauses starts.
        folder: The agent's folder, which the files it names lie in; else any file.
        environment: Where keys and secrets are found; else the program's own.

    Raises:
        ConfigurationError: `MODEL_UNNAMED`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`,
            `MODEL_MISSING`, `EXTRA_MISSING`, `CANNED_UNFIT`.
        StoreError: A tape cannot be read.
    """
    assert record is None or replay is None
    known = os.environ if environment is None else environment
    redaction = Redaction(environment_secrets(known))
    if replay is not None:
        return replaying(Path(replay), redaction)
    opening = Named(asking, folder, known, pause or SystemPause(), seed, redaction)
    oracle, price = opening.oracle()
    if limits is not None:
        oracle = Metered(oracle, limits, price=price, spent=spent)
    if record is not None:
        oracle = _recording(oracle, Path(record), redaction)
    return oracle


def _recording(oracle: Oracle, path: Path, redaction: Redaction) -> Oracle:
    from saniwa.agent.bridges.recording import Recording
    from saniwa.store.lines import Lines

    return Recording(oracle, Lines(path), redaction)
