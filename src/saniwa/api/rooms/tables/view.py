"""A table as it is shown: who plays whom, and whether it goes on."""

import msgspec

from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.scenario import HostedRun
from saniwa.run.seats import PERSON, plays
from saniwa.turn.orders import Order
from saniwa.wiring.garden.table import Stopped, Table
from saniwa.wiring.garden.trouble import Trouble
from saniwa.world.view import name_of


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """One character, and who plays it."""

    who: str
    """The character."""
    name: str
    """What it is called."""
    player: str = ""
    """`person`, an agent's name, or nothing where nobody plays it."""
    agent_before: str = ""
    """The agent who would get the seat back."""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays whom, and whether it goes on."""

    revision: int
    """The run's revision."""
    seats: list[SeatView]
    """Every character, in order of id."""
    order: Order
    """Who comes after whom."""
    awaited: str = ""
    """Who is to act now; empty where everybody rests."""
    going: bool = False
    """Whether agents play by themselves."""
    thinking: str = ""
    """Whose agent is taking its turn right now."""
    stopped: Stopped = ""
    """Why it stands still, once it went."""
    trouble: Trouble | None = None
    """Why the last agent could not go on."""
    model: str = ""
    """The model that was named for the agents here."""
    agents: bool = False
    """Whether any seat is an agent's."""
    playable: bool = True
    """Whether agents may act here; a story on a world does its own deeds."""
    finished: bool = False
    """Whether the story has ended well."""


def table_view(hosted: Hosted, table: Table) -> TableView:
    """Who plays whom at a table, and whether it goes on."""
    gathering, run = table.gathering, table.run
    seating, world = gathering.seating, run.world
    players = {who: plays(seating, who) for who in world.cast if who in seating.seats}
    return TableView(
        revision=hosted.revision,
        seats=[
            SeatView(
                who=who,
                name=name_of(world, who),
                player=players.get(who, ""),
                agent_before=run.places.agents.get(who, ""),
            )
            for who in world.cast
        ],
        order=seating.order,
        awaited=gathering.awaited() or "",
        going=table.going,
        thinking=table.thinking or "",
        stopped=table.stopped,
        trouble=table.trouble,
        model=table.model,
        agents=any(each != PERSON for each in players.values()),
        playable=isinstance(hosted, HostedRun),
        finished=run.finished,
    )
