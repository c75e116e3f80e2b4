"""What the options of `saniwa play` say about agents and models; `cli.play.agents` does it."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import click

from saniwa.cli.model_options import ModelChoice, model_options
from saniwa.turn.record import SEAT_ORDERS, SeatOrder

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.mind.similarity import SimilarityKind, TextSimilarity
    from saniwa.app.cast import Cast, LazyModels
    from saniwa.app.models import SharedModels
    from saniwa.models.ports import AgentJournal
    from saniwa.runs.ports import Listener, Narrator
    from saniwa.runs.run import Run
    from saniwa.scenario.loader import Scenario
    from saniwa.world.model import Id


F = TypeVar("F", bound=Callable[..., Any])

_SEATING_ORDERS = {order.replace("_", "-"): order for order in SEAT_ORDERS}


class AgentOptions(NamedTuple):
    """What somebody wants of agents and models."""

    agent: tuple[str, ...] = ()
    """Seats for agents: `WHO` or `WHO=AGENT`."""
    agents: bool = False
    """Whether the agents that the scenario names have their seats."""
    seating: str | None = None
    """Who comes after whom."""
    parser: Literal["phrase", "model", "hybrid"] = "phrase"
    """Who listens."""
    narrator: Literal["plain", "model"] = "plain"
    """Who tells."""
    choice: ModelChoice = ModelChoice()
    """Which model is asked, and how far."""
    style: str = ""
    """How a model is to tell."""
    memory: Literal["words", "vectors"] = "words"
    """How characters' memories are compared."""

    @property
    def given_options(self) -> dict[str, object]:
        """The options that were given, by the way they are typed."""
        said = {**self._asdict(), **self.choice._asdict()}
        usual = {**AgentOptions()._asdict(), **ModelChoice()._asdict()}
        return {
            "--" + name.replace("_", "-"): value
            for name, value in said.items()
            if value != usual[name] and name != "choice"
        }

    @property
    def seating_order(self) -> SeatOrder | None:
        """The seating by its name in the trace."""
        return _SEATING_ORDERS[self.seating] if self.seating else None

    def assign_seats(self, scenario: Mapping[str, Any], actor: str) -> dict[str, str]:
        """The seats that agents are to have: the author's first, then the user's.

        Nobody takes the seat of who plays, unless that is asked for by name.

        Raises:
            click.UsageError: The author's agents are wanted, and there are none.
        """
        from saniwa.app.cast import CHARACTER
        from saniwa.app.scenarios import list_authored_agents

        authored = list_authored_agents(scenario) if self.agents else {}
        authored.pop(actor, None)
        if self.agents and not authored:
            raise click.UsageError(
                f"--agents seats the agents that a scenario names, and this one names "
                f"none for anybody but {actor!r}; seat one yourself: --agent WHO"
            )
        named = (each.partition("=") for each in self.agent)
        return authored | {who: agent or CHARACTER for who, _, agent in named}

    def check(self) -> None:
        """See that the options fit together.

        Raises:
            click.UsageError: A character has two agents, or a style has no model; as
                `ModelChoice.check`.
        """
        self.choice.check()
        if self.style and self.narrator != "model":
            raise click.UsageError(
                "--style says how a model is to tell, and none tells: --narrator model"
            )
        whose = Counter(each.partition("=")[0] for each in self.agent)
        twice = [who for who, times in whose.items() if times > 1]
        if twice:
            raise click.UsageError(
                f"--agent gives the seat of {twice[0]!r} twice; a seat is for one"
            )

    def build_resume_command(self, *, store: str | None, registry: str | None) -> str:
        """The command that goes on with the same store, model and manners."""
        import shlex

        given = {"--store": store, "--registry": registry, **self.given_options}
        seats = ("--agent", "--agents", "--seating")
        kept = ((n, v) for n, v in given.items() if v is not None and n not in seats)
        words = (word for name, value in kept for word in (name, str(value)))
        return shlex.join(("saniwa", "play", "--resume", "last", *words))


def agent_options(command: F) -> F:
    """Agents at the table; they come to the command as `wanted`."""

    @wraps(command)
    def packed(**given: Any) -> Any:
        mine = {name: given.pop(name) for name in AgentOptions._fields}
        return command(wanted=AgentOptions(**mine), **given)

    options = (
        click.option(
            "--agent",
            multiple=True,
            metavar="WHO[=AGENT]",
            help="Let an agent play this character (else `character`). Repeatable.",
        ),
        click.option(
            "--agents", is_flag=True, help="Seat the agents the scenario names."
        ),
        click.option(
            "--seating",
            type=click.Choice(list(_SEATING_ORDERS)),
            help="Who comes after whom (else order).",
        ),
        click.option(
            "--parser",
            type=click.Choice(["phrase", "model", "hybrid"]),
            default="phrase",
            show_default=True,
            help="Who makes out what you mean.",
        ),
        click.option(
            "--narrator",
            type=click.Choice(["plain", "model"]),
            default="plain",
            show_default=True,
            help="Who tells what happens.",
        ),
        click.option(
            "--style", default="", help="How a model is to tell it: dry, say."
        ),
        click.option(
            "--memory",
            type=click.Choice(["words", "vectors"]),
            default="words",
            show_default=True,
            help="How agents find what comes to their mind.",
        ),
    )
    decorated: Any = model_options(packed)
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def open_models(wanted: AgentOptions, store: str, run_id: str | None) -> "LazyModels":
    """The models of a table, set up when they are first wanted.

    Raises:
        ConfigurationError: A recording that was named is not there.
        StoreError: It cannot be read.
    """
    from saniwa.app.cast import LazyModels

    if not (wanted.choice.replay or wanted.choice.record):
        return LazyModels(lambda: _build_models(wanted, store, run_id))
    from saniwa.cli.gate.access import report_repairs

    # A tape that is not there, or was torn, is told before anything is kept.
    models = _build_models(wanted, store, run_id)
    report_repairs(models.repairs)
    return LazyModels(lambda: models)


def _build_models(
    wanted: AgentOptions, store: str, run_id: str | None
) -> "SharedModels":
    """The models; a run that goes on has spent something, and was answered before."""
    from saniwa.agent.definition import AgentLimits
    from saniwa.app.agents import read_run_past, sum_run_usage
    from saniwa.app.models import open_table_models

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
    """Who listens and who tells; None for the plain ones."""
    listener: Listener | None = None
    narrator: Narrator | None = None
    if wanted.parser != "phrase":
        from saniwa.agent.translate.listener import HybridListener, ModelListener

        kind = ModelListener if wanted.parser == "model" else HybridListener
        listener = kind(models.open_bridge())
    if wanted.narrator == "model":
        from saniwa.agent.translate.narrator import ModelNarrator

        narrator = ModelNarrator(models.open_bridge(), wanted.style)
    return listener, narrator


def check_seats(
    wanted: AgentOptions, scenario: "Scenario", actor: str | None, models: "LazyModels"
) -> None:
    """See that a new run can have these seats, before anything of it is kept.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`.
        AgentError: An agent is not whole, or has no model.
        click.UsageError: The scenario names no agents, and they are asked for.
    """
    from saniwa.app.cast import check_can_play
    from saniwa.runs.seats import check_seating
    from saniwa.runs.timeline import find_player_character
    from saniwa.turn.record import Seating

    seats = wanted.assign_seats(
        scenario.document, find_player_character(scenario.world, actor)
    )
    for who in sorted(seats):
        find_player_character(scenario.world, who)
    check_seating(
        Seating(order=wanted.seating_order or "order", seats=seats), scenario.world
    )
    for name in sorted(set(seats.values())):
        models.open_bridge(check_can_play(_open_definition(name)))
    _load_similarity(wanted.memory)


def seat_agents(
    wanted: AgentOptions, run: "Run", models: "LazyModels", store: str
) -> "Cast":
    """Everybody round the run, seated as the user wants them or as they sat before.

    Raises:
        SaniwaError: A seat, an agent or a model is not as it must be.
    """
    import asyncio

    from saniwa.app.cast import Cast

    def journal(actor: "Id", name: str) -> "AgentJournal":
        from saniwa.app.agents import make_journal_opener

        return make_journal_opener(store, run.id)(actor, name)

    meaning = _load_similarity(wanted.memory)
    company = Cast(run, models, _open_definition, journals=journal, meaning=meaning)
    seats = wanted.assign_seats(run.record.scenario, run.actor)
    company.check_agents(seats)
    sat = run.seating
    order = wanted.seating_order or (sat.order if sat is not None else "order")
    if seats or (sat is not None and order != sat.order):
        asyncio.run(company.gathering.seat_agents(seats, order))
    return company


@cache
def _load_similarity(kind: "SimilarityKind") -> "TextSimilarity | None":
    """What compares memories; None for the usual way. A table of vectors is read once."""
    if kind == "words":
        return None
    from saniwa.agent.mind.similarity import make_similarity

    return make_similarity(kind)


def _open_definition(name: str) -> "AgentDefinition":
    from saniwa.app.agent_catalog import open_agent

    return open_agent(name)
