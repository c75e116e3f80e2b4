"""The others at the table: agents who have their turns, and seats that change hands."""

import contextlib

import click

from saniwa.cli.seats import Names, SeatChange
from saniwa.cli.showing import Screen, sign
from saniwa.core.errors import RunError
from saniwa.core.quoted import printable
from saniwa.run.seats import PERSON, plays
from saniwa.run.table.gathering import Gathering
from saniwa.run.table.players import Awaited, Played, Resting
from saniwa.turn.sight import called
from saniwa.world.model import Id
from saniwa.world.view import name_of, room_of


class Others:
    """Agents at a table, and what a screen shows of them."""

    def __init__(self, gathering: Gathering, screen: Screen) -> None:
        self._gathering, self._screen = gathering, screen
        self._run = gathering.run

    def present(self) -> bool:
        """Whether any seat is an agent's."""
        return any(each != PERSON for each in self._gathering.seats().values())

    def alone(self) -> bool:
        """Whether no person is ever awaited, so that whoever is here only watches."""
        order = self._run.world.turn_order
        seating = self._gathering.seating
        awaited = order or [Id(who) for who in seating.seats]
        return PERSON not in {plays(seating, who) for who in awaited}

    async def play(self) -> None:
        """Let agents play until a person is to act; who only watches says when."""
        while not self.alone() and await self.play_one():
            pass

    async def play_one(self) -> bool:
        """Let the next agent play; False where it is not an agent's turn."""
        ended = self._run.finished
        with self._thinking():
            event = await self._gathering.next()
        match event:
            case Awaited():
                return False
            case Resting():
                self._screen.tell("nobody")
                return False
            case Played():
                self._show_played(event)
                if self._run.finished and not ended:
                    self._screen.tell("goal")
                return True

    def _thinking(self) -> contextlib.AbstractContextManager[None]:
        who = self._gathering.awaited()
        if who is None or plays(self._gathering.seating, who) == PERSON:
            return contextlib.nullcontext()
        return sign(self._screen.phrase("thinking", name=self._name(who)))

    def _show_played(self, played: Played) -> None:
        gaps = self._gaps(played.actor)
        self._screen.show(played.step)
        if played.problem is not None:
            problem = played.problem
            click.echo(printable(f"[{problem.code}] {problem.message}"))
            if problem.hint:
                click.echo(printable(f"  hint: {problem.hint}"))
            self._screen.tell(
                "rests" if problem.recoverable else "rests_for_good", **gaps
            )
        elif played.passed:
            self._screen.tell("lets_wait", **gaps)
        elif not played.step.directives and self._sees(played.actor):
            self._screen.tell("hesitates", **gaps)

    def _sees(self, who: Id) -> bool:
        world = self._run.world
        return room_of(world, who) == room_of(world, self._gathering.viewer)

    def _name(self, who: Id) -> str:
        return called(self._run.world, who, self._gathering.viewer)

    def names(self) -> Names:
        """Everything that can be meant here."""
        world = self._run.world
        people = (n for who in world.cast for n in (who, name_of(world, who)))
        things = (
            name
            for each in world.entities.values()
            if each.id not in world.cast
            for name in (each.id, each.name, *each.aliases)
        )
        return Names.of(people, things, seated=self._run.seating is not None)

    def held(self) -> list[Id]:
        """The seats that a person has."""
        return [w for w, each in self._gathering.seats().items() if each == PERSON]

    async def change(self, change: SeatChange) -> None:
        """Let a seat change hands, and say so; or say why it cannot."""
        try:
            who = self._gathering.named(change.who)
        except RunError:
            names = ", ".join(map(self._label, self._run.world.cast))
            key = "seat_of_nobody" if change.who else "seat_of_whom"
            self._screen.tell(key, who=change.who, names=names)
            return
        await (self._take if change.direction == "take" else self._hand)(who)

    async def _take(self, who: Id) -> None:
        held = self.held()
        if who in held:
            self._screen.tell("taken_already", name=self._name(who))
            return
        await self._gathering.take(who)
        self._screen.tell("taken_too" if held else "taken", **self._gaps(who))

    async def _hand(self, who: Id) -> None:
        player = plays(self._gathering.seating, who)
        if player != PERSON:
            told = {"agent": player, **self._gaps(who)}
            self._screen.tell("handed_already", **told)
            return
        agent = self._gathering.agent_before(who)
        if agent is None and (who == self._run.actor or who not in self.held()):
            self._screen.tell("handed_to_nobody", **self._gaps(who))
            return
        await self._gathering.hand_back(who)
        key = "left" if agent is None else "handed"
        self._screen.tell(key, **self._gaps(who), **({"agent": agent} if agent else {}))

    def _gaps(self, who: Id) -> dict[str, str]:
        return {"name": self._name(who), "id": who}

    def _label(self, who: Id) -> str:
        name = self._name(who)
        return name if name == who else f"{name} ({who})"

    def tell(self) -> None:
        """Say who plays whom, and whose turn it is."""
        for who, player in self._gathering.seats().items():
            key = "seat_person" if player == PERSON else "seat_agent"
            self._screen.tell(key, name=self._label(who), agent=player)
        awaited = self._gathering.awaited()
        if awaited is not None:
            self._screen.tell("awaited", name=self._name(awaited))
