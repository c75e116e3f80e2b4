from pathlib import Path

from saniwa.experiment.output.output_folder import PREPARED
from tests.fakes.experiment_folders import NOON, make_experiment
from tests.fakes.experiments import make_plan
from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


def test_experiments_are_listed_with_the_newest_first(tmp_path: Path) -> None:
    """Experiments are listed in pages, newest first, each once."""
    made = [
        make_experiment(tmp_path / "results", only=0, at=NOON + nth * 5_000) for nth in range(3)
    ]
    reader = ExperimentReader(tmp_path)
    first = reader.read("", limit=2)
    second = reader.read("", limit=2, after=first["next"])
    told = [each["name"] for page in (first, second) for each in page["items"]]

    assert [each.folder.name for each in reversed(made)] == told
    assert second["next"] is None


def test_where_there_is_none_the_list_is_empty(tmp_path: Path) -> None:
    """A project without experiments has an empty list, and asking for one is an error."""
    reader = ExperimentReader(tmp_path)

    assert [] == reader.read("")["items"]
    assert "EXPERIMENT_NOT_FOUND" == reader.read("/last")["code"]


def test_a_line_says_what_differs_and_how_far_it_has_come(tmp_path: Path) -> None:
    """A line has the factors with several levels, and the progress."""
    crossed = make_plan(
        seeds=(0, 1), factors={"inject": (False, True), "gm": (False, True), "language": ("",)}
    )
    make_experiment(tmp_path / "results", crossed, only=3)
    line = ExperimentReader(tmp_path).read("")["items"][0]

    assert {"inject": [False, True], "gm": [False, True]} == line["factors"]
    assert (3, 8, False) == (line["done"], line["cells"], line["finished"])
    assert ("2023-11-14T22:13:20Z", ["house"]) == (line["began"], line["scenarios"])


def test_one_that_cannot_be_read_is_listed_with_its_fault(tmp_path: Path) -> None:
    """An unreadable experiment is listed with its problem, without its path."""
    torn = make_experiment(tmp_path / "results", only=0)
    (torn.folder / PREPARED).write_bytes(b"{")
    line = ExperimentReader(tmp_path).read("")["items"][0]

    assert torn.folder.name == line["name"]
    assert "'prepared.json' cannot be read" in line["fault"]
    assert str(tmp_path) not in line["fault"]


def test_an_experiment_shows_its_plan(reader: ExperimentReader) -> None:
    """An experiment is found by its id and by its folder."""
    view = reader.read("/trial")

    assert ["A", "B", "C", "D"] == [each["name"] for each in view["conditions"]]
    assert ([0, 1], 2, 8) == (view["seeds"], view["max_turns"], view["line"]["done"])
    assert view == reader.read(f"/{view['line']['name']}")


def test_nothing_outside_of_the_folder_is_shown(tmp_path: Path) -> None:
    """A path is not accepted as a name."""
    make_experiment(tmp_path / "elsewhere", only=0)
    make_experiment(tmp_path / "results", only=0)
    name = next((tmp_path / "elsewhere").iterdir()).name
    reader = ExperimentReader(tmp_path)
    codes = {
        reader.read(f"/{way}")["code"]
        for way in (f"..%2Felsewhere%2F{name}", "..%2Felsewhere", "%2e%2e", "a%2Fb")
    }

    assert codes <= {"EXPERIMENT_NOT_FOUND", "PLACE_NOT_FOUND"}
