import cProfile
import gc
import json
import pstats
from pathlib import Path

import pytest

from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.documents.document import parse_document
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.world.fingerprint import compute_fingerprint
from tests.fakes.scenarios import make_flat

_ORIGIN = Path(__file__).resolve().parents[4] / "shared/data/coffee_trap.origin.json"


def _write_registry(folder: Path, name: str, text: str) -> Registry:
    (folder / name).write_text(text, encoding="utf-8")
    registry = folder / "registry.yaml"
    registry.write_text(f"scenarios: [{{scenario_id: flat, path: {name}}}]")
    return Registry.open(registry)


def test_a_scenario_is_the_same_from_file_entry_and_document(tmp_path: Path) -> None:
    """JSON, YAML and plain values give the same world and the same hashes."""
    text = json.dumps(make_flat(), ensure_ascii=False)
    entry = _write_registry(tmp_path, "flat.json", text).resolve("flat")
    (tmp_path / "flat.yaml").write_text(text)

    loaded = [
        load_scenario(entry),
        load_scenario(tmp_path / "flat.json"),
        load_scenario(str(tmp_path / "flat.yaml")),
        load_scenario(make_flat()),
        load_scenario(parse_document(text)),
    ]

    assert 1 == len({(s.scenario_hash, s.world_hash) for s in loaded})
    assert all(s.world == loaded[0].world for s in loaded)
    assert ["flat"] * 5 == [s.id for s in loaded]


def test_a_broken_scenario_is_one_error_with_all_findings(tmp_path: Path) -> None:
    """The printed error is the contract's line, and it carries all findings."""
    text = "name: flat\nlocations:\n  キッチン: {exits: [寝室, 庭]}\ncharacters: {やな: {location: 居間}}\n"
    entry = _write_registry(tmp_path, "flat.yaml", text).resolve("flat")

    with pytest.raises(SchemaValidationError) as caught:
        load_scenario(entry)

    assert [
        "[EXIT_TARGET_MISSING] Exit target '寝室' from 'キッチン' does not exist",
        f"  at {tmp_path}/flat.yaml:3:18 (locations.キッチン.exits[0])",
        "  hint: add a location '寝室', or remove it from the exits; "
        f"2 more errors: saniwa scenario check {tmp_path}/flat.yaml",
    ] == str(caught.value).split("\n")
    assert 3 == len(caught.value.details["findings"])


def test_a_broken_scenario_says_where_to_read_the_rest(tmp_path: Path) -> None:
    """The error names the command that lists all findings, or their number if there is no file."""
    rooms = {"hall": {"exits": ["hal"]}, "yard": {"exits": ["hall", "yad"]}}
    file = tmp_path / "my flat.json"
    file.write_text(json.dumps(make_flat(characters={"Ann": {"location": "hal"}})))

    with pytest.raises(SchemaValidationError) as one:
        load_scenario(file)
    with pytest.raises(SchemaValidationError) as two:
        load_scenario(make_flat(locations=rooms, characters={"Ann": {"location": "hall"}}))

    assert one.value.hint == (f"did you mean 'hall'?; check it: saniwa scenario check '{file}'")
    assert "did you mean 'hall'?; 1 more error" == two.value.hint


def test_the_registry_id_must_be_the_name(tmp_path: Path) -> None:
    """Loading through an entry compares the id with the name."""
    text = json.dumps(make_flat(name="house"))
    entry = _write_registry(tmp_path, "flat.json", text).resolve("flat")

    with pytest.raises(SchemaValidationError) as caught:
        load_scenario(entry)

    assert "SCENARIO_ID_MISMATCH" == caught.value.code.value


def test_a_missing_file_and_a_broken_file_are_distinguished(tmp_path: Path) -> None:
    """A missing file and an unreadable file are different errors."""
    (tmp_path / "broken.json").write_text("{")

    with pytest.raises(SchemaValidationError) as missing:
        load_scenario(tmp_path / "missing.json")
    with pytest.raises(DocumentError) as broken:
        load_scenario(tmp_path / "broken.json")

    assert "SCENARIO_FILE_NOT_FOUND" == missing.value.code.value
    assert "DOCUMENT_SYNTAX" == broken.value.code


def test_what_the_room_does_not_know_is_kept_as_it_is() -> None:
    """Rulebook, script and process are kept as written, for other packages to read."""
    parts = {"rulebook": "strict", "script": "a.md", "process": {"id": "p"}}
    loaded = load_scenario(make_flat(gm_opening_message="Hello.", **parts))

    assert ("strict", "a.md", {"id": "p"}, "Hello.") == (
        loaded.rulebook,
        loaded.script,
        loaded.process,
        loaded.opening,
    )
    assert "Hi." == load_scenario(make_flat(gmOpeningMessage="Hi.")).opening
    assert (None, "") == (load_scenario(make_flat()).rulebook, load_scenario(make_flat()).opening)


def test_a_kept_document_gives_the_same_world_again() -> None:
    """A stored document gives the same world again."""
    loaded = load_scenario(make_flat(props={"cup": {"location": "hall"}}))

    again = load_scenario(json.loads(json.dumps(loaded.document))).world

    assert compute_fingerprint(loaded.world) == compute_fingerprint(again)


def test_the_order_of_keys_and_lists_is_no_part_of_a_hash() -> None:
    """The order of keys and lists changes no hash."""
    one = make_flat(notes="x", props={"a": {"location": "hall"}, "b": {"location": "hall"}})
    other = dict(reversed(one.items())) | {
        "props": {"b": {"location": "hall"}, "a": {"location": "hall"}}
    }

    assert load_scenario(one).scenario_hash == load_scenario(other).scenario_hash
    assert load_scenario(one).world_hash == load_scenario(other).world_hash


def test_words_around_the_world_change_only_the_scenario_hash() -> None:
    """Notes change only the scenario hash; a lock changes both."""
    plain, noted = load_scenario(make_flat()), load_scenario(make_flat(notes="a word"))
    locked = load_scenario(
        make_flat(props={"gate": {"kind": "door", "connects": ["hall", "kitchen"]}})
    )

    assert plain.world_hash == noted.world_hash
    assert plain.scenario_hash != noted.scenario_hash
    assert plain.world_hash != locked.world_hash


def test_the_record_of_a_run_has_the_contract_s_fields(tmp_path: Path) -> None:
    """`run_meta` has the contract's fields and no absolute path."""
    entry = _write_registry(tmp_path, "flat.json", json.dumps(make_flat())).resolve("flat")
    loaded = load_scenario(entry)

    meta = loaded.to_meta()

    assert {
        "scenario_id": "flat",
        "scenario_path": "flat.json",
        "scenario_resolved_path": "flat.json",
        "registry_path": "registry.yaml",
        "scenario_hash": loaded.scenario_hash,
        "world_hash": loaded.world_hash,
        "world_summary": {
            "counts": {"locations": 2, "objects": 0, "characters": 1},
            "objects_top10": [],
            "locations": ["kitchen", "hall"],
        },
        "validation_passed": True,
        "validation_errors": [],
    } == json.loads(json.dumps(meta))


@pytest.mark.skipif(not _ORIGIN.exists(), reason="THE AUTHOR'S FILE IS NOT HERE: ../shared/data")
def test_the_author_s_own_file_has_its_published_hashes() -> None:
    """Both hashes of the published `coffee_trap` are reproduced."""
    loaded = load_scenario(_ORIGIN)

    assert "680ccdbaa2ac4618" == loaded.scenario_hash
    assert "4f45a5f08875044b" == loaded.world_hash


@pytest.mark.parametrize("enabled", [True, False])
def test_loading_leaves_the_collector_as_it_found_it(enabled: bool) -> None:
    """The garbage collector is switched back after loading, also after an error."""
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        load_scenario(make_flat())
        after_good = gc.isenabled()
        with pytest.raises(SchemaValidationError):
            load_scenario({})
        after_bad = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()

    assert (enabled, enabled) == (after_good, after_bad)


def test_the_collector_does_not_run_while_a_scenario_is_read() -> None:
    """The garbage collector runs at most once while a scenario of 100,000 things is read."""
    runs: list[str] = []

    def watch(phase: str, _: dict[str, int]) -> None:
        runs.append(phase)

    props = {f"t{n}": {"location": "hall"} for n in range(3000)}
    gc.callbacks.append(watch)
    try:
        load_scenario(make_flat(props=props))
    finally:
        gc.callbacks.remove(watch)

    # One delayed run may follow.
    assert runs.count("start") <= 1


def test_reading_costs_what_there_is_to_read() -> None:
    """Twice as many things take about twice as many steps, not four times."""
    steps = [_count_steps(500), _count_steps(1000)]

    assert steps[1] < 2.5 * steps[0]


def _count_steps(count: int) -> int:
    """The number of Python calls of a load, which does not depend on the machine."""
    props = {
        f"t{n}": {"location": "hall" if n % 2 else f"t{n + 1}", "kind": "container"}
        for n in range(count)
    }
    watch = cProfile.Profile()
    watch.enable()
    load_scenario(make_flat(props=props))
    watch.disable()
    return int(pstats.Stats(watch).total_calls)  # type: ignore[attr-defined]


def test_a_scenario_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    """A scenario without a name is named by the registry or its file, with a warning."""
    nameless = {key: value for key, value in make_flat().items() if key != "name"}
    registry = _write_registry(tmp_path, "apartment.json", json.dumps(nameless))
    entry = registry.resolve("flat")
    loaded = [
        load_scenario(entry),
        load_scenario(tmp_path / "apartment.json"),
        load_scenario(nameless),
    ]

    assert ["flat", "apartment", "scenario"] == [scenario.id for scenario in loaded]
    assert {("FIELD_MISSING", "warning")} == {
        (found.code, found.severity) for scenario in loaded for found in scenario.report.findings
    }
    assert "name" not in loaded[0].document
