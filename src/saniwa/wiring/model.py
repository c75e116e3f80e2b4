"""Opening the model an agent names, counted and kept as asked."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saniwa.agent.bridges.bridge import Bridge
from saniwa.agent.bridges.discreet import Discreet
from saniwa.agent.bridges.metered import Meter, Metered, Price
from saniwa.agent.bridges.past import Past
from saniwa.agent.bridges.priced import Priced
from saniwa.agent.bridges.retrying import Retrying
from saniwa.agent.definition import Asking, Limits
from saniwa.agent.oracle import Oracle
from saniwa.agent.ports import Journal, Pause
from saniwa.core.errors import ConfigurationError
from saniwa.core.redaction import Redaction, environment_secrets
from saniwa.wiring.model_named import Named, replaying

if TYPE_CHECKING:
    from saniwa.agent.bridges.tape.replaying import Replaying
    from saniwa.store.lines import Lines


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
    record: str | Path | Journal | None = None,
    replay: "str | Path | Replaying | None" = None,
    limits: Limits | Meter | None = None,
    pause: Pause | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    past: Past | None = None,
    price: Price | None = None,
) -> Oracle:
    """The oracle that answers for a model: tried again, counted and kept, as asked.

    No secret of the environment is in what it says.
    Nothing is loaded and nobody is reached before the first question.

    Args:
        asking: The model.
        record: A tape on which everything is kept; goes on with one that is there.
            Models that share it are given it open: `open_tape`.
        replay: A tape to answer from, instead of any model; costs nothing. Models that
            share it are given it open: `open_replay`.
        limits: Where to stop; a meter where several models share what may be spent.
        pause: Waits between attempts.
        seed: Where the chance of those pauses starts.
        folder: The agent's folder, which the files it names lie in; else any file.
        environment: Where keys and secrets are found; else the program's own.
        past: What was asked and answered before; written and recorded answers go on
            after it.
        price: What tokens cost, if not what the library of models says.

    Raises:
        ConfigurationError: `MODEL_UNNAMED`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`,
            `MODEL_MISSING`, `EXTRA_MISSING`, `CANNED_UNFIT`.
        StoreError: A tape cannot be read.
    """
    if record is not None and replay is not None:
        raise ConfigurationError(
            "MODEL_UNKNOWN",
            "a recording was to answer and to be made at once",
            hint="name one of the two: record or replay",
        )
    known = os.environ if environment is None else environment
    redaction = Redaction(environment_secrets(known))
    if isinstance(replay, str | Path):
        return replaying(Path(replay), redaction, past)
    if replay is not None:
        return replay
    opened = Named(asking, folder, known, redaction, past).opened()
    oracle: Oracle = Discreet(opened.oracle, redaction)
    if price is not None:
        oracle = Priced(oracle, price)
    if limits is not None:
        oracle = Metered(oracle, limits, price=price or opened.price)
    if opened.pause_ms is not None:
        waits = pause or SystemPause()
        oracle = Retrying(oracle, waits, seed=seed, start_ms=opened.pause_ms)
    if record is not None:
        from saniwa.agent.bridges.tape.recording import Recording

        tape = open_tape(record) if isinstance(record, str | Path) else record
        oracle = Recording(oracle, tape, redaction)
    return oracle


def open_tape(path: str | Path) -> "Lines":
    """A tape to record on; one program may write it at a time, for all its models.

    It is open at once: `mended` says what an earlier crash had left unfinished.

    Raises:
        StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
    """
    from saniwa.store.lines import Lines

    tape = Lines(path)
    tape.open()
    return tape


def open_replay(path: str | Path, past: Past | None = None) -> "Replaying":
    """A tape to answer from, for all models of a run: they were recorded in one order.

    What is past is counted as answered.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
        StoreError: The tape cannot be read.
    """
    return replaying(Path(path), Redaction(environment_secrets(os.environ)), past)
