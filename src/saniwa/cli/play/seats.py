"""Agents in a terminal game: their options, models, turns, and who plays whom.

"Take over the keeper" is a command, "hand back the key" is an action of the story. A
line is a command if it names a character; in a run with seats, also if it names nothing
that the story knows.
"""

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import click

from saniwa.cli.options import ModelChoice
from saniwa.cli.play.screen import SEAT_WORDS, Screen, show_while_busy
from saniwa.cli.render import show_text
from saniwa.core.errors import RunError
from saniwa.runs.table import AgentTurn, GameTable, NoTurn, PersonTurn
from saniwa.runs.timeline import PERSON, find_player
from saniwa.turn.description import name_for_viewer
from saniwa.turn.narration import is_pronoun
from saniwa.turn.record import SEAT_ORDERS, SeatOrder
from saniwa.world.model import Id
from saniwa.world.view import find_room, get_name

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.mind.similarity import SimilarityKind, TextSimilarity
    from saniwa.app.cast import Cast, LazyModels
    from saniwa.app.models import SharedModels
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
        """Check that the options can be combined.

        Raises:
            click.UsageError: A character has two agents, or `--style` is given without
                a narrating model; also as `ModelChoice.check`.
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
    from saniwa.app.cast import LazyModels

    if not (wanted.choice.replay or wanted.choice.record):
        return LazyModels(lambda: _build_models(wanted, store, run_id))
    from saniwa.cli.gate.access import report_repairs

    models = _build_models(wanted, store, run_id)
    report_repairs(models.repairs)
    return LazyModels(lambda: models)


def _build_models(wanted: AgentOptions, store: str, run_id: str | None) -> "SharedModels":
    """Open the models; a resumed run brings its usage and its earlier answers."""
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
    """Return the listener and the narrator that use a model; None for the plain ones."""
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
    """Check that a new run can have these seats, before anything of it is stored.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`.
        AgentError: An agent cannot play a character, or has no model.
        click.UsageError: `--agents` is given, and the scenario names none.
    """
    from saniwa.app.cast import check_can_play
    from saniwa.runs.seats import check_seating, find_player_character
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

    from saniwa.app.cast import Cast

    def journal(actor: "Id", name: str) -> "AgentJournal":
        from saniwa.app.agents import make_journal_opener

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
    from saniwa.agent.mind.similarity import make_similarity

    return make_similarity(kind)


def _open_definition(name: str) -> "AgentDefinition":
    from saniwa.app.agents import open_agent

    return open_agent(name)


SeatDirection = Literal["take", "hand"]
SEAT_DIRECTIONS: Final[tuple[SeatDirection, ...]] = ("take", "hand")

_BEFORE: Final = {words: way for way in SEAT_DIRECTIONS for words in SEAT_WORDS[f"{way}_before"]}
_AFTER: Final = {words: way for way in SEAT_DIRECTIONS for words in SEAT_WORDS[f"{way}_after"]}


class SeatChange(NamedTuple):
    """A request to play another character, or to give one back."""

    direction: SeatDirection
    """Whether to take the seat or to hand it back."""
    who: str
    """The character as typed; empty if none was named."""


class SeatNames(NamedTuple):
    """The names that can occur in a line."""

    people: frozenset[str]
    """All ids and names of characters."""
    things: frozenset[str] = frozenset()
    """All ids, names and aliases of other entities."""
    seated: bool = False
    """Whether the run has seats that can be changed."""

    @classmethod
    def from_names(
        cls, people: Iterable[str], things: Iterable[str] = (), *, seated: bool = False
    ) -> "SeatNames":
        """Create the sets of names, ignoring case."""
        return cls(_fold_case(people), _fold_case(things), seated)

    def is_seat_name(self, who: str) -> bool:
        """Whether words mean a character, possibly one that does not exist."""
        folded = who.casefold()
        if folded in self.people:
            return True
        story = is_pronoun(who) or "を" in who or any(t in folded for t in self.things)
        return self.seated and not story


def parse_seat_change(text: str, names: SeatNames) -> SeatChange | None:
    """Parse a line as a change of seats; None if it belongs to the story.

    With a leading slash it is a command whatever it names.
    """
    line = " ".join(text.split())
    for words, direction in _BEFORE.items():
        for lead in (words, f"/{words}"):
            who = _strip_lead(line, lead)
            if who is not None and (lead.startswith("/") or names.is_seat_name(who)):
                return SeatChange(direction, who)
    for words, direction in _AFTER.items():
        who = line.removeprefix("/").removesuffix(words)
        if line.endswith(words) and names.is_seat_name(who):
            return SeatChange(direction, who)
    return None


def _fold_case(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names if name)


def _strip_lead(line: str, lead: str) -> str | None:
    """Return what follows the words; None if the line does not begin with them.

    A leading "the" is dropped.
    """
    if line.casefold() == lead:
        return ""
    if not line.casefold().startswith(f"{lead} "):
        return None
    rest = line[len(lead) + 1 :].strip()
    return rest[4:] if rest.casefold().startswith("the ") else rest


class AgentSeats:
    """Lets agents take their turns, changes seats, and shows both on a screen."""

    def __init__(self, table: GameTable, screen: Screen) -> None:
        self._table, self._screen = table, screen
        self._run = table.run

    def has_agents(self) -> bool:
        """Whether an agent plays any character."""
        return any(each != PERSON for each in self._table.list_seats().values())

    def is_agents_only(self) -> bool:
        """Whether only agents take turns, so that the user only watches."""
        order = self._run.world.turn_order
        seating = self._table.seating
        awaited = order or [Id(who) for who in seating.seats]
        return PERSON not in {find_player(seating, who) for who in awaited}

    async def play_agents(self) -> None:
        """Let agents play until it is a person's turn.

        Does nothing if only agents play: then the user asks for each turn.
        """
        while not self.is_agents_only() and await self.play_next_agent():
            pass

    async def play_next_agent(self) -> bool:
        """Let the next agent play; return False if it is not an agent's turn."""
        ended = self._run.is_finished
        with self._show_thinking():
            event = await self._table.play_next()
        match event:
            case PersonTurn():
                return False
            case NoTurn():
                self._screen.show_phrase("nobody")
                return False
            case AgentTurn():
                self._show_agent_turn(event)
                if self._run.is_finished and not ended:
                    self._screen.show_phrase("goal")
                return True

    def _show_thinking(self) -> contextlib.AbstractContextManager[None]:
        who = self._table.find_awaited_actor()
        if who is None or find_player(self._table.seating, who) == PERSON:
            return contextlib.nullcontext()
        return show_while_busy(self._screen.format_phrase("thinking", name=self._format_name(who)))

    def _show_agent_turn(self, played: AgentTurn) -> None:
        gaps = self._build_phrase_fields(played.actor)
        self._screen.show_step(played.step)
        if played.problem is not None:
            problem = played.problem
            show_text(f"[{problem.code}] {problem.message}")
            if problem.hint:
                show_text(f"  hint: {problem.hint}")
            self._screen.show_phrase("rests" if problem.recoverable else "rests_for_good", **gaps)
        elif played.passed:
            self._screen.show_phrase("lets_wait", **gaps)
        elif not played.step.directives:
            world = self._run.world
            if find_room(world, played.actor) == find_room(world, self._table.viewer):
                self._screen.show_phrase("hesitates", **gaps)

    def _format_name(self, who: Id) -> str:
        return name_for_viewer(self._run.world, who, self._table.viewer)

    def collect_names(self) -> SeatNames:
        """Return the names in this run's world."""
        world = self._run.world
        people = (n for who in world.cast for n in (who, get_name(world, who)))
        things = (
            name
            for each in world.entities.values()
            if each.id not in world.cast
            for name in (each.id, each.name, *each.aliases)
        )
        return SeatNames.from_names(people, things, seated=self._run.seating is not None)

    def list_person_seats(self) -> list[Id]:
        """Return the characters that people play."""
        return [w for w, each in self._table.list_seats().items() if each == PERSON]

    async def change_seat(self, change: SeatChange) -> None:
        """Change who plays a character and say so, or say why it is not possible."""
        try:
            who = self._table.find_character(change.who)
        except RunError:
            names = ", ".join(map(self._format_label, self._run.world.cast))
            key = "seat_of_nobody" if change.who else "seat_of_whom"
            self._screen.show_phrase(key, who=change.who, names=names)
            return
        await (self._take_seat if change.direction == "take" else self._return_seat)(who)

    async def _take_seat(self, who: Id) -> None:
        own_seats = self.list_person_seats()
        if who in own_seats:
            self._screen.show_phrase("taken_already", name=self._format_name(who))
            return
        await self._table.take_seat(who)
        self._screen.show_phrase(
            "taken_too" if own_seats else "taken", **self._build_phrase_fields(who)
        )

    async def _return_seat(self, who: Id) -> None:
        player = find_player(self._table.seating, who)
        if player != PERSON:
            gaps = {"agent": player, **self._build_phrase_fields(who)}
            self._screen.show_phrase("handed_already", **gaps)
            return
        agent = self._table.find_last_agent(who)
        fields = {"agent": agent, **self._build_phrase_fields(who)}
        if agent is None and (who == self._run.actor or who not in self.list_person_seats()):
            self._screen.show_phrase("handed_to_nobody", **fields)
            return
        await self._table.return_seat(who)
        self._screen.show_phrase("left" if agent is None else "handed", **fields)

    def _build_phrase_fields(self, who: Id) -> dict[str, str]:
        return {"name": self._format_name(who), "id": who}

    def _format_label(self, who: Id) -> str:
        name = self._format_name(who)
        return name if name == who else f"{name} ({who})"

    def show_seating(self) -> None:
        """Print who plays whom, and whose turn it is."""
        for who, player in self._table.list_seats().items():
            key = "seat_person" if player == PERSON else "seat_agent"
            self._screen.show_phrase(key, name=self._format_label(who), agent=player)
        awaited = self._table.find_awaited_actor()
        if awaited is not None:
            self._screen.show_phrase("awaited", name=self._format_name(awaited))
