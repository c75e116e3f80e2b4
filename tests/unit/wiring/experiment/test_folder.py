from pathlib import Path

import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.experiment.layout import PREPARED, RESULTS
from saniwa.wiring.experiment.folder import (
    began,
    begin,
    experiment_folders,
    find_experiment,
    folder_name,
    id_in,
    open_experiment,
)
from tests.fakes.experiments import plan, prepared

_NOON = 1_700_000_000_000


def test_a_2x2_has_the_published_name() -> None:
    """`gm_2x2_` stands before plans that cross nothing but inject and game master."""
    stamp = "20231114_221320"
    warm = plan(factors={"inject": (True,), "temperature": (0.1, 0.2)})
    single = plan(factors={"inject": (False, True), "temperature": (0.1,)})

    assert f"gm_2x2_trial_{stamp}" == folder_name(plan(), _NOON)
    assert f"gm_2x2_trial_{stamp}" == folder_name(single, _NOON)
    assert f"trial_{stamp}" == folder_name(warm, _NOON)


def test_two_that_begin_at_once_have_folders_of_their_own(tmp_path: Path) -> None:
    """Nothing is ever written into a folder that is there."""
    clock = FixedClock(_NOON, tick=0)
    first, second = (begin(prepared(), tmp_path, clock) for _ in range(2))

    assert first.folder.name + "-2" == second.folder.name
    assert [first.folder, second.folder] == list(experiment_folders(tmp_path))


def test_what_began_is_what_is_opened(tmp_path: Path) -> None:
    """The plan that is read again is the plan, by its fingerprint."""
    made = begin(prepared(), tmp_path, FixedClock(_NOON))

    assert made == open_experiment(made.folder)
    assert (
        made.prepared.fingerprint == open_experiment(made.folder).prepared.fingerprint
    )
    assert not made.finished
    (made.folder / RESULTS).write_text("{}")
    assert made.finished


def test_an_experiment_is_found_by_what_people_remember(tmp_path: Path) -> None:
    """Its folder, the folder's name, its id (the newest), or `last`."""
    clock = FixedClock(_NOON, tick=60_000)
    old = begin(prepared(), tmp_path, clock)
    new = begin(prepared(), tmp_path, clock)
    other = begin(prepared(plan(experiment_id="b")), tmp_path, clock)

    assert old == find_experiment(str(old.folder), tmp_path)
    assert old == find_experiment(old.folder.name, tmp_path)
    assert new == find_experiment("trial", tmp_path)
    assert other == find_experiment("last", tmp_path)


def test_one_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    """No other experiment is taken for it."""
    with pytest.raises(ExperimentError, match="no experiment in"):
        find_experiment("last", tmp_path / "results")
    begin(prepared(), tmp_path, FixedClock(_NOON))
    with pytest.raises(ExperimentError) as caught:
        find_experiment("trail", tmp_path)

    assert ("EXPERIMENT_NOT_FOUND", "did you mean 'trial'?") == (
        caught.value.code,
        caught.value.hint,
    )


def test_a_damaged_plan_is_an_error(tmp_path: Path) -> None:
    """What cannot be read is said to be so, with its file."""
    made = begin(prepared(), tmp_path, FixedClock(_NOON))
    (made.folder / PREPARED).write_text("{")

    with pytest.raises(StoreError) as caught:
        open_experiment(made.folder)
    assert "STORE_UNREADABLE" == caught.value.code


def test_names_say_id_and_time() -> None:
    """A folder's name tells both, also of one that was second in its second."""
    assert "a_b" == id_in("gm_2x2_a_b_20231114_221320-2")
    assert "2023-11-14 22:13:20" == began("a_20231114_221320")
    assert ("notes", "") == (id_in("notes"), began("notes"))
