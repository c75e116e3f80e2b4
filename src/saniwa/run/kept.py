"""A performance put down: the story's state, and where its run stood."""

from typing import Final

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.quoted import quoted
from saniwa.core.ready import ready
from saniwa.run.conductor import Run
from saniwa.script.playing.state import LARGEST

VERSION: Final = 1
"""The version of a performance's state that this Saniwa writes."""


class Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A performance put down."""

    performance: int
    """The version of this form."""
    story: msgspec.Raw
    """Where the story stands."""
    run: str = ""
    """The run beneath; empty where there is no world."""
    turn: int = 0
    """How many turns of the run the story knows of."""


def kept_bytes(story: bytes, run: str, turn: int) -> bytes:
    """A performance's state as JSON: its story's, the run's id, the turns it knows of.

    Raises:
        ScriptError: `STATE_TOO_LARGE` for more than could be read again.
    """
    kept = Kept(performance=VERSION, story=msgspec.Raw(story), run=run, turn=turn)
    content = msgspec.json.encode(kept)
    if len(content) > LARGEST:
        raise ScriptError(
            "STATE_TOO_LARGE",
            f"the story remembers more than {LARGEST} bytes",
            hint="let its variables hold less text",
        )
    return content


def read_kept(content: bytes) -> Kept:
    """A performance's state from its JSON.

    Raises:
        ScriptError: `STATE_UNREADABLE` for what is none, or is from a newer Saniwa.
    """
    if len(content) > LARGEST:
        raise unreadable(f"it has more than {LARGEST} bytes")
    try:
        kept = msgspec.json.decode(content, type=Kept)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise unreadable(str(problem)) from problem
    if kept.performance != VERSION or kept.turn < 0:
        raise unreadable(f"it has version {kept.performance}, and not {VERSION}")
    return kept


def check_alike(run: Run, named: str, scenario_id: str, actor: str) -> None:
    """See that a state's run is the one it names, of this scenario, played as this one.

    Raises:
        ScriptError: `STATE_UNREADABLE`.
    """
    if run.id != named:
        raise unreadable(f"{named!r} is not the whole id of a run")
    if run.record.scenario_id != scenario_id:
        theirs = quoted(run.record.scenario_id)
        raise unreadable(f"its world is {theirs}, and not {quoted(scenario_id)}")
    if run.actor != actor:
        raise unreadable(f"its reader is {quoted(run.actor)}, and not {quoted(actor)}")


def unreadable(why: str) -> ScriptError:
    """The error for a state that cannot be taken up."""
    return ScriptError(
        "STATE_UNREADABLE",
        f"this is no saved state of this story: {why}",
        hint="load another save, or begin anew",
    )


ready(Kept)
