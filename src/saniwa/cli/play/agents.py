"""Agents and models in `saniwa play`: the options, and setting up models and seats."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from saniwa.cli.command_definition import ModelChoice
from saniwa.turn.record import SEAT_ORDERS, SeatOrder

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.mind.text_similarities import SimilarityKind, TextSimilarity
    from saniwa.app.agent_cast import Cast
    from saniwa.app.game_table_models import LazyModels
    from saniwa.app.model_factory import SharedModels
    from saniwa.models.recording import AgentJournal
    from saniwa.runs.ports import Listener, Narrator
    from saniwa.runs.run import Run
    from saniwa.scenario.loader import Scenario
    from saniwa.world.model import Id


_SEATING_ORDERS = {order.replace("_", "-"): order for order in SEAT_ORDERS}


class AgentOptions(NamedTuple):
    """The agent and model options of `saniwa play`."""

    agent: tuple[str, ...] = ()
    """Characters played by agents: `WHO` or `WHO=AGENT`."""
    agents: bool = False
    """Whether the agents that the scenario names are seated."""
    seating: Annotated[str | None, click.Choice([*_SEATING_ORDERS])] = None
    """The order of turns."""
    parser: Literal["phrase", "model", "hybrid"] = "phrase"
    """What parses the player's words."""
    narrator: Literal["plain", "model"] = "plain"
    """What narrates the turns."""
    style: str = ""
    """The style in which a model narrates."""
    memory: Literal["words", "vectors"] = "words"
    """How characters' memories are compared."""
    choice: ModelChoice = ModelChoice()
    """The model to call, and its limits."""

    @property
    def given_options(self) -> dict[str, object]:
        """The options that differ from their defaults, by their names on the command line."""
        options = {**self._asdict(), **self.choice._asdict()}
        defaults = {**AgentOptions()._asdict(), **ModelChoice()._asdict()}
        return {
            "--" + name.replace("_", "-"): value
            for name, value in options.items()
            if value != defaults[name] and name != "choice"
        }

    @property
    def seating_order(self) -> SeatOrder | None:
        """The seating order by its name in the turn record."""
        return _SEATING_ORDERS[self.seating] if self.seating else None

    def assign_seats(self, scenario: Mapping[str, Any], actor: str) -> dict[str, str]:
        """Return the agent for each character: the scenario's agents, then the user's.

        The player's own character gets an agent only if `--agent` names it.

        Raises:
            click.UsageError: `--agents` is given, and the scenario names no agent for
                another character.
        """
        from saniwa.app.agent_cast import CHARACTER
        from saniwa.app.scenario_lookup import list_authored_agents

        authored = list_authored_agents(scenario) if self.agents else {}
        authored.pop(actor, None)
        if self.agents and not authored:
            raise click.UsageError(
                f"--agents assigns the agents named in the scenario, and this one names "
                f"none except for {actor!r}; assign one yourself: --agent WHO"
            )
        named = (each.partition("=") for each in self.agent)
        return authored | {who: agent or CHARACTER for who, _, agent in named}

    def check(self) -> None:
        """Check that the options can be combined.

        Raises:
            click.UsageError: A character has two agents, or `--style` is given without
                a narrating model; also as `ModelChoice.check`.
        """
        self.choice.check()
        if self.style and self.narrator != "model":
            raise click.UsageError(
                "--style applies only to the narration of a model: add --narrator model"
            )
        whose = Counter(each.partition("=")[0] for each in self.agent)
        twice = [who for who, times in whose.items() if times > 1]
        if twice:
            raise click.UsageError(
                f"--agent gives the seat of {twice[0]!r} twice; a seat is for one"
            )

    def build_resume_command(self, *, store: str | None, registry: str | None) -> str:
        """Return the command that resumes with the same store, registry and options.

        Seats are not repeated: the run itself records them.
        """
        import shlex

        given = {"--store": store, "--registry": registry, **self.given_options}
        seats = ("--agent", "--agents", "--seating")
        repeated = ((n, v) for n, v in given.items() if v is not None and n not in seats)
        words = (word for name, value in repeated for word in (name, str(value)))
        return shlex.join(("saniwa", "play", "--resume", "last", *words))


def open_models(wanted: AgentOptions, store: str, run_id: str | None) -> "LazyModels":
    """Return the models of a run, which are opened at their first use.

    With a recording they are opened now, so that a missing or damaged file is reported
    before anything is stored.

    Raises:
        ConfigurationError: The named recording does not exist.
        StoreError: The recording cannot be read.
    """
    from saniwa.app.game_table_models import LazyModels

    if not (wanted.choice.replay or wanted.choice.record):
        return LazyModels(lambda: _build_models(wanted, store, run_id))
    from saniwa.cli.gate.options import report_repairs

    models = _build_models(wanted, store, run_id)
    report_repairs(models.repairs)
    return LazyModels(lambda: models)


def _build_models(wanted: AgentOptions, store: str, run_id: str | None) -> "SharedModels":
    """Open the models; a resumed run brings its usage and its earlier answers."""
    from saniwa.agent.definition import AgentLimits
    from saniwa.app.agent_journals import read_run_past, sum_run_usage
    from saniwa.app.model_factory import open_table_models

    choice = wanted.choice
    return open_table_models(
        model=choice.model or "",
        url=choice.model_url or "",
        record=choice.record,
        replay=choice.replay,
        limits=choice.lower_limits(AgentLimits()),
        spent=sum_run_usage(store, run_id) if run_id is not None else None,
        past=read_run_past(store, run_id) if run_id is not None else None,
    )


def build_listener_and_narrator(
    wanted: AgentOptions, models: "LazyModels"
) -> "tuple[Listener | None, Narrator | None]":
    """Return the listener and the narrator that use a model; None for the plain ones."""
    listener: Listener | None = None
    narrator: Narrator | None = None
    if wanted.parser != "phrase":
        from saniwa.agent.model_listener import HybridListener, ModelListener

        kind = ModelListener if wanted.parser == "model" else HybridListener
        listener = kind(models.open_bridge())
    if wanted.narrator == "model":
        from saniwa.agent.narration.narrator import ModelNarrator

        narrator = ModelNarrator(models.open_bridge(), wanted.style)
    return listener, narrator


def check_seats(
    wanted: AgentOptions, scenario: "Scenario", actor: str | None, models: "LazyModels"
) -> None:
    """Check that a new run can have these seats, before anything of it is stored.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`.
        AgentError: An agent cannot play a character, or has no model.
        click.UsageError: `--agents` is given, and the scenario names none.
    """
    from saniwa.app.agent_cast import check_can_play
    from saniwa.runs.seat_order import check_seating, find_player_character
    from saniwa.turn.record import Seating

    seats = wanted.assign_seats(scenario.document, find_player_character(scenario.world, actor))
    for who in sorted(seats):
        find_player_character(scenario.world, who)
    check_seating(Seating(order=wanted.seating_order or "order", seats=seats), scenario.world)
    for name in sorted(set(seats.values())):
        models.open_bridge(check_can_play(_open_definition(name)))
    _load_similarity(wanted.memory)


def seat_agents(wanted: AgentOptions, run: "Run", models: "LazyModels", store: str) -> "Cast":
    """Return the cast of a run, seated as the options say, else as recorded.

    Raises:
        SaniwaError: A seat, an agent or a model is invalid.
    """
    import asyncio

    from saniwa.app.agent_cast import Cast

    def journal(actor: "Id", name: str) -> "AgentJournal":
        from saniwa.app.agent_journals import make_journal_opener

        return make_journal_opener(store, run.id)(actor, name)

    meaning = _load_similarity(wanted.memory)
    cast = Cast(run, models, _open_definition, journals=journal, meaning=meaning)
    seats = wanted.assign_seats(run.record.scenario, run.actor)
    cast.check_agents(seats)
    recorded = run.seating
    order = wanted.seating_order or (recorded.order if recorded is not None else "order")
    if seats or (recorded is not None and order != recorded.order):
        asyncio.run(cast.game.seat_agents(seats, order))
    return cast


@cache
def _load_similarity(kind: "SimilarityKind") -> "TextSimilarity | None":
    """Return what compares memories; None for the default.

    Cached, so that a table of vectors is read only once.
    """
    if kind == "words":
        return None
    from saniwa.agent.mind.text_similarities import make_similarity

    return make_similarity(kind)


def _open_definition(name: str) -> "AgentDefinition":
    from saniwa.app.agent_lookup import open_agent

    return open_agent(name)
