"""Destructive trials from one seed: a few by default, all of them in `make nightly`."""

import os
import signal
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from random import Random  # noqa: TID251 - what an ordeal is handed

import msgspec
import pytest

from tests.fakes.nightly import sample_cases
from tests.torture.__main__ import BROKEN, STOPPED, main
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.ordeals import ORDEALS
from tests.torture.result_page import render_page
from tests.torture.rounds import TrialOutcome, iterate_trials, try_ordeal

SEED = "everyday"
_ONE_IN = 8
# By default some of each kind, and at least one.
_TRIED = [
    ordeal
    for _, kind in groupby(ORDEALS, lambda ordeal: ordeal.trial.__module__)
    for ordeal in sample_cases(kind, _ONE_IN, lambda ordeal: ordeal.name)
]


@pytest.mark.slow
@pytest.mark.parametrize("ordeal", _TRIED, ids=lambda ordeal: ordeal.name)
def test_every_promise_is_kept(ordeal: Ordeal) -> None:
    """After every trial, what was acknowledged is there and what was refused is not."""
    outcome = try_ordeal(ordeal, SEED)

    assert "" == outcome.broken, outcome.broken
    assert outcome.tally.harmed


def test_every_ordeal_has_a_name_of_its_own() -> None:
    """Every trial has a different name, by which it can be repeated."""
    names = [ordeal.name for ordeal in ORDEALS]

    assert len(names) == len(set(names))


def _make_ordeal(trial: Callable[[Path, Random], TrialTally], name: str = "lamp-dropped") -> Ordeal:  # fmt: skip
    return Ordeal(name=name, tried="It is dropped.", promised="It burns.", trial=trial)


def _pass_trial(folder: Path, _: Random) -> TrialTally:
    assert [] == list(folder.iterdir())
    (folder / "lamp").write_text("lit")
    return TrialTally(harmed=2, acknowledged=1000, refused=1)


def _fail_trial(_: Path, chance: Random) -> TrialTally:
    raise AssertionError(f"it went out at {chance.random()}")


def test_what_held_is_reported_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """The page says what was tried and how often, and that it held; the status is 0."""
    code = main(["--minutes", "0", "--seed", "s"], [_make_ordeal(_pass_trial)])

    expected = """\
lamp-dropped: held
  tried:     It is dropped.
  promised:  It burns.
  how often: 1 trial, 2 times harmed, 1,000 acknowledged and found again, 1 refused and not found

1 ordeal, 1 trial, 2 times harmed, 1,000 acknowledged and found again, 1 refused and not found: held
"""
    told = capsys.readouterr()
    assert (0, expected) == (code, told.out)
    assert "seed s, for 0 s\n. round 1, 0 s\n\n" == told.err


def test_a_broken_promise_is_reported_with_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    """A broken promise is reported with its place and the command to repeat it; the status is 1."""
    lamps = [_make_ordeal(_pass_trial), _make_ordeal(_fail_trial, "lamp-fallen")]
    code = main(["--minutes", "0", "--seed", "s/7"], lamps)

    told = capsys.readouterr().out
    assert BROKEN == code
    assert "lamp-dropped: held\n" in told
    assert "lamp-fallen: BROKEN in 1 trial\n" in told
    assert "tests.torture --minutes 0 --only lamp-fallen --seed 's/7'\n" in told
    assert "AssertionError: it went out at" in told
    assert told.endswith(": BROKEN in 1 trial\n")


def test_the_seed_of_a_trial_is_that_trial() -> None:
    """The seed that is reported for a round repeats exactly that round."""
    rounds = iter([True, True, True, False])
    found = list(iterate_trials([_make_ordeal(_fail_trial)], "s", lambda: next(rounds)))
    again = next(iterate_trials([_make_ordeal(_fail_trial)], found[-1].seed, lambda: False))

    assert ["s", "s/1"] == [outcome.seed for outcome in found]
    assert found[0].broken != found[-1].broken
    assert found[-1] == again


def test_ctrl_c_says_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    """After Ctrl-C the finished trials are reported, and the status is not 0."""

    def interrupt_trial(_: Path, __: Random) -> TrialTally:
        os.kill(os.getpid(), signal.SIGINT)
        return TrialTally()

    code = main(
        ["--minutes", "0"],
        [_make_ordeal(_pass_trial), _make_ordeal(interrupt_trial, "lamp-stolen")],
    )

    told = capsys.readouterr()
    assert STOPPED == code
    assert told.out.startswith("lamp-dropped: held\n")
    assert told.out.endswith("refused and not found: held\n")
    assert told.err.endswith("stopped\n")


def test_a_trial_that_hangs_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial that takes too long is reported as a broken promise."""
    monkeypatch.setattr("tests.torture.rounds.PATIENCE", 0.02)

    def hang_trial(_: Path, __: Random) -> TrialTally:
        signal.pause()
        return TrialTally()

    assert "it was not done after 0.02 seconds" in try_ordeal(_make_ordeal(hang_trial), "s").broken


def test_ordeals_are_listed_and_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """`--list` runs no trial, and `--only` selects trials."""
    lamps = [_make_ordeal(_fail_trial), _make_ordeal(_pass_trial, "lamp-thrown")]
    code = main(["--list", "--only", "lamp-thrown"], lamps)

    expected = "lamp-thrown\n  tried:     It is dropped.\n  promised:  It burns.\n"
    assert (0, expected) == (code, capsys.readouterr().out)


def test_machines_are_reported_every_trial(capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one outcome per trial, with its seed and figures."""
    main(["--minutes", "0", "--seed", "s", "--json"], [_make_ordeal(_pass_trial)])

    found = msgspec.json.decode(capsys.readouterr().out, type=list[TrialOutcome])
    tally = TrialTally(harmed=2, acknowledged=1000, refused=1)
    assert [TrialOutcome(ordeal="lamp-dropped", seed="s", tally=tally)] == found


def test_what_breaks_again_is_reported_by_its_seed() -> None:
    """The first failure of a trial is printed in full, further ones only with their seed."""
    found = [try_ordeal(_make_ordeal(_fail_trial), "a"), try_ordeal(_make_ordeal(_fail_trial), "b")]
    told = render_page([_make_ordeal(_fail_trial)], found)

    assert 1 == told.count("Traceback")
    assert 1 == told.count("--seed 'a'")
    assert 1 == told.count("--seed 'b'")


def test_a_broken_trial_counts_nothing_as_found() -> None:
    """The figures are those of the trials that held."""
    found = [try_ordeal(_make_ordeal(_pass_trial), "a"), try_ordeal(_make_ordeal(_fail_trial), "b")]

    assert "how often: 2 trials, 2 times harmed, 1,000" in render_page(
        [_make_ordeal(_pass_trial)], found
    )
