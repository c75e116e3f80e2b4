"""A table set as the options want it: models opened, seats given, who listens and tells.

What the options are is in `cli.wanted`; nothing of agents is loaded before it is needed.
"""

from functools import cache
from typing import TYPE_CHECKING

from saniwa.cli.wanted import Wanted

if TYPE_CHECKING:
    from saniwa.agent.belief.embedding import Kind
    from saniwa.agent.belief.meaning import Meaning
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.ports import Journal
    from saniwa.run.conductor import Run
    from saniwa.run.ports import Listener, Narrator
    from saniwa.scenario.load import Scenario
    from saniwa.wiring.cast import Company
    from saniwa.wiring.late_models import LateModels
    from saniwa.wiring.shared_models import SharedModels
    from saniwa.world.model import Id


def models_for(wanted: Wanted, store: str, run_id: str | None) -> "LateModels":
    """The models of a table, set up when they are first wanted.

    Raises:
        ConfigurationError: A recording that was named is not there.
        StoreError: It cannot be read.
    """
    from saniwa.wiring.late_models import LateModels

    if not (wanted.choice.replay or wanted.choice.record):
        return LateModels(lambda: _models(wanted, store, run_id))
    from saniwa.cli.gate.door import tell_mended

    # A tape that is not there, or was torn, is told before anything is kept.
    models = _models(wanted, store, run_id)
    tell_mended(models.mended)
    return LateModels(lambda: models)


def _models(wanted: Wanted, store: str, run_id: str | None) -> "SharedModels":
    """The models; a run that goes on has spent something, and was answered before."""
    from saniwa.agent.definition import Limits
    from saniwa.wiring.journals import past_of, spent_by
    from saniwa.wiring.shared_models import table_models

    choice = wanted.choice
    return table_models(
        model=choice.model or "",
        url=choice.model_url or "",
        record=choice.record,
        replay=choice.replay,
        limits=choice.within(Limits()),
        spent=spent_by(store, run_id) if run_id is not None else None,
        past=past_of(store, run_id) if run_id is not None else None,
    )


def senses_for(
    wanted: Wanted, models: "LateModels"
) -> "tuple[Listener | None, Narrator | None]":
    """Who listens and who tells; None for the plain ones."""
    listener: Listener | None = None
    narrator: Narrator | None = None
    if wanted.parser != "phrase":
        from saniwa.agent.translate.listener import HybridListener, ModelListener

        kind = ModelListener if wanted.parser == "model" else HybridListener
        listener = kind(models.bridge())
    if wanted.narrator == "model":
        from saniwa.agent.translate.narrator import ModelNarrator

        narrator = ModelNarrator(models.bridge(), wanted.style)
    return listener, narrator


def foresee(
    wanted: Wanted, scenario: "Scenario", actor: str | None, models: "LateModels"
) -> None:
    """See that a new run can have these seats, before anything of it is kept.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`.
        AgentError: An agent is not whole, or has no model.
        click.UsageError: The scenario names no agents, and they are asked for.
    """
    from saniwa.run.opening import player_of
    from saniwa.run.seats import check_seating
    from saniwa.turn.trace import Seating
    from saniwa.wiring.cast import fit_to_play

    seats = wanted.seats(scenario.document, player_of(scenario.world, actor))
    for who in sorted(seats):
        player_of(scenario.world, who)
    check_seating(Seating(order=wanted.order or "order", seats=seats), scenario.world)
    for name in sorted(set(seats.values())):
        models.bridge(fit_to_play(_found(name)))
    _meaning(wanted.memory)


def company_for(
    wanted: Wanted, run: "Run", models: "LateModels", store: str
) -> "Company":
    """Everybody round the run, seated as the user wants them or as they sat before.

    Raises:
        SaniwaError: A seat, an agent or a model is not as it must be.
    """
    import asyncio

    from saniwa.wiring.cast import Company

    def journal(actor: "Id", name: str) -> "Journal":
        from saniwa.wiring.journals import journals_beside

        return journals_beside(store, run.id)(actor, name)

    meaning = _meaning(wanted.memory)
    company = Company(run, models, _found, journals=journal, meaning=meaning)
    seats = wanted.seats(run.record.scenario, run.actor)
    company.check(seats)
    sat = run.seating
    order = wanted.order or (sat.order if sat is not None else "order")
    if seats or (sat is not None and order != sat.order):
        asyncio.run(company.gathering.seat(seats, order))
    return company


@cache
def _meaning(kind: "Kind") -> "Meaning | None":
    """What compares memories; None for the usual way. A table of vectors is read once."""
    if kind == "words":
        return None
    from saniwa.agent.belief.embedding import meaning_named

    return meaning_named(kind)


def _found(name: str) -> "AgentDefinition":
    from saniwa.wiring.agents import open_agent

    return open_agent(name)
