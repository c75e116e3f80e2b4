import json
from pathlib import Path

import msgspec
import pytest

from saniwa.app.experiments.folder import (
    create_experiment,
    find_experiment,
    list_experiment_folders,
    make_folder_name,
    open_experiment,
    parse_experiment_id,
    parse_start_time,
)
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.experiment.output.output_folder import CELLS, PREPARED, RESULTS
from saniwa.experiment.plan import PreparedPlan
from saniwa.experiment.plan_reader import find_violations
from saniwa.store.outcome_store import EXPERIMENT_FILE
from tests.fakes.experiments import make_plan, prepare_plan

_NOON = 1_700_000_000_000


def test_a_2x2_has_the_published_name() -> None:
    """`gm_2x2_` begins the names of plans whose only factors are facts and game master."""
    stamp = "20231114_221320"
    warm = make_plan(factors={"inject": (True,), "temperature": (0.1, 0.2)})
    single = make_plan(factors={"inject": (False, True), "temperature": (0.1,)})

    assert f"gm_2x2_trial_{stamp}" == make_folder_name(make_plan(), _NOON)
    assert f"gm_2x2_trial_{stamp}" == make_folder_name(single, _NOON)
    assert f"trial_{stamp}" == make_folder_name(warm, _NOON)


def test_two_that_begin_at_once_have_folders_of_their_own(tmp_path: Path) -> None:
    """Two experiments of the same second have different folders."""
    clock = FixedClock(_NOON, tick=0)
    first, second = (create_experiment(prepare_plan(), tmp_path, clock) for _ in range(2))

    assert first.folder.name + "-2" == second.folder.name
    assert [first.folder, second.folder] == list(list_experiment_folders(tmp_path))


def test_the_last_of_two_of_one_second_is_the_one_that_began_last(tmp_path: Path) -> None:
    """Of two experiments of the same second, the later one is the last."""
    clock = FixedClock(_NOON, tick=0)
    late, early = (prepare_plan(make_plan(experiment_id=each)) for each in ("z", "a"))
    made = [create_experiment(each, tmp_path, clock) for each in (late, early)]

    assert [each.folder for each in made] == list(list_experiment_folders(tmp_path))
    assert made[-1].folder == find_experiment("last", tmp_path).folder


def test_what_began_is_what_is_opened(tmp_path: Path) -> None:
    """An opened experiment has the same plan and fingerprint."""
    made = create_experiment(prepare_plan(), tmp_path, FixedClock(_NOON))

    assert made == open_experiment(made.folder)
    assert made.prepared.fingerprint == open_experiment(made.folder).prepared.fingerprint


def test_one_is_finished_when_every_cell_is_there(tmp_path: Path) -> None:
    """An experiment is finished if every cell is stored; other files do not count."""
    made = create_experiment(prepare_plan(make_plan("AD")), tmp_path, FixedClock(_NOON))
    (made.folder / RESULTS).write_text("{}")
    cells = made.folder / CELLS
    cells.mkdir()
    seen = [(made.done_count, made.is_finished)]
    for name in ("trial_A_house_0", "other_A_house_0", "trial_D_house_0"):
        (cells / f"{name}.json").write_text("{}")
        seen.append((made.done_count, made.is_finished))

    assert [(0, False), (1, False), (1, False), (2, True)] == seen


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"max_turns": 10**9}, "'max_turns' is from 1 to 10000"),
        ({"max_turns": -1}, "'max_turns' is from 1 to 10000"),
        ({"scenarios": ["nope"]}, "the scenario 'nope' is not in it"),
        ({"conditions": []}, "'conditions' are from 1"),
        ({"seeds": [0, 0]}, "is listed twice"),
        ({"seeds": [-1]}, "a seed is from 0"),
        ({"experiment_id": "../x"}, "cannot be the id"),
        ({"conditions": [{"name": "A", "prompt": "x"}]}, "the edition 'x'"),
        ({"conditions": [{"name": "A", "rulebook": "x"}]}, "the rulebook 'x'"),
        ({"conditions": [{"name": "A", "temperature": 9}]}, "a temperature of 9"),
        ({"conditions": [{"name": "A", "language": "xx"}]}, "uses the language 'xx'"),
    ],
)
def test_a_plan_is_not_believed_what_no_author_could_ask_for(
    tmp_path: Path, changed: dict[str, object], told: str
) -> None:
    """An edited plan with impossible values is refused."""
    made = create_experiment(prepare_plan(), tmp_path, FixedClock(_NOON))
    path = made.folder / PREPARED
    whole = json.loads(path.read_bytes())
    whole["plan"] |= changed
    path.write_text(json.dumps(whole))

    with pytest.raises(StoreError) as caught:
        open_experiment(made.folder)
    assert "STORE_UNREADABLE" == caught.value.code
    assert told in " ".join(
        find_violations(msgspec.json.decode(path.read_bytes(), type=PreparedPlan))
    )


def test_an_experiment_is_found_by_what_people_remember(tmp_path: Path) -> None:
    """An experiment is found by its folder, its name, its id (the newest), or `last`."""
    clock = FixedClock(_NOON, tick=60_000)
    old = create_experiment(prepare_plan(), tmp_path, clock)
    new = create_experiment(prepare_plan(), tmp_path, clock)
    other = create_experiment(prepare_plan(make_plan(experiment_id="b")), tmp_path, clock)

    assert old == find_experiment(str(old.folder), tmp_path)
    assert old == find_experiment(old.folder.name, tmp_path)
    assert new == find_experiment("trial", tmp_path)
    assert other == find_experiment("last", tmp_path)


@pytest.mark.parametrize(("typed", "near"), [("trail", "trial"), ("lasst", "last")])
def test_one_that_is_not_there_is_reported_with_the_nearest(
    tmp_path: Path, typed: str, near: str
) -> None:
    """An unknown experiment is refused with the nearest name."""
    with pytest.raises(ExperimentError, match="no experiment in"):
        find_experiment("last", tmp_path / "results")
    create_experiment(prepare_plan(), tmp_path, FixedClock(_NOON))
    with pytest.raises(ExperimentError) as caught:
        find_experiment(typed, tmp_path)

    assert ("EXPERIMENT_NOT_FOUND", f"did you mean {near!r}?") == (
        caught.value.code,
        caught.value.hint,
    )


@pytest.mark.parametrize("content", [b"{", b'{"plan":{"experiment_id":"\xff"}}'])
def test_a_damaged_plan_is_an_error(tmp_path: Path, content: bytes) -> None:
    """A damaged plan is an error with its file."""
    made = create_experiment(prepare_plan(), tmp_path, FixedClock(_NOON))
    (made.folder / PREPARED).write_bytes(content)

    with pytest.raises(StoreError) as caught:
        open_experiment(made.folder)
    assert "STORE_UNREADABLE" == caught.value.code


def test_names_say_id_and_time() -> None:
    """A folder's name gives its id and time."""
    assert "a_b" == parse_experiment_id("gm_2x2_a_b_20231114_221320-2")
    assert "2023-11-14 22:13:20" == parse_start_time("a_20231114_221320")
    assert ("notes", "") == (parse_experiment_id("notes"), parse_start_time("notes"))


def test_cells_of_others_are_not_counted(tmp_path: Path) -> None:
    """Cells behind a link, or of another plan, do not count."""
    made = create_experiment(prepare_plan(make_plan("D")), tmp_path / "results", FixedClock(_NOON))
    elsewhere, cells = tmp_path / "elsewhere", made.folder / CELLS
    elsewhere.mkdir()
    (elsewhere / "trial_D_house_0.json").write_text("{}")
    (elsewhere / EXPERIMENT_FILE).write_text(made.prepared.fingerprint)
    cells.symlink_to(elsewhere)
    linked = made.done_count
    cells.unlink()
    elsewhere.rename(cells)
    own = made.done_count
    (cells / EXPERIMENT_FILE).write_text("0" * 16)

    assert (0, 1, 0) == (linked, own, made.done_count)
