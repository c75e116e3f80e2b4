"""A scenario played in the terminal by a process that is killed."""

from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from saniwa.app.run_stores import find_run, open_store
from saniwa.runs.replay import replay_run
from saniwa.runs.run_factory import resume_run
from tests.fakes.player_crowd import WALK
from tests.fakes.runs import summarize_replay
from tests.torture.child_process import TortureChild, run_command, spin
from tests.torture.ordeal import Ordeal, TrialTally

LIVES = 3
"""How often the process is killed in one trial."""
_PROMPT = b"\n> "
_FAREWELL = b"This run is saved: "


def _kill_player(folder: Path, chance: Random) -> TrialTally:
    (folder / "words.txt").write_text("\n".join(WALK * 40) + "\n")
    told = list[str]()
    for life in range(1, LIVES + 1):
        begun = "--resume=last" if told else "door_and_key"
        with TortureChild(folder, "play", begun, "--input", "words.txt") as child:
            # At least one turn before the first kill, so that there is a run.
            child.hear(700 + chance.randrange(20_000))
            spin(chance)
            told += list_told_words(child.kill())
        _look(folder, told, life)
    return TrialTally(harmed=LIVES, acknowledged=_finish_run(folder, told))


def list_told_words(said: bytes) -> list[str]:
    """The words whose outcome had started to be printed."""
    said, _, _ = said.partition(_FAREWELL)
    pieces = [piece.partition(b"\n") for piece in said.split(_PROMPT)[1:]]
    return [words.decode() for words, _, outcome in pieces if outcome]


def _look(folder: Path, told: list[str], kills: int) -> None:
    """Every printed turn is stored, in order, with at most one more per kill, and replays."""
    store = open_store(str(folder / ".saniwa/saniwa.sqlite"))
    run_id = find_run(store, "last")
    kept = [turn.raw_text for turn in store.read_turns(run_id)]
    rest = iter(kept)
    assert all(words in rest for words in told), f"shown {told}, stored {kept}"
    assert len(told) <= len(kept) <= len(told) + kills
    assert (len(kept), None) == summarize_replay(replay_run(store, run_id))
    assert len(kept) == resume_run(run_id, store).count
    store.close()


def _finish_run(folder: Path, told: list[str]) -> int:
    """The run is played to its end, and the other commands agree with it."""
    played = run_command(folder, "play", "--resume=last", "--input", "words.txt")
    assert 0 == played.code, played.err
    count = len(told) + len(list_told_words(played.out.encode()))
    lines = run_command(folder, "log", "last", "--timeline").out.count("\n")
    assert count <= lines <= count + LIVES
    replayed = run_command(folder, "replay", "last")
    assert f"{lines} turns, every one the same" in replayed.out, replayed
    return count


ORDEALS = (
    Ordeal(
        name="play-killed",
        tried="`saniwa play` is killed with -9 while it shows turns, and resumed.",
        promised="Every turn that was shown is kept in order, and replays the same.",
        trial=_kill_player,
    ),
)
