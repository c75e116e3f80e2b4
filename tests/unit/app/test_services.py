import asyncio
import json
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import msgspec
import pytest

from saniwa.app.run_service import RunService
from saniwa.app.run_stores import find_run, open_existing_store, open_store
from saniwa.app.scenario_lookup import (
    PROJECT_REGISTRY,
    inspect_book,
    list_own_books,
    load_book_layers,
    locate_shipped_registry,
    open_rulebook,
    open_scenario,
)
from saniwa.cli.servers import open_world_handler, render_published_schema
from saniwa.core.errors import DocumentError, RulebookError, SaniwaError, StoreError
from saniwa.scenario.registry import Registry
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.postgres_stores import PostgresRunStore
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.fakes.records import make_record
from tests.fakes.rulebooks import HANDS_OFF
from tests.fakes.runs import GARDEN, TAKE_KEY


def test_a_place_names_its_store(tmp_path: Path, postgres_url: str) -> None:
    """A path is SQLite, an address PostgreSQL, and `memory:` is in memory."""
    opened = [open_store("memory:"), open_store(tmp_path / "runs.db"), open_store(postgres_url)]
    for store in opened:
        store.close()

    assert [MemoryRunStore, SqliteRunStore, PostgresRunStore] == [type(s) for s in opened]


def test_another_kind_of_address_is_refused() -> None:
    """An unknown kind of address is refused, without its password."""
    with pytest.raises(StoreError) as caught:
        open_store("mysql://me:secret@host/runs")
    assert "STORE_UNKNOWN" == caught.value.code
    assert "secret" not in str(caught.value)


def test_a_first_run_makes_its_folder_and_a_reader_makes_nothing(tmp_path: Path) -> None:
    """Opening a store to write creates its folder; opening an existing one does not."""
    place = tmp_path / ".saniwa" / "runs.db"
    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        open_existing_store(place)
    assert not place.parent.exists()

    open_store(place).close()
    assert place.exists()
    open_existing_store(place).close()


def test_the_last_run_is_the_newest() -> None:
    """`last` is the run that was started last; without runs it is an error."""
    store = MemoryRunStore()
    with pytest.raises(StoreError, match="RUN_NOT_FOUND"):
        find_run(store, "last")
    store.create(make_record("run-old1", created=9))
    store.create(make_record("run-new1", created=3))

    assert "run-new1" == find_run(store, "last")
    assert "run-old1" == find_run(store, "old1")


def test_a_scenario_is_an_id_a_file_or_a_document(tmp_path: Path) -> None:
    """A scenario may be a file, a document, or an id of the registry."""
    file = tmp_path / "garden.json"
    file.write_text(json.dumps(GARDEN), encoding="utf-8")

    assert "garden" == open_scenario(str(file)).id
    assert "garden" == open_scenario(GARDEN).id
    assert "coffee_trap" == open_scenario("coffee_trap").id


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("cofee_trap", "REGISTRY_MISSING"),
        ("nowhere.yaml", "SCENARIO_FILE_NOT_FOUND"),
        ("", "REGISTRY_MISSING"),
    ],
)
def test_nothing_replaces_a_missing_scenario(named: str, code: str) -> None:
    """An unknown id or file is an error, and no other scenario is used."""
    with pytest.raises(SaniwaError) as caught:
        open_scenario(named)
    assert code == caught.value.code


def test_the_shipped_registry_opens_whole() -> None:
    """Every shipped scenario and its rulebook can be loaded."""
    names = [e.scenario_id for e in Registry.open(locate_shipped_registry()).entries]
    layers = {name: len(load_book_layers(open_scenario(name))) for name in names}

    assert "default" in layers
    assert all(layers.values())


BOOKS: list[tuple[Any, list[str]]] = [
    (None, ["default"]),
    ("strict", ["strict"]),
    (HANDS_OFF, ["default", "hands_off"]),
    (HANDS_OFF | {"extends": "strict"}, ["strict", "hands_off"]),
    (HANDS_OFF | {"extends": None}, ["hands_off"]),
]


@pytest.mark.parametrize(("spec", "expected"), BOOKS)
def test_a_scenarios_book_is_its_layers(spec: Any, expected: list[str]) -> None:
    """Nothing, a name or a document under `rulebook` gives the layers of a run."""
    scenario = open_scenario(GARDEN | ({"rulebook": spec} if spec else {}))

    assert expected == [layer["id"] for layer in load_book_layers(scenario)]


def test_a_book_in_a_file_is_found_next_to_its_scenario(tmp_path: Path) -> None:
    """A rulebook file is found relative to its scenario."""
    folder = tmp_path / "stories"
    folder.mkdir()
    (folder / "rules.json").write_text(json.dumps(HANDS_OFF), encoding="utf-8")
    file = folder / "garden.json"
    file.write_text(json.dumps(GARDEN | {"rulebook": "rules.json"}), encoding="utf-8")

    layers = load_book_layers(open_scenario(str(file)))

    assert ["default", "hands_off"] == [layer["id"] for layer in layers]


def test_a_chosen_book_replaces_or_extends(tmp_path: Path) -> None:
    """A chosen name replaces the scenario's book; a file or document is added to it."""
    scenario = open_scenario(GARDEN | {"rulebook": "strict"})
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(HANDS_OFF), encoding="utf-8")
    chosen = [load_book_layers(scenario, book) for book in ("default", HANDS_OFF, str(file))]

    assert [["default"], ["strict", "hands_off"], ["strict", "hands_off"]] == [
        [layer["id"] for layer in layers] for layers in chosen
    ]


@pytest.mark.parametrize("in_file", [False, True], ids=["document", "file"])
@pytest.mark.parametrize(
    ("extends", "expected"),
    [
        ("default", ["default", "hands_off"]),
        ("strict", ["strict", "hands_off"]),
        (None, ["hands_off"]),
    ],
)
def test_a_chosen_book_is_based_on_the_book_it_extends(
    extends: str | None, expected: list[str], in_file: bool, tmp_path: Path
) -> None:
    """A chosen file or document with `extends` replaces the scenario's book."""
    scenario = open_scenario(GARDEN | {"rulebook": "cooking"})
    book: Any = HANDS_OFF | {"extends": extends}
    if in_file:
        file = tmp_path / "rules.json"
        file.write_text(json.dumps(book), encoding="utf-8")
        book = str(file)

    assert expected == [layer["id"] for layer in load_book_layers(scenario, book)]


@pytest.fixture
def own_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the project's own books, one of them with `extends`."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / PROJECT_REGISTRY.parent / "rulebooks"
    folder.mkdir(parents=True)
    (folder / "laid.json").write_text(json.dumps(HANDS_OFF), encoding="utf-8")
    (folder / "whole.yaml").write_text(
        json.dumps(HANDS_OFF | {"extends": "strict"}), encoding="utf-8"
    )
    return folder


def test_a_book_of_the_project_goes_by_its_name(own_books: Path) -> None:
    """A project's book is chosen by its name, and scenarios may name it."""
    scenario = open_scenario(GARDEN | {"rulebook": "cooking"})
    named = open_scenario(GARDEN | {"rulebook": "whole"})
    chosen = [
        load_book_layers(scenario, "laid"),
        load_book_layers(scenario, "whole"),
        load_book_layers(named),
    ]

    assert chosen[0] == load_book_layers(scenario, str(own_books / "laid.json"))
    assert [["strict", "hands_off"]] * 2 == [
        [layer["id"] for layer in layers] for layers in chosen[1:]
    ]
    assert "hands_off" == open_rulebook("whole").id


def test_a_registry_has_books_of_its_own(own_books: Path, tmp_path: Path) -> None:
    """Own books are next to the registry; the shipped registry uses the project's."""
    other = tmp_path / "elsewhere" / "registry.yaml"
    scenario = open_scenario(GARDEN)
    shipped = locate_shipped_registry()

    assert ["laid", "whole"] == [*list_own_books()] == [*list_own_books(shipped)]
    assert own_books / "laid.json" == tmp_path / list_own_books(shipped)["laid"]
    with pytest.raises(RulebookError, match="RULE_UNKNOWN_BOOK"):
        load_book_layers(scenario, "laid", other)


def test_only_plain_files_with_names_of_their_own_are_books(own_books: Path) -> None:
    """A shipped name keeps its meaning, and of two files with a name the first is used."""
    for name in ("strict.yaml", "laid.yaml", "a b.yaml", ".hidden.yaml", "notes.txt"):
        (own_books / name).write_text("extends: default", encoding="utf-8")
    (own_books / "folder.yaml").mkdir()
    (own_books / "linked.yaml").symlink_to("laid.json")

    assert ["laid.json", "whole.yaml"] == [file.name for file in list_own_books().values()]
    assert open_rulebook("strict").id == "strict"


def test_a_misspelt_book_is_guessed_from_all_there_are(own_books: Path) -> None:
    """The suggestion for a misspelt book may be an own one."""
    assert own_books.is_dir()
    with pytest.raises(RulebookError) as caught:
        open_rulebook("whole_")
    assert "did you mean 'whole'?" == caught.value.hint


def test_a_chosen_book_that_extends_nothing_there_is_refused() -> None:
    """A chosen book with an unknown `extends` is refused, with the nearest name."""
    with pytest.raises(RulebookError) as refused:
        load_book_layers(open_scenario(GARDEN), HANDS_OFF | {"extends": "strickt"})

    assert "RULE_UNKNOWN_BOOK" == refused.value.code
    assert "strict" in refused.value.hint


@pytest.mark.parametrize("book", ["strickt", {"rules": 3}, {"rules": [{"x": 1}]}])
def test_a_book_that_is_invalid_is_refused_before_anything_begins(book: Any) -> None:
    """With an unknown or invalid book no run is created."""
    parts = RunService.open("memory:")

    with pytest.raises(RulebookError):
        parts.begin(GARDEN, book=book)
    assert [] == list(parts.store.list_runs())


def test_every_mistake_of_a_book_is_reported_with_its_place(tmp_path: Path) -> None:
    """Every mistake of a rulebook file is reported with its line."""
    file = tmp_path / "rules.yaml"
    file.write_text(
        "id: mine\nrules:\n  - actionType: fly\n  - actionType: swim\n", encoding="utf-8"
    )
    report = inspect_book(file)

    assert not report.has_passed
    assert {str(file)} == {finding.where.file for finding in report.findings}
    assert {3, 4} <= {finding.where.line for finding in report.findings}


def test_a_good_book_has_nothing_to_report(tmp_path: Path) -> None:
    """A valid rulebook file has no findings, and can be opened."""
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(HANDS_OFF), encoding="utf-8")

    assert inspect_book(file).has_passed
    assert open_rulebook(str(file)).fingerprint != open_rulebook("default").fingerprint


def test_a_book_that_is_not_json_is_reported(tmp_path: Path) -> None:
    """A malformed rulebook file is an error."""
    file = tmp_path / "rules.json"
    file.write_text("{", encoding="utf-8")

    with pytest.raises(DocumentError):
        inspect_book(file)


def test_a_run_is_started_and_continued(tmp_path: Path) -> None:
    """A run can be resumed with new services."""
    first = RunService.open(tmp_path / "runs.db")
    run = first.begin(GARDEN, actor="keeper", seed=7, language="ja")
    asyncio.run(run.act(TAKE_KEY | {"actorId": "keeper"}))
    first.close()
    second = RunService.open(tmp_path / "runs.db", must_exist=True)
    again = second.resume("last")

    assert run.record == again.record
    assert ("keeper", 7, "ja") == (again.actor, again.record.seed, again.world.language)
    assert 1 == again.count
    second.close()


def test_a_shipped_scenario_may_have_a_walkthrough() -> None:
    """Shipped scenarios have walkthroughs; other names have none."""
    parts = RunService.open("memory:")

    assert parts.read_walkthrough("door_and_key")
    assert () == parts.read_walkthrough("garden")
    assert () == parts.read_walkthrough("../walkthroughs/door_and_key")


@pytest.mark.parametrize("name", get_args(render_published_schema.__annotations__["name"]))
def test_what_is_published_is_a_schema(name: Any) -> None:
    """Every published schema is valid and names its draft."""
    schema = json.loads(render_published_schema(name))

    assert "https://json-schema.org/draft/2020-12/schema" == schema["$schema"]
    assert jsonschema_rs.meta.is_valid(schema)


def test_the_headless_door_opens_what_a_run_would() -> None:
    """The JSON Lines interface opens the same scenarios and books as a run."""
    door = open_world_handler()
    asked: list[tuple[Any, Any]] = [("coffee_trap", "strict"), (GARDEN, HANDS_OFF), ("x", None)]
    answers = []
    for named, book in asked:
        line = json.dumps({"op": "load", "scenario": named, "book": book})
        answers.append(json.loads(msgspec.json.encode(door.handle_line(line.encode()))))

    assert [True, True, False] == [answer["ok"] for answer in answers]
    assert "REGISTRY_MISSING" == answers[2]["error"]["code"]


@pytest.mark.parametrize("book", ["../book.yaml", "/etc/book.yaml", "link/book.yaml"])
def test_a_scenarios_book_stays_in_its_folder(tmp_path: Path, book: str) -> None:
    """A rulebook file outside the scenario's folder is refused."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "book.yaml").write_text("id: mine\nrules: []\n")
    (inner / "link").symlink_to(tmp_path)
    file = inner / "garden.json"
    file.write_text(json.dumps(GARDEN | {"rulebook": book}), encoding="utf-8")

    with pytest.raises(RulebookError) as caught:
        load_book_layers(open_scenario(str(file)))

    assert "RULE_BOOK_OUTSIDE" == caught.value.code
