import json
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.experiment.analysis_records import Analysis
from saniwa.experiment.cell_outcome import CellOutcome, decode_outcome, encode_outcome
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.output.publication import publish_cell, publish_experiment
from saniwa.experiment.plan import PreparedPlan
from tests.fakes.experiments import list_conditions, make_plan, prepare_plan
from tests.unit.experiment.output.trials import (
    play_trial,
    publish_trial,
    read_files_below,
    replace_answer,
    replace_fields,
    write_trial,
)

_GOLDEN = Path(__file__).with_name("golden.json")
_ANALYSIS = Analysis(estimates={}, comparisons=(), effects=(), gates=(), method="none")


def _find_shape(value: Any) -> Any:
    """Reduce a document to its keys and types."""
    if isinstance(value, dict):
        return {key: _find_shape(each) for key, each in sorted(value.items())}
    if isinstance(value, list):
        return [_find_shape(value[0])] if value else []
    return type(value).__name__


def test_a_small_experiment_has_the_files_and_forms_it_always_had(tmp_path: Path) -> None:
    """No file and no key is added or removed unnoticed."""
    files = publish_trial(tmp_path)
    results = json.loads(files["results.json"])
    for part in results["conditions"].values():
        part["stats"], part["runs"] = {}, []
    parsed = json.loads(files["artifacts/trial_D_house_0/turn_000_parsed.json"])
    found = {
        "files": sorted(files),
        "results.json": _find_shape(results),
        "turn": _find_shape(json.loads(files["turns_log.json"])[3]),
        "parsed": _find_shape(parsed),
    }
    assert json.loads(_GOLDEN.read_text(encoding="utf-8")) == found


def test_written_twice_is_the_same_and_nothing_is_touched(tmp_path: Path) -> None:
    """A second write changes neither the contents nor the times of the files."""
    first = publish_trial(tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    assert first == publish_trial(tmp_path)
    assert stamps == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}


def test_kept_and_read_again_is_the_same(tmp_path: Path) -> None:
    """A plan and outcomes read back from files publish the same bytes."""
    whole, played = play_trial()
    again = msgspec.json.decode(whole.encode(), type=PreparedPlan)
    outcomes = [decode_outcome(encode_outcome(each)) for each in played]
    write_trial(again, outcomes, tmp_path / "again")
    assert publish_trial(tmp_path / "first") == read_files_below(tmp_path / "again")


def test_no_file_names_a_place_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file contains an absolute path, neither the folder's nor a home directory."""
    whole, played = play_trial()
    monkeypatch.setenv("HOME", str(tmp_path))
    write_trial(whole, played, tmp_path / "out", _ANALYSIS)
    places = {str(tmp_path), str(Path.home()), str(Path.cwd()), str(Path(__file__).parent)}
    for name, content in read_files_below(tmp_path / "out").items():
        assert not [place for place in places if place.encode() in content], name


def test_every_turn_is_in_the_log_in_the_order_of_the_cells(tmp_path: Path) -> None:
    """The log is one list with an entry for every turn of every cell."""
    log = json.loads(publish_trial(tmp_path)["turns_log.json"])
    expected = [(o.key, p.number) for o in play_trial()[1] for p in o.passages]
    assert expected == [(each["session_id"], each["turn_number"]) for each in log]


def test_a_turn_in_the_log_shows_words_verdicts_changes_and_attempts(tmp_path: Path) -> None:
    """An entry has everything needed to judge a turn."""
    log = json.loads(publish_trial(tmp_path)["turns_log.json"])
    turn = next(each for each in log if each["session_id"] == "trial_D_house_0")
    assert ["take", "speak"] == [each["check"] for each in turn["verdicts"]]
    assert "moved" == turn["changes"][0]["kind"]
    assert turn["world_before"] != turn["world_after"]
    assert [False, True] == [each["valid"] for each in turn["attempts"]]
    assert turn["guidance_cards"][0].startswith("<<<SYSTEM_SIGNAL>>>")
    assert ["FACT: Ann: take the cup"] == turn["fact_cards"]
    assert [] == next(each for each in log if not each["attempts"][0]["card"])["guidance_cards"]


def test_the_conversations_end_with_broken_formats(tmp_path: Path) -> None:
    """The page ends with the worst answers of each condition."""
    talk = publish_trial(tmp_path)["CONVERSATION_REPORT.md"].decode()
    ending = talk.split("\n# Format breaks\n")[1]
    assert (4, 12) == (ending.count("## In condition"), ending.count("came as:"))


def test_cells_shown_while_it_ran_are_not_written_again(tmp_path: Path) -> None:
    """A cell's files are final once the cell is finished."""
    whole, played = play_trial()
    for outcome in played:
        publish_cell(whole, outcome, tmp_path)
    before = {p: p.stat().st_ino for p in tmp_path.rglob("*.txt")}
    publish_trial(tmp_path)
    assert before
    assert before == {p: p.stat().st_ino for p in tmp_path.rglob("*.txt")}


def test_results_are_on_the_disk_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results are written last, after every file they refer to."""
    waited, wait = list[tuple[Path, list[str]]](), os.fsync

    def watch(fd: int) -> None:
        there = [path.name for path in tmp_path.iterdir()]
        waited.append((Path(f"/proc/self/fd/{fd}").readlink(), there))
        wait(fd)

    monkeypatch.setattr(os, "fsync", watch)
    files = publish_trial(tmp_path)
    (results, there), (folder, _) = waited[-2:]
    assert (tmp_path, tmp_path) == (results.parent, folder)
    assert "results.json" not in there
    assert {*files, "artifacts"} - {"results.json"} <= {
        *there,
        *(name for name in files if name.startswith("artifacts/")),
    }
    assert not [path for path, _ in waited if tmp_path / "artifacts" in path.parents]


def test_what_a_power_cut_tore_is_repaired(tmp_path: Path) -> None:
    """Writing again compares the contents, so a half-written file is replaced."""
    files = publish_trial(tmp_path)
    for name in files:
        if name.startswith("artifacts/"):
            (tmp_path / name).write_bytes(b"")
    assert files == publish_trial(tmp_path)


def test_nothing_of_other_cells_is_left(tmp_path: Path) -> None:
    """A folder that held another experiment or half-written files holds only this one."""
    whole, played = play_trial()
    used = tmp_path / "used"
    publish_cell(whole, replace_fields(played[0], key="other_A_house_0"), used)
    (used / ".saniwa-999999999-0.new").write_bytes(b"{")
    (used / "analysis.json").write_bytes(b"{}")
    assert publish_trial(tmp_path / "clean") == publish_trial(used)


def test_an_experiment_without_any_outcome_can_be_written(tmp_path: Path) -> None:
    """A plan that has not started has an empty log and a table with only a head."""
    write_trial(play_trial()[0], (), tmp_path)
    files = read_files_below(tmp_path)
    assert [] == json.loads(files["turns_log.json"])
    assert 1 == files["examples_index.csv"].count(b"\r\n")
    assert list("ABCD") == sorted(json.loads(files["results.json"])["conditions"])


def test_a_crash_is_an_outcome_like_any_other(tmp_path: Path) -> None:
    """A crashed cell appears in the results and in the conversations."""
    whole, played = play_trial()
    crash = replace_fields(played[0], passages=(), error="BRIDGE_REFUSED", error_message="no")
    write_trial(whole, [crash, *played[1:]], tmp_path)
    files = read_files_below(tmp_path)
    assert b'"error": "BRIDGE_REFUSED"' in files["results.json"]
    assert rb"BRIDGE\_REFUSED: no" in files["CONVERSATION_REPORT.md"]
    assert f"artifacts/{crash.key}/world_canonical.json" in files


@pytest.mark.parametrize(
    "name", ["a/../b", "q\"uo'te", "li\nne", "=cmd|' /C calc'!A0", "豆", "<b>|"]
)
def test_any_name_can_be_published(tmp_path: Path, name: str) -> None:
    """Any scenario or condition name can be used in the files."""
    whole, played = play_trial()
    called = msgspec.structs.replace(list_conditions("A")[0], name=name)
    strange = msgspec.structs.replace(
        whole,
        plan=msgspec.structs.replace(whole.plan, scenarios=(name,), conditions=(called,)),
        settings={name: whole.settings["house"]},
    )
    outcome = replace_fields(played[0], condition=name, scenario=name, key=f"t_{name}_{name}_0")
    write_trial(strange, [outcome], tmp_path)
    files = read_files_below(tmp_path)
    assert 3 == len(json.loads(files["turns_log.json"]))
    assert 4 == files["examples_index.csv"].count(b"\r\n")
    assert 1 == len(list((tmp_path / "artifacts").iterdir()))
    assert [name] == list(json.loads(files["results.json"])["conditions"])


def test_long_answers_are_whole_in_the_log_and_cut_for_reading(tmp_path: Path) -> None:
    """An answer of a megabyte is complete in the log and cut on the page."""
    whole, played = play_trial()
    long = replace_answer(played[0], "x" * 1_000_000)
    write_trial(whole, [long], tmp_path)
    files = read_files_below(tmp_path)
    assert 1_000_000 == len(json.loads(files["turns_log.json"])[0]["raw_output"])
    assert len(files["CONVERSATION_REPORT.md"]) < 20_000
    assert len(files["examples_index.csv"]) < 20_000


def test_outcomes_are_not_held_together(tmp_path: Path) -> None:
    """Memory does not grow from two cells to twenty."""
    whole, played = play_trial()

    kept = encode_outcome(replace_answer(played[0], "x" * 200_000))
    numbers, peaks = [count_outcome(decode_outcome(kept))], []
    for cells in (range(2), range(20)):
        tracemalloc.start()
        publish_experiment(whole, (decode_outcome(kept) for _ in cells), numbers, None, tmp_path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_000_000


def test_what_came_after_the_count_is_left_for_the_next_time(tmp_path: Path) -> None:
    """Metrics and files cover the same cells, even if others finish in the meantime."""
    whole, played = play_trial()
    publish_experiment(whole, played, [count_outcome(each) for each in played[:3]], None, tmp_path)
    log = json.loads((tmp_path / "turns_log.json").read_bytes())
    keys = {each.key for each in played[:3]}
    assert keys == {each["session_id"] for each in log}
    assert keys == {path.name for path in (tmp_path / "artifacts").iterdir()}


def test_times_are_left_alone(tmp_path: Path) -> None:
    """Writing again keeps the recorded times."""
    (tmp_path / "times.json").write_bytes(b"{}")
    write_trial(*play_trial(), tmp_path, _ANALYSIS)
    assert b"{}" == (tmp_path / "times.json").read_bytes()
    assert "none" == json.loads((tmp_path / "analysis.json").read_bytes())["method"]


def test_what_breaks_off_leaves_the_files_that_were(tmp_path: Path) -> None:
    """An error in the middle leaves every file as it was."""
    before = publish_trial(tmp_path)
    whole, played = play_trial()

    def iterate_broken() -> Iterator[CellOutcome]:
        yield played[0]
        raise StoreError("STORE_UNREADABLE", "gone")

    with pytest.raises(StoreError, match="gone"):
        publish_experiment(whole, iterate_broken(), [count_outcome(played[0])], None, tmp_path)
    assert before == read_files_below(tmp_path)


def test_plans_with_one_condition_are_published(tmp_path: Path) -> None:
    """An experiment with one condition can be published."""
    whole = prepare_plan(make_plan("D"))
    write_trial(whole, (), tmp_path)
    assert ["D"] == list(json.loads(read_files_below(tmp_path)["results.json"])["conditions"])
