"""People and agents round one run: who comes next, and what the others see of it.

Agents take one turn at a time, when they are asked to; who plays whom is kept in the run,
and so is every turn. Nothing an agent says is story before the run has kept it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from saniwa.core.errors import RunError, SaniwaError
from saniwa.runs import presentation
from saniwa.runs.run import EmptyTurnResult, Run, TurnResult
from saniwa.runs.seats import (
    MOST_FRUITLESS_TURNS,
    PERSON,
    SeatPauses,
    check_seating,
    find_next_actor,
    find_player,
)
from saniwa.runs.timeline import find_player_character
from saniwa.story.stepresult import Next, StepResult
from saniwa.turn.record import IdempotencyKey, Seating, SeatOrder, Turn
from saniwa.world.model import Id
from saniwa.world.view import get_name, get_turn_actor

if TYPE_CHECKING:
    from saniwa.agent.contract import StartOptions
    from saniwa.agent.progress import AgentProblem, AgentResult, IterationSummary


class TablePlayer(Protocol):
    """An agent who takes turns when it is asked to."""

    async def start(self, options: "StartOptions") -> None:
        """Begin, or go on where it stopped."""
        ...

    async def take_turn(self) -> "IterationSummary | None":
        """One turn; None where the agent is done, or cannot go on."""
        ...

    async def stop(self) -> "AgentResult":
        """End, and say what became of it."""
        ...


class PersonTurn(NamedTuple):
    """A person is to act."""

    actor: Id
    """As whom."""


class AgentTurn(NamedTuple):
    """An agent's seat has had its turn."""

    actor: Id
    """Whose."""
    turns: tuple[Turn, ...]
    """The turns as they were kept; none where the agent said nothing."""
    step: StepResult
    """What the person at the table sees of it."""
    passed: bool = False
    """Whether the table let the seat wait, because nothing came of what it tried."""
    problem: "AgentProblem | None" = None
    """Why the agent cannot go on: for this round, or for good if it is not recoverable."""


class NoTurn(NamedTuple):
    """No person has a seat, and no agent goes on."""


TableMove = PersonTurn | AgentTurn | NoTurn
PlayerFactory = Callable[[Id, str, Callable[[TurnResult], None]], TablePlayer]
"""Makes the player for a seat: whose, the agent's name, and who is told of its turns."""


class GameTable:
    """One run and everybody who plays in it."""

    def __init__(self, run: Run, seated: PlayerFactory) -> None:
        """A table round a run; agents are made by `seated` when their turn comes."""
        self.run: Final = run
        """The run."""
        self._seated = seated
        self._players = dict[tuple[Id, str], TablePlayer]()
        self._told = list[TurnResult]()
        self._rests = SeatPauses()
        self._asked: IdempotencyKey | None = None
        self.viewer = run.actor
        """Whom a person plays now, and who is told of what agents do."""

    @property
    def seating(self) -> Seating:
        """Who plays whom."""
        return self.run.seating or Seating(seats={self.run.actor: PERSON})

    def list_seats(self) -> Mapping[Id, str]:
        """Who plays whom, in order of id."""
        return {Id(who): self.seating.seats[who] for who in sorted(self.seating.seats)}

    async def seat_agents(
        self,
        agents: Mapping[str, str],
        order: SeatOrder = "order",
        *,
        asked: IdempotencyKey | None = None,
    ) -> None:
        """Give seats to agents by name; whoever the run's person plays has one anyway.

        `asked` names the request, here and below, and is kept with the turn.

        Raises:
            RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`; then nothing is kept.
            StoreError: It could not be kept.
        """
        seats = {self.run.actor: PERSON, **self.seating.seats, **agents}
        for who in agents:
            self._rests.remove(Id(who))
        await self._store_seating(Seating(order=order, seats=seats), asked)

    async def take_seat(self, who: str, *, asked: IdempotencyKey | None = None) -> Id:
        """A person takes a seat over; the character's mind stays what it is.

        Raises:
            RunError: `ACTOR_UNKNOWN`; `SEATING_UNFIT` where a person has it already.
            StoreError: It could not be kept.
        """
        actor = self.find_character(who)
        if self.list_seats().get(actor) == PERSON:
            raise _make_seating_error(
                f"a person plays {actor!r} already", "take another seat"
            )
        await self._change_player(actor, PERSON, asked)
        return actor

    async def return_seat(self, who: str, *, asked: IdempotencyKey | None = None) -> Id:
        """Give a seat back to the agent who had it; one that nobody had is left empty.

        Raises:
            RunError: `ACTOR_UNKNOWN`; `SEATING_UNFIT` where no person has it, or it is
                the one the run is played from.
            StoreError: It could not be kept.
        """
        actor = self.find_character(who)
        agent = self.find_last_agent(actor)
        if self.list_seats().get(actor) != PERSON:
            raise _make_seating_error(
                f"no person plays {actor!r}", "take the seat first"
            )
        if agent is None and actor == self.run.actor:
            raise _make_seating_error(
                f"no agent has ever played {actor!r}", "seat one: --agent WHO"
            )
        await self._change_player(actor, agent, asked)
        if self.viewer == actor:
            self.viewer = self._find_person()
        return actor

    def find_last_agent(self, who: Id) -> str | None:
        """The agent who last had a seat, whoever has it now; None where none ever had."""
        return self.run.seat_timeline.agents.get(who)

    def find_character(self, who: str) -> Id:
        """The character somebody means: an id, or a name only one of them has.

        Raises:
            RunError: `ACTOR_UNKNOWN`.
        """
        world, said = self.run.world, who.strip().casefold()
        called = [c for c in world.cast if get_name(world, c).casefold() == said]
        exact = [c for c in world.cast if c.casefold() == said]
        found = exact or called
        return (
            found[0]
            if len(found) == 1
            else Id(find_player_character(world, who.strip()))
        )

    def find_awaited_actor(self) -> Id | None:
        """Who is to act now, person or agent; None where everybody rests."""
        # Where all who go on are resting, they have rested enough.
        resting = self._rests.list_paused(self._find_round())
        return self._find_next_except(resting) or self._find_next_except(
            self._rests.for_good
        )

    async def play_next(self, *, asked: IdempotencyKey | None = None) -> TableMove:
        """Let the next agent take its turn, or say which person is awaited.

        An agent that cannot go on does not hold up the others: its problem is told, and
        its seat rests for this round, or until it changes hands. `asked` is kept with
        the first turn that comes of it.

        Raises:
            SaniwaError: The agent could not be started; its seat rests.
            StoreError: The table's own turn could not be kept.
        """
        actor, self._asked = self.find_awaited_actor(), asked
        if actor is None:
            return NoTurn()
        if find_player(self.seating, actor) == PERSON:
            self.viewer = actor
            return PersonTurn(actor)
        if get_turn_actor(self.run.world) is not None and self._is_blocked(actor):
            return await self._pass_turn(actor)
        return await self._play_agent(actor)

    def take_request(self) -> IdempotencyKey | None:
        """The request that the next turn comes of; it is that only once."""
        asked, self._asked = self._asked, None
        return asked

    async def undo(self) -> TurnResult | EmptyTurnResult:
        """Take back the last deed of a person, with all that agents did since.

        At a table without persons, the last deed of all.

        Raises:
            StoreError: As for `Run.undo`.
        """
        self.find_awaited_actor()
        back = self.run.seat_timeline.position.back
        if back is not None:
            return await self.run.go_back_to(back, "undo", viewer=self.viewer)
        if PERSON in self.seating.seats.values():
            # Taking back an agent's deed alone would only make it do it again.
            world, others = self.run.world, self.run.is_undoable
            return EmptyTurnResult(
                None, presentation.present_nothing_to_undo(world, others=others)
            )
        return await self.run.undo()

    async def stop(self) -> None:
        """Let every agent end; each keeps what it needs to go on another day."""
        players, self._players = self._players, {}
        for player in players.values():
            await player.stop()

    async def _play_agent(self, actor: Id) -> TableMove:
        self._told.clear()
        # Before the turn: a seat rests for the round in which it failed.
        now = self._find_round()
        try:
            player = await self._start_player(actor)
        except SaniwaError:
            self._rests.add(actor, now, for_good=True)
            raise
        taken = await player.take_turn()
        if taken is None:
            return await self._end_player(actor, player, now)
        if not self._told:
            self._rests.add(actor, now)
        return self._make_agent_turn(actor)

    async def _end_player(self, actor: Id, player: TablePlayer, now: int) -> TableMove:
        self._players.pop((actor, find_player(self.seating, actor)), None)
        problem = (await player.stop()).error
        done = problem is None or not problem.recoverable
        self._rests.add(actor, now, for_good=done)
        return self._make_agent_turn(actor)._replace(problem=problem)

    async def _pass_turn(self, actor: Id) -> TableMove:
        """Let a seat wait that the scenario's order would have wait for ever."""
        wait = {"type": "wait", "actorId": actor}
        told = await self.run.act(wait, asked=self.take_request())
        self._told[:] = [told]
        return self._make_agent_turn(actor)._replace(passed=True)

    def _is_blocked(self, actor: Id) -> bool:
        here = self.run.seat_timeline.position
        vain = here.last == actor and here.fruitless >= MOST_FRUITLESS_TURNS
        return vain or actor in self._rests.list_paused(self._find_round())

    def _find_round(self) -> int:
        """The round; where the scenario has an order, the turn of its world."""
        ordered = get_turn_actor(self.run.world) is not None
        return (
            self.run.world.time.turn
            if ordered
            else self.run.seat_timeline.position.round
        )

    def _find_next_except(self, resting: Collection[Id]) -> Id | None:
        return find_next_actor(
            self.run.seat_timeline.position,
            self.seating,
            self.run.world,
            first=self.run.actor,
            seed=self.run.record.seed,
            resting=resting,
        )

    async def _start_player(self, actor: Id) -> TablePlayer:
        from saniwa.agent.contract import StartOptions

        name = find_player(self.seating, actor)
        player = self._players.get((actor, name))
        if player is None:
            player = self._seated(actor, name, self._told.append)
            await player.start(StartOptions(resume=True, paced=True))
            self._players[actor, name] = player
        return player

    def _make_agent_turn(self, actor: Id) -> AgentTurn:
        turns = tuple(told.turn for told in self._told)
        steps = [self._present_to_viewer(told) for told in self._told]
        shown = tuple(said for step in steps for said in step.directives)
        following = Next.HALT if self.run.is_finished else Next.WAIT_USER
        return AgentTurn(actor, turns, StepResult(next=following, directives=shown))

    def _present_to_viewer(self, told: TurnResult) -> StepResult:
        number = told.turn.number
        before, after = (
            self.run.find_world_after(number - 1),
            self.run.find_world_after(number),
        )
        return presentation.present_turn(told.turn, before, after, self.viewer)

    def _find_person(self) -> Id:
        """A character that a person plays; the run's own before others."""
        people = [who for who, player in self.list_seats().items() if player == PERSON]
        own = self.run.actor
        return own if own in people or not people else people[0]

    async def _change_player(
        self, actor: Id, player: str | None, asked: IdempotencyKey | None
    ) -> None:
        self._rests.remove(actor)
        seats = {**self.seating.seats}
        seats.pop(actor, None)
        if player is not None:
            seats[actor] = player
        await self._store_seating(Seating(order=self.seating.order, seats=seats), asked)

    async def _store_seating(
        self, seating: Seating, asked: IdempotencyKey | None
    ) -> None:
        check_seating(seating, self.run.world)
        await self.run.change_seating(seating, asked=asked)


def _make_seating_error(why: str, cure: str) -> RunError:
    return RunError("SEATING_UNFIT", why, hint=cure)
