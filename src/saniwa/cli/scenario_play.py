"""A scenario at the terminal: which run, who listens, who sits at the table."""

import locale
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple, TextIO

from saniwa.cli.company import company_for, foresee, models_for, senses_for
from saniwa.cli.lines import lines_of
from saniwa.cli.wanted import Wanted

if TYPE_CHECKING:
    from saniwa.run.conductor import Run
    from saniwa.wiring import Parts
    from saniwa.wiring.late_models import LateModels

GARDEN = {"en": "door_and_key", "ja": "door_and_key_ja"}
"""What is played when nobody names a scenario."""


class Begins(NamedTuple):
    """Which run is played."""

    scenario: str | None
    """An id or a file; None for the garden."""
    language: str | None
    """What it is told in."""
    actor: str | None
    """Whom the person plays."""
    book: str | None
    """What judges it."""
    seed: int
    """Where chance starts."""
    resume: str | None
    """The run that goes on; None for a new one."""
    again: str
    """The command that will go on with it."""


def play_scenario(
    begins: Begins,
    wanted: Wanted,
    registry: str | None,
    store: str,
    source: TextIO | None,
) -> None:
    """Play a run at this terminal, or the lines of a source.

    Raises:
        SaniwaError: The run, a seat, an agent or a model is not as it must be.
    """
    from saniwa.cli.table import Table
    from saniwa.wiring import Parts
    from saniwa.wiring.store import is_memory

    goes_on = _run_named(store, begins.resume)
    models = models_for(wanted, store, goes_on)
    listener, narrator = senses_for(wanted, models)
    parts = Parts.open(store, registry, listener=listener, narrator=narrator)
    with closing(parts):
        run = (
            parts.resume(goes_on)
            if goes_on is not None
            else _begun(parts, begins, wanted, models)
        )
        lines = lines_of(parts, run, source)
        company = company_for(wanted, run, models, store)
        by_itself = lines is not None and source is None
        greeting = "walkthrough" if by_itself else "welcome"
        again = "" if is_memory(store) else begins.again
        table = Table(company, run.opening(), again)
        table.play(lines, greeting, _twin(parts, begins, run))


def _twin(parts: "Parts", begins: Begins, run: "Run") -> str | None:
    """The scenario that somebody who names a language may rather have meant."""
    from saniwa.wiring import is_file

    if begins.scenario is None or begins.language is None or is_file(begins.scenario):
        return None
    return parts.twin(run)


def _run_named(store: str, named: str | None) -> str | None:
    """The id of the run that goes on, if one does."""
    from saniwa.wiring import existing_store, find_run

    if named is None:
        return None
    with closing(existing_store(store)) as opened:
        return find_run(opened, named)


def _begun(
    parts: "Parts", begins: Begins, wanted: Wanted, models: "LateModels"
) -> "Run":
    from saniwa.wiring import open_scenario

    named = begins.scenario or GARDEN[begins.language or _spoken_here()]
    if wanted.agent or wanted.agents:
        foresee(wanted, open_scenario(named, parts.registry), begins.actor, models)
    return parts.begin(
        named,
        language=begins.language,
        actor=begins.actor,
        book=begins.book,
        seed=begins.seed,
    )


def _spoken_here() -> str:
    code = locale.getlocale()[0] or ""
    return "ja" if code.startswith(("ja", "Japanese")) else "en"
