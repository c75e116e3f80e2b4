"""What a player may read of a run so far: their own words, and what they were told.

What others thought, tried in vain or did elsewhere is in `saniwa log`, and not here.
"""

from collections.abc import Iterator, Mapping

from saniwa.run.conductor import Run
from saniwa.run.present import present
from saniwa.run.seats import PERSON
from saniwa.script.directive import Say
from saniwa.turn.sight import called
from saniwa.turn.trace import Aside, Edit, Return, Turn
from saniwa.world.model import Id


def history(run: Run, viewer: Id, said: Mapping[str, str]) -> Iterator[str]:
    """One line for each turn that the viewer knows of, in the words of the terminal."""
    for turn in run.turns():
        # What somebody else has kept since is told when the run has followed it.
        if turn.number >= run.count:
            return
        for line in _lines(run, turn, viewer, said):
            yield f"{turn.number + 1:>4}  {line}"


def _lines(run: Run, turn: Turn, viewer: Id, said: Mapping[str, str]) -> Iterator[str]:
    if turn.aside is not None:
        yield _beside(run, turn.aside, viewer, said)
    elif turn.actor_id == viewer and turn.reply is None:
        words = " ".join(turn.raw_text.split())
        name = said["speaks"].format(name=called(run.world, viewer, viewer))
        yield f"{name}{words}  → {_outcome(turn, said)}"
    else:
        yield from _told(run, turn, viewer, said)


def _told(run: Run, turn: Turn, viewer: Id, said: Mapping[str, str]) -> Iterator[str]:
    """The turn as it was told; an agent's own words hold what it thought."""
    before, after = run.world_after(turn.number - 1), run.world_after(turn.number)
    for each in present(turn, before, after, viewer).directives:
        if isinstance(each, Say):
            name = each.args.speaker
            lead = said["speaks"].format(name=name) if name else ""
            yield lead + " ".join(each.args.text.split())


def _outcome(turn: Turn, said: Mapping[str, str]) -> str:
    """What came of it; without codes, which could tell what was not seen."""
    if turn.clarification is not None:
        return f"? {turn.clarification.question}"
    outcomes = ["ok" if v.success else "no" for v in turn.validation_results]
    outcomes += ["?" for _ in turn.rejections]
    return ", ".join(outcomes) or said["past_nothing"]


def _beside(run: Run, aside: Aside, viewer: Id, said: Mapping[str, str]) -> str:
    if isinstance(aside, Edit):
        return said["past_rules"].format(book=aside.book.get("id", ""))
    if isinstance(aside, Return):
        point = said["past_turn"].format(turn=aside.to + 1)
        return said[f"past_{aside.why}"].format(
            point=point if aside.to >= 0 else said["past_beginning"]
        )
    seats = (
        said["past_seat"].format(
            name=called(run.world, Id(who), viewer),
            player=said["past_person"] if player == PERSON else player,
        )
        for who, player in sorted(aside.seats.items())
    )
    return said["past_seats"].format(seats=said["past_and"].join(seats))
