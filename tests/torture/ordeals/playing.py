"""A scenario played in the terminal by a program that is killed."""

from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from saniwa.app.store import find_run, open_store
from saniwa.runs.replay import replay_run
from saniwa.runs.start import resume_run
from tests.fakes.crowd import WALK
from tests.fakes.runs import outcome
from tests.torture.child import Child, spin, typed
from tests.torture.ordeal import Ordeal, Tally

LIVES = 3
"""How often the program is killed in one trial."""
_PROMPT = b"\n> "
_FAREWELL = b"This run is kept: "


def _killed(folder: Path, chance: Random) -> Tally:
    (folder / "words.txt").write_text("\n".join(WALK * 40) + "\n")
    told = list[str]()
    for life in range(1, LIVES + 1):
        begun = "--resume=last" if told else "door_and_key"
        with Child(folder, "play", begun, "--input", "words.txt") as child:
            # At least one turn in the first life, so that there is a run.
            child.hear(700 + chance.randrange(20_000))
            spin(chance)
            told += told_words(child.kill())
        _look(folder, told, life)
    return Tally(harmed=LIVES, acknowledged=_end(folder, told))


def told_words(said: bytes) -> list[str]:
    """The words whose outcome had begun to be told."""
    said, _, _ = said.partition(_FAREWELL)
    pieces = [piece.partition(b"\n") for piece in said.split(_PROMPT)[1:]]
    return [words.decode() for words, _, outcome in pieces if outcome]


def _look(folder: Path, told: list[str], kills: int) -> None:
    """All that was told is kept in its order, at most one more a kill, and true."""
    store = open_store(str(folder / ".saniwa/saniwa.sqlite"))
    run_id = find_run(store, "last")
    kept = [turn.raw_text for turn in store.read_turns(run_id)]
    rest = iter(kept)
    assert all(words in rest for words in told), f"told {told}, kept {kept}"
    assert len(told) <= len(kept) <= len(told) + kills
    assert (len(kept), None) == outcome(replay_run(store, run_id))
    assert len(kept) == resume_run(run_id, store).count
    store.close()


def _end(folder: Path, told: list[str]) -> int:
    """The run goes on to its end, and the commands people type agree with that."""
    played = typed(folder, "play", "--resume=last", "--input", "words.txt")
    assert 0 == played.code, played.err
    count = len(told) + len(told_words(played.out.encode()))
    lines = typed(folder, "log", "last", "--timeline").out.count("\n")
    assert count <= lines <= count + LIVES
    replayed = typed(folder, "replay", "last")
    assert f"{lines} turns, every one the same" in replayed.out, replayed
    return count


ORDEALS = (
    Ordeal(
        name="play-killed",
        tried="`saniwa play` is killed with -9 while it tells turns, and resumed.",
        promised="Every turn that was told is kept in its order, and replays the same.",
        trial=_killed,
    ),
)
