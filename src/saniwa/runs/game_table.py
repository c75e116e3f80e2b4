"""People and agents who play one run together: whose turn it is, and what others see.

An agent takes one turn when `play_next` is called. The seating is stored in the run, as
is every turn; what an agent says counts only once the run has stored it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from saniwa.core.errors import RunError, SaniwaError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs import presentation
from saniwa.runs.run import EmptyTurnResult, Run, TurnResult
from saniwa.runs.seat_order import SeatPauses, check_seating, find_next_actor, find_player_character
from saniwa.runs.timeline import MOST_FRUITLESS_TURNS, PERSON, find_player
from saniwa.story.step_result import Next, StepResult
from saniwa.turn.record import Seating, SeatOrder, Turn
from saniwa.world.model import Id
from saniwa.world.queries import get_name, get_turn_actor

if TYPE_CHECKING:
    from saniwa.agent.layer_contracts import (
        AgentProblem,
        AgentResult,
        IterationSummary,
        StartOptions,
    )


class TablePlayer(Protocol):
    """An agent that takes one turn per call."""

    async def start(self, options: "StartOptions") -> None:
        """Begin, or resume where it stopped."""

    async def take_turn(self) -> "IterationSummary | None":
        """Take one turn; None if the agent is done or cannot continue."""

    async def stop(self) -> "AgentResult":
        """Stop, and return the result."""


class PersonTurn(NamedTuple):
    """A person has to act."""

    actor: Id
    """The person's character."""


class AgentTurn(NamedTuple):
    """An agent's seat has had its turn."""

    actor: Id
    """The agent's character."""
    turns: tuple[Turn, ...]
    """The turns as they were stored; empty if the agent said nothing."""
    step: StepResult
    """What the viewer sees of them."""
    passed: bool = False
    """Whether the table played a `wait`, because nothing the agent tried had an
    effect."""
    problem: "AgentProblem | None" = None
    """Why the agent cannot continue: in this round, or at all if it is not
    recoverable."""


class NoTurn(NamedTuple):
    """No person has a seat, and no agent can continue."""


TableMove = PersonTurn | AgentTurn | NoTurn
"""What happened at a table, or what it waits for."""
PlayerFactory = Callable[[Id, str, Callable[[Turn], None]], TablePlayer]
"""Makes the player of a seat: its character, the agent's name, and a callback that
receives its turns."""


class GameTable:
    """One run with all its players."""

    def __init__(self, run: Run, seated: PlayerFactory) -> None:
        """Set up a table for a run; `seated` makes an agent when its turn comes."""
        self.run: Final[Run] = run
        """The run."""
        self._make_player = seated
        self._players = dict[tuple[Id, str], TablePlayer]()
        self._turns = list[Turn]()
        self._pauses = SeatPauses()
        self._asked: IdempotencyKey | None = None
        self.viewer: Id = run.actor
        """The character a person plays now, for whom agents' turns are narrated."""

    @property
    def seating(self) -> Seating:
        """Who plays whom."""
        return self.run.seating or Seating(seats={self.run.actor: PERSON})

    def list_seats(self) -> Mapping[Id, str]:
        """Who plays whom, sorted by character id."""
        return {Id(who): self.seating.seats[who] for who in sorted(self.seating.seats)}

    async def seat_agents(
        self,
        agents: Mapping[str, str],
        order: SeatOrder = "order",
        *,
        asked: IdempotencyKey | None = None,
    ) -> None:
        """Give seats to agents by name; the run's own character keeps its seat.

        `asked` identifies the request, here and below, and is stored with the turn.

        Raises:
            RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`; then nothing is stored.
            StoreError: It could not be stored.
        """
        seats = {self.run.actor: PERSON, **self.seating.seats, **agents}
        for who in agents:
            self._pauses.remove(Id(who))
        await self._store_seating(Seating(order=order, seats=seats), asked)

    async def take_seat(self, who: str, *, asked: IdempotencyKey | None = None) -> Id:
        """Let a person take a seat; the character's mind does not change.

        Raises:
            RunError: `ACTOR_UNKNOWN`; `SEATING_UNFIT` if a person already has it.
            StoreError: It could not be stored.
        """
        actor = self.find_character(who)
        if self.list_seats().get(actor) == PERSON:
            raise make_seating_error(f"a person already plays {actor!r}", "take another seat")
        await self._change_player(actor, PERSON, asked)
        return actor

    async def return_seat(self, who: str, *, asked: IdempotencyKey | None = None) -> Id:
        """Return a seat to its last agent; a seat that never had one becomes empty.

        Raises:
            RunError: `ACTOR_UNKNOWN`; `SEATING_UNFIT` if no person has it, or if it is
                the run's own character and never had an agent.
            StoreError: It could not be stored.
        """
        actor = self.find_character(who)
        agent = self.find_last_agent(actor)
        if self.list_seats().get(actor) != PERSON:
            raise make_seating_error(f"no person plays {actor!r}", "take the seat first")
        if agent is None and actor == self.run.actor:
            raise make_seating_error(f"no agent has ever played {actor!r}", "seat one: --agent WHO")
        await self._change_player(actor, agent, asked)
        if self.viewer == actor:
            self.viewer = self._find_person()
        return actor

    def find_last_agent(self, who: Id) -> str | None:
        """The last agent of a seat, even if another player has it now.

        None if the seat never had an agent.
        """
        return self.run.seat_timeline.agents.get(who)

    def find_character(self, who: str) -> Id:
        """Find a character by id, or by a name that is unique.

        Raises:
            RunError: `ACTOR_UNKNOWN`.
        """
        world, said = self.run.world, who.strip().casefold()
        called = [c for c in world.cast if get_name(world, c).casefold() == said]
        exact = [c for c in world.cast if c.casefold() == said]
        found = exact or called
        return found[0] if len(found) == 1 else Id(find_player_character(world, who.strip()))

    def find_awaited_actor(self) -> Id | None:
        """The character who acts now, person or agent; None if all are resting."""
        # If all who can continue are resting, their rest is over.
        resting = self._pauses.list_paused(self._find_round())
        return self._find_next_except(resting) or self._find_next_except(self._pauses.for_good)

    async def play_next(self, *, asked: IdempotencyKey | None = None) -> TableMove:
        """Let the next agent take its turn, or return which person is awaited.

        An agent that cannot continue does not block the others: its problem is
        reported, and its seat is passed over for this round, or until another player
        takes it. `asked` is stored with the first turn that results.

        Raises:
            SaniwaError: The agent could not be started; its seat is passed over.
            StoreError: The table's own turn could not be stored.
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
        """Return the request for the next turn, and clear it: only one turn gets it."""
        asked, self._asked = self._asked, None
        return asked

    async def undo(self) -> TurnResult | EmptyTurnResult:
        """Take back the last deed of a person, with all that agents did since.

        At a table without people, take back the last deed.

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
            return EmptyTurnResult(None, presentation.present_nothing_to_undo(world, others=others))
        return await self.run.undo()

    async def stop(self) -> None:
        """Stop every agent; each stores what it needs to resume later."""
        players, self._players = self._players, {}
        for player in players.values():
            await player.stop()

    async def _play_agent(self, actor: Id) -> TableMove:
        self._turns.clear()
        # Read before the turn: a seat rests for the round in which it failed.
        now = self._find_round()
        try:
            player = await self._start_player(actor)
        except SaniwaError:
            self._pauses.add(actor, now, for_good=True)
            raise
        taken = await player.take_turn()
        if taken is None:
            return await self._end_player(actor, player, now)
        if not self._turns:
            self._pauses.add(actor, now)
        return self._make_agent_turn(actor)

    async def _end_player(self, actor: Id, player: TablePlayer, now: int) -> TableMove:
        self._players.pop((actor, find_player(self.seating, actor)), None)
        problem = (await player.stop()).error
        done = problem is None or not problem.recoverable
        self._pauses.add(actor, now, for_good=done)
        return self._make_agent_turn(actor)._replace(problem=problem)

    async def _pass_turn(self, actor: Id) -> TableMove:
        """Play a `wait` for a seat that would otherwise block the turn order."""
        wait = {"type": "wait", "actorId": actor}
        result = await self.run.act(wait, asked=self.take_request())
        self._turns[:] = [result.turn]
        return self._make_agent_turn(actor)._replace(passed=True)

    def _is_blocked(self, actor: Id) -> bool:
        here = self.run.seat_timeline.position
        vain = here.last == actor and here.fruitless >= MOST_FRUITLESS_TURNS
        return vain or actor in self._pauses.list_paused(self._find_round())

    def _find_round(self) -> int:
        """The current round.

        If the scenario has a turn order, the world's turn number.
        """
        ordered = get_turn_actor(self.run.world) is not None
        return self.run.world.time.turn if ordered else self.run.seat_timeline.position.round

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
        from saniwa.agent.layer_contracts import StartOptions

        name = find_player(self.seating, actor)
        player = self._players.get((actor, name))
        if player is None:
            player = self._make_player(actor, name, self._turns.append)
            await player.start(StartOptions(resume=True, paced=True))
            self._players[actor, name] = player
        return player

    def _make_agent_turn(self, actor: Id) -> AgentTurn:
        turns = tuple(self._turns)
        steps = [self.run.present_again(turn, self.viewer).step for turn in turns]
        shown = tuple(said for step in steps for said in step.directives)
        following = Next.HALT if self.run.is_finished else Next.WAIT_USER
        return AgentTurn(actor, turns, StepResult(next=following, directives=shown))

    def _find_person(self) -> Id:
        """A character that a person plays; the run's own character comes first."""
        people = [who for who, player in self.list_seats().items() if player == PERSON]
        own = self.run.actor
        return own if own in people or not people else people[0]

    async def _change_player(
        self, actor: Id, player: str | None, asked: IdempotencyKey | None
    ) -> None:
        self._pauses.remove(actor)
        seats = {**self.seating.seats}
        seats.pop(actor, None)
        if player is not None:
            seats[actor] = player
        await self._store_seating(Seating(order=self.seating.order, seats=seats), asked)

    async def _store_seating(self, seating: Seating, asked: IdempotencyKey | None) -> None:
        check_seating(seating, self.run.world)
        await self.run.change_seating(seating, asked=asked)


def make_seating_error(why: str, cure: str) -> RunError:
    """The error for a seat that cannot be taken, given up or played."""
    return RunError("SEATING_UNFIT", why, hint=cure)
