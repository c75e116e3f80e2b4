"""People and agents round one run: who comes next, and what the others see of it.

Agents take one turn at a time, when they are asked to; who plays whom is kept in the run,
and so is every turn. Nothing an agent says is story before the run has kept it.
"""

from collections.abc import Collection, Mapping
from typing import Final

from saniwa.core.errors import RunError, SaniwaError
from saniwa.run import present
from saniwa.run.conductor import Run
from saniwa.run.opening import player_of
from saniwa.run.seats import (
    PATIENCE,
    PERSON,
    Rests,
    check_seating,
    next_up,
    plays,
)
from saniwa.run.standing import Told, Untold
from saniwa.run.table.players import Awaited, Move, Played, Player, Resting, Seated
from saniwa.script.directive import Next, StepResult
from saniwa.turn.orders import Order
from saniwa.turn.trace import Asked, Seating
from saniwa.world.model import Id
from saniwa.world.view import name_of, whose_turn


class Gathering:
    """One run and everybody who plays in it."""

    def __init__(self, run: Run, seated: Seated) -> None:
        """A table round a run; agents are made by `seated` when their turn comes."""
        self.run: Final = run
        """The run."""
        self._seated = seated
        self._players = dict[tuple[Id, str], Player]()
        self._told = list[Told]()
        self._rests = Rests()
        self._asked: Asked | None = None
        self.viewer = run.actor
        """Whom a person plays now, and who is told of what agents do."""

    @property
    def seating(self) -> Seating:
        """Who plays whom."""
        return self.run.seating or Seating(seats={self.run.actor: PERSON})

    def seats(self) -> Mapping[Id, str]:
        """Who plays whom, in order of id."""
        return {Id(who): self.seating.seats[who] for who in sorted(self.seating.seats)}

    async def seat(
        self,
        agents: Mapping[str, str],
        order: Order = "order",
        *,
        asked: Asked | None = None,
    ) -> None:
        """Give seats to agents by name; whoever the run's person plays has one anyway.

        `asked` names the request, here and below, and is kept with the turn.

        Raises:
            RunError: `ACTOR_UNKNOWN`, `SEATING_UNFIT`; then nothing is kept.
            StoreError: It could not be kept.
        """
        seats = {self.run.actor: PERSON, **self.seating.seats, **agents}
        for who in agents:
            self._rests.end(Id(who))
        await self._seat(Seating(order=order, seats=seats), asked)

    async def take(self, who: str, *, asked: Asked | None = None) -> Id:
        """A person takes a seat over; the character's mind stays what it is.

        Raises:
            RunError: `ACTOR_UNKNOWN`; `SEATING_UNFIT` where a person has it already.
            StoreError: It could not be kept.
        """
        actor = self.named(who)
        if self.seats().get(actor) == PERSON:
            raise _unfit(f"a person plays {actor!r} already", "take another seat")
        await self._give(actor, PERSON, asked)
        return actor

    async def hand_back(self, who: str, *, asked: Asked | None = None) -> Id:
        """Give a seat back to the agent who had it; one that nobody had is left empty.

        Raises:
            RunError: `ACTOR_UNKNOWN`; `SEATING_UNFIT` where no person has it, or it is
                the one the run is played from.
            StoreError: It could not be kept.
        """
        actor = self.named(who)
        agent = self.agent_before(actor)
        if self.seats().get(actor) != PERSON:
            raise _unfit(f"no person plays {actor!r}", "take the seat first")
        if agent is None and actor == self.run.actor:
            raise _unfit(f"no agent has ever played {actor!r}", "seat one: --agent WHO")
        await self._give(actor, agent, asked)
        if self.viewer == actor:
            self.viewer = self._someone()
        return actor

    def agent_before(self, who: Id) -> str | None:
        """The agent who last had a seat, whoever has it now; None where none ever had."""
        return self.run.places.agents.get(who)

    def named(self, who: str) -> Id:
        """The character somebody means: an id, or a name only one of them has.

        Raises:
            RunError: `ACTOR_UNKNOWN`.
        """
        world, said = self.run.world, who.strip().casefold()
        called = [c for c in world.cast if name_of(world, c).casefold() == said]
        exact = [c for c in world.cast if c.casefold() == said]
        found = exact or called
        return found[0] if len(found) == 1 else Id(player_of(world, who.strip()))

    def awaited(self) -> Id | None:
        """Who is to act now, person or agent; None where everybody rests."""
        # Where all who go on are resting, they have rested enough.
        resting = self._rests.at(self._now())
        return self._next_but(resting) or self._next_but(self._rests.for_good)

    async def next(self, *, asked: Asked | None = None) -> Move:
        """Let the next agent take its turn, or say which person is awaited.

        An agent that cannot go on does not hold up the others: its problem is told, and
        its seat rests for this round, or until it changes hands. `asked` is kept with
        the first turn that comes of it.

        Raises:
            SaniwaError: The agent could not be started; its seat rests.
            StoreError: The table's own turn could not be kept.
        """
        actor, self._asked = self.awaited(), asked
        if actor is None:
            return Resting()
        if plays(self.seating, actor) == PERSON:
            self.viewer = actor
            return Awaited(actor)
        if whose_turn(self.run.world) is not None and self._blocks(actor):
            return await self._pass(actor)
        return await self._play(actor)

    def request(self) -> Asked | None:
        """The request that the next turn comes of; it is that only once."""
        asked, self._asked = self._asked, None
        return asked

    async def undo(self) -> Told | Untold:
        """Take back the last deed of a person, with all that agents did since.

        At a table without persons, the last deed of all.

        Raises:
            StoreError: As for `Run.undo`.
        """
        self.awaited()
        back = self.run.places.here.back
        if back is not None:
            return await self.run.back_to(back, "undo", viewer=self.viewer)
        if PERSON in self.seating.seats.values():
            # Taking back an agent's deed alone would only make it do it again.
            world, others = self.run.world, self.run.undoable
            return Untold(None, present.nothing_to_undo(world, others=others))
        return await self.run.undo()

    async def stop(self) -> None:
        """Let every agent end; each keeps what it needs to go on another day."""
        players, self._players = self._players, {}
        for player in players.values():
            await player.stop()

    async def _play(self, actor: Id) -> Move:
        self._told.clear()
        # Before the turn: a seat rests for the round in which it failed.
        now = self._now()
        try:
            player = await self._player(actor)
        except SaniwaError:
            self._rests.add(actor, now, for_good=True)
            raise
        taken = await player.take_turn()
        if taken is None:
            return await self._ended(actor, player, now)
        if not self._told:
            self._rests.add(actor, now)
        return self._played(actor)

    async def _ended(self, actor: Id, player: Player, now: int) -> Move:
        self._players.pop((actor, plays(self.seating, actor)), None)
        problem = (await player.stop()).error
        done = problem is None or not problem.recoverable
        self._rests.add(actor, now, for_good=done)
        return self._played(actor)._replace(problem=problem)

    async def _pass(self, actor: Id) -> Move:
        """Let a seat wait that the scenario's order would have wait for ever."""
        wait = {"type": "wait", "actorId": actor}
        told = await self.run.act(wait, asked=self.request())
        self._told[:] = [told]
        return self._played(actor)._replace(passed=True)

    def _blocks(self, actor: Id) -> bool:
        here = self.run.places.here
        vain = here.last == actor and here.fruitless >= PATIENCE
        return vain or actor in self._rests.at(self._now())

    def _now(self) -> int:
        """The round; where the scenario has an order, the turn of its world."""
        ordered = whose_turn(self.run.world) is not None
        return self.run.world.time.turn if ordered else self.run.places.here.round

    def _next_but(self, resting: Collection[Id]) -> Id | None:
        return next_up(
            self.run.places.here,
            self.seating,
            self.run.world,
            first=self.run.actor,
            seed=self.run.record.seed,
            resting=resting,
        )

    async def _player(self, actor: Id) -> Player:
        from saniwa.agent.contract import StartOptions

        name = plays(self.seating, actor)
        player = self._players.get((actor, name))
        if player is None:
            player = self._seated(actor, name, self._told.append)
            await player.start(StartOptions(resume=True, paced=True))
            self._players[actor, name] = player
        return player

    def _played(self, actor: Id) -> Played:
        turns = tuple(told.turn for told in self._told)
        steps = [self._seen(told) for told in self._told]
        shown = tuple(said for step in steps for said in step.directives)
        following = Next.HALT if self.run.finished else Next.WAIT_USER
        return Played(actor, turns, StepResult(next=following, directives=shown))

    def _seen(self, told: Told) -> StepResult:
        number = told.turn.number
        before, after = self.run.world_after(number - 1), self.run.world_after(number)
        return present.present(told.turn, before, after, self.viewer)

    def _someone(self) -> Id:
        """A character that a person plays; the run's own before others."""
        people = [who for who, player in self.seats().items() if player == PERSON]
        own = self.run.actor
        return own if own in people or not people else people[0]

    async def _give(self, actor: Id, player: str | None, asked: Asked | None) -> None:
        self._rests.end(actor)
        seats = {**self.seating.seats}
        seats.pop(actor, None)
        if player is not None:
            seats[actor] = player
        await self._seat(Seating(order=self.seating.order, seats=seats), asked)

    async def _seat(self, seating: Seating, asked: Asked | None) -> None:
        check_seating(seating, self.run.world)
        await self.run.seat(seating, asked=asked)


def _unfit(why: str, cure: str) -> RunError:
    return RunError("SEATING_UNFIT", why, hint=cure)
