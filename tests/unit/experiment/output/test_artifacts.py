import json
from pathlib import Path

import msgspec
import pytest

from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.output.publication import list_cell_files, publish_cell, remove_stale_cells
from tests.unit.experiment.output.trials import (
    play_trial,
    read_files_below,
    replace_answer,
    replace_fields,
)

PARSED = {
    "turn_number",
    "speaker",
    "thought",
    "speech",
    "action_intents",
    "raw_action_intents",
    "final_action_intents",
    "format_break_triggered",
    "break_type",
    "repair_method",
    "repair_steps",
    "parse_attempts",
    "repaired",
    "parser_error",
    "repair_notes",
}


def _find_cell(letter: str = "D") -> CellOutcome:
    return next(o for o in play_trial()[1] if o.condition == letter and o.scenario == "house")


def _list_files(outcome: CellOutcome) -> dict[str, bytes]:
    return dict(list_cell_files(play_trial()[0], outcome))


@pytest.mark.parametrize(
    "text", ["plain", "", "a\r\nb\rc\n", "\ufeff豆\u2028\u0085", "\0\x1b[31m", "x" * 1_000_000]
)
def test_answers_are_kept_byte_for_byte(tmp_path: Path, text: str) -> None:
    """The raw file is the final answer, uncut and unchanged."""
    publish_cell(play_trial()[0], replace_answer(_find_cell(), text), tmp_path)
    file = tmp_path / "artifacts/trial_D_house_0/turn_000_raw_output.txt"
    assert text.encode() == file.read_bytes()


def test_half_a_surrogate_pair_is_marked() -> None:
    """Half a surrogate pair, which no file can hold, is marked and the rest is kept."""
    files = _list_files(replace_answer(_find_cell(), "a\ud800b"))
    assert "a\ufffdb".encode() == files["turn_000_raw_output.txt"]
    assert "a\ufffdb" == json.loads(files["turn_000_parsed.json"])["speech"]


def test_every_answer_before_the_final_one_has_a_file() -> None:
    """Every refused attempt is kept in its own file."""
    outcome = _find_cell()
    first, final = outcome.passages[0].attempts
    files = _list_files(outcome)
    assert first.raw_output.encode() == files["turn_000_attempt_0_raw_output.txt"]
    assert final.raw_output.encode() == files["turn_000_raw_output.txt"]
    assert "turn_001_attempt_0_raw_output.txt" not in files


def test_repaired_text_is_there_only_where_it_was_repaired() -> None:
    """A repaired file exists only if the text was repaired."""
    outcome = _find_cell()
    expected = {
        f"turn_{p.number:03d}_repaired_output.txt"
        for p in outcome.passages
        if p.final.repaired_output is not None
    }
    assert 0 < len(expected) < len(outcome.passages)
    assert expected == {name for name in _list_files(outcome) if "repaired" in name}


def test_parsed_has_the_published_keys() -> None:
    """Every turn has a parsed file with the same keys."""
    files = _list_files(_find_cell())
    for turn in range(3):
        assert PARSED == set(json.loads(files[f"turn_{turn:03d}_parsed.json"]))


def test_the_first_answer_is_distinguished_from_the_final_one() -> None:
    """The file has both the first intent and the final one."""
    parsed = json.loads(_list_files(_find_cell())["turn_000_parsed.json"])
    assert ("beans", "MISSING_OBJECT") == (
        parsed["raw_action_intents"][0]["target"],
        parsed["raw_action_intents"][0]["deny_code"],
    )
    assert {"intent": "GET", "target": "cup", "detail": ""} == parsed["action_intents"][0]
    assert "OK" == parsed["final_action_intents"][0]["reason_code"]


def test_parse_attempts_are_one_more_than_the_steps() -> None:
    """A good answer is parsed once, plus once for each repair."""
    parsed = [
        json.loads(content)
        for name, content in _list_files(_find_cell()).items()
        if name.endswith("_parsed.json")
    ]
    assert {1 + each["repair_steps"] for each in parsed} > {1}
    assert all(each["parse_attempts"] == 1 + each["repair_steps"] for each in parsed)
    assert all(each["repaired"] == bool(each["repair_notes"]) for each in parsed)


def test_every_cell_has_its_world() -> None:
    """The opening world is saved in the cell's folder, indented."""
    whole, _ = play_trial()
    world = _list_files(_find_cell())["world_canonical.json"]
    assert whole.settings["house"].canonical == json.loads(world)
    assert world.startswith(b'{\n  "')


def test_a_recording_is_there_only_where_models_played() -> None:
    """Each line is a question and its answer; stand-ins have no recording."""
    calls = ({"kind": "asked", "n": 1}, {"kind": "answered", "text": "a\nb"})
    tape = _list_files(replace_fields(_find_cell(), calls=calls))["tape.jsonl"]
    assert list(calls) == [json.loads(line) for line in tape.split(b"\n")[:-1]]
    assert "tape.jsonl" not in _list_files(_find_cell())


def test_a_cell_that_broke_down_has_its_world_and_no_turn() -> None:
    """A cell that ended in an error has a folder with its world but no turns."""
    crashed = replace_fields(_find_cell(), passages=(), error="BRIDGE_REFUSED", error_message="no")
    assert ["world_canonical.json"] == list(_list_files(crashed))


@pytest.mark.parametrize("key", ["../../out", "/etc/x", "..", "a/../../b", "a\n\0b", "豆" * 400])
def test_no_key_leads_out_of_the_folder(tmp_path: Path, key: str) -> None:
    """A cell's folder is below the artifacts folder, whatever the key is."""
    inside = tmp_path / "deep" / "inside"
    publish_cell(play_trial()[0], replace_fields(_find_cell(), key=key), inside)
    parts = {Path(name).parts[:3] for name in read_files_below(tmp_path)}
    assert {("deep", "inside", "artifacts")} == parts
    assert 1 == len(list((inside / "artifacts").iterdir()))


def test_files_of_an_earlier_playing_go_and_notes_stay(tmp_path: Path) -> None:
    """Files not part of this run are removed; a note by a person is kept."""
    whole, _ = play_trial()
    publish_cell(whole, _find_cell(), tmp_path)
    folder = tmp_path / "artifacts" / "trial_D_house_0"
    (folder / "notes.md").write_text("mine")
    (folder / ".saniwa-999999999-0.new").write_text("half")
    fewer = replace_fields(_find_cell(), passages=_find_cell().passages[:1])
    publish_cell(whole, fewer, tmp_path)
    assert {*_list_files(fewer), "notes.md"} == {path.name for path in folder.iterdir()}


def test_cells_of_another_plan_are_swept_and_notes_stay(tmp_path: Path) -> None:
    """Folders of cells outside the plan are removed."""
    whole, _ = play_trial()
    for key in ("old_A_house_0", "old_B_house_0", "kept"):
        publish_cell(whole, replace_fields(_find_cell(), key=key), tmp_path)
    (tmp_path / "artifacts" / "old_B_house_0" / "notes.md").write_text("mine")
    remove_stale_cells(tmp_path, {"kept"})
    left = {name for name in read_files_below(tmp_path) if "kept" not in name}
    assert {"artifacts/old_B_house_0/notes.md"} == left
    assert not (tmp_path / "artifacts" / "old_A_house_0").exists()


def test_a_cell_is_the_same_from_memory_and_from_the_store() -> None:
    """An outcome that was saved and read back gives the same files."""
    again = msgspec.json.decode(msgspec.json.encode(_find_cell()), type=CellOutcome)
    assert _list_files(_find_cell()) == _list_files(again)
