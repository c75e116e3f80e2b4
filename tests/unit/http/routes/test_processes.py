from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from saniwa.http.application import make_app
from tests.fakes.workspaces import make_workspace

BROKEN = """\
process_id: broken
version: "1"
name: Broken
states: [{name: a}, {name: b, is_final: true}]
events: [{name: go, allowed_roles: [agent]}]
transitions: [{from: a, event: go, to: nowhere}]
"""


def ask_processes(folder: Path, path: str = "", **query: Any) -> Any:
    """The server's answer about processes of a folder."""
    client = TestClient(make_app(make_workspace(folder)))
    return client.get(f"/api/v1/processes{path}", params=query).json()


def write(folder: Path, name: str, text: str) -> None:
    """Write a definition where the gate looks for it."""
    file = folder / "gate" / "processes" / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_shipped_processes_are_listed_by_id(tmp_path: Path) -> None:
    """Shipped processes are listed by id."""
    items = ask_processes(tmp_path)["items"]

    assert sorted(each["process_id"] for each in items) == [each["process_id"] for each in items]
    found = {each["process_id"]: each for each in items}["exploration"]
    assert ("Exploration", True, "") == (found["name"], found["shipped"], found["problem"])


def test_a_list_continues_behind_its_cursor(tmp_path: Path) -> None:
    """Pages follow each other without a gap, and the last has no next one."""
    whole = ask_processes(tmp_path)["items"]
    first = ask_processes(tmp_path, limit=1)
    rest = ask_processes(tmp_path, after=first["next"])

    assert whole == first["items"] + rest["items"]
    assert rest["next"] is None


def test_a_process_is_reported_with_its_graph(tmp_path: Path) -> None:
    """A process has its definition, roles, and a graph without positions."""
    told = ask_processes(tmp_path, "/exploration")
    nodes = {each["id"]: each["name"] for each in told["shape"]["graph"]["nodes"]}
    ways = [(nodes[each["start"]], nodes[each["end"]]) for each in told["shape"]["graph"]["edges"]]

    assert "frame" == nodes["n0"]
    assert ("decide", "done") in ways
    assert "exploration" == told["definition"]["process_id"]
    assert 64 == len(told["hash"])
    assert {"reviewer": True, "agent": False}.items() <= {
        each["name"]: each["person"] for each in told["shape"]["roles"]
    }.items()


def test_a_broken_process_reports_every_mistake(tmp_path: Path) -> None:
    """A broken process is listed with its first mistake, and read with all, without paths."""
    write(tmp_path, "broken", BROKEN)
    line = next(each for each in ask_processes(tmp_path)["items"] if each["process_id"] == "broken")
    told = ask_processes(tmp_path, "/broken")

    assert "DEAD_END" in line["problem"]
    assert told["shape"] is None
    found = {each["code"]: each for each in told["findings"]}
    assert ("broken.yaml", 6) == (
        found["INVALID_TRANSITION_TO"]["file"],
        found["INVALID_TRANSITION_TO"]["line"],
    )
    assert str(tmp_path) not in str(told)


def test_a_file_that_holds_another_process_says_so(tmp_path: Path) -> None:
    """A file with another process than its name says is listed with that problem."""
    write(tmp_path, "other", BROKEN.replace("nowhere", "b"))
    line = next(each for each in ask_processes(tmp_path)["items"] if each["process_id"] == "other")

    assert "'broken'" in line["problem"]


def test_an_unknown_process_is_not_found(tmp_path: Path) -> None:
    """An unknown process, and one outside the folder, is not found."""
    client = TestClient(make_app(make_workspace(tmp_path)))
    for name in ("nothing", "..", "%2e%2e%2fexploration", "exploration.yaml"):
        told = client.get(f"/api/v1/processes/{name}")
        assert 404 == told.status_code, name
