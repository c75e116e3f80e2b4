"""Forgeries that are tried with several processes, and the plans of their experiments."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.fakes.nightly import NIGHTLY
from tests.journeys.forged_evidence.forger import DOORS, ForgedEvent, ForgedProject

NO_RUN = "run-00000000-0000-7000-8000-000000000000"
_PEOPLE_ONLY = ("approve", "reject", "override_guard", "withdraw", "abandon", "created", "migrated")
FINAL = ("published", "reviewed", "done")
REVIEW_PLAN: dict[str, Any] = {
    "experiment_id": "coffee_trap",
    "question": "?",
    "conditions": ["D"],
    "seeds": 1,
}
DECISION_PLAN: dict[str, Any] = {
    "experiment_id": "coffee_trap",
    "scenarios": ["coffee_trap"],
    "conditions": ["D"],
    "seeds": 1,
}


def repeat_forgeries(forgeries: Iterable[ForgedEvent]) -> Iterator[ForgedEvent]:
    """Each forgery once, or with `make nightly` once for each interface."""
    times = len(DOORS) if NIGHTLY else 1
    return (each for each in forgeries for _ in range(times))


def list_wrong(value: Any) -> list[Any]:
    """Values other than this one, with similar ones among them."""
    wrong: list[Any] = [None, [], [value], {"is": value}, "", 0, -1, True, False, 10**18, NO_RUN]
    if isinstance(value, str):
        near = [value + " ", value[:-1], value + "\u200b", value.upper(), f"../{value}"]
        wrong += [*near, value[::-1], f"{value}\n", "last", "0" * 16, "f" * 16]
    if isinstance(value, int):
        wrong += [value + 1, value - 1, str(value), value + 0.5, -value]
    if isinstance(value, list):
        wrong += [[{}], [*value, {"code": "X", "severity": "note"}], ["fine"]]
    same = json.dumps(value)
    return [each for each in wrong if json.dumps(each) != same]


def forge_each(document: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    """The document with one of these fields wrong, or missing."""
    for name in names:
        yield {key: value for key, value in document.items() if key != name}
        for wrong in list_wrong(document[name]):
            yield document | {name: wrong}


def list_moves(*events: str) -> list[ForgedEvent]:
    """Events that only people may send, and payloads that name a state or a role."""
    claims = ({"state": "done"}, {"to_state": "published"}, {"role": "reviewer"}, {"approved": 1})
    moves = [ForgedEvent(event, {}, {"reason": "fine"}) for event in _PEOPLE_ONLY]
    return moves + [ForgedEvent(event, {}, each) for event in events for each in claims]


def forge_results(project: ForgedProject) -> Iterator[dict[str, Any]]:
    """A true account of what was run, with one thing wrong in each."""
    name, true = next(iter(project.run_meta["run_meta"]["scenarios"].items()))
    names = ("scenario_id", "scenario_hash", "world_hash", "validation_passed")
    scenarios = [{name: each} for each in forge_each(true, *names)]
    scenarios += [{}, {name: true, "more": true}, {"other": true}, {name: true | {"played": 9}}]
    for each in scenarios:
        yield {"run_meta": {"scenarios": each}}


def write_other_scenario(registry: Path, name: str) -> Path:
    """Write a registry with another scenario of this name, which ends in the next room."""
    registry.parent.mkdir(parents=True)
    file = registry.with_name(f"{name}.json")
    ways = (("hall", "yard"), ("yard", "hall"))
    places = {one: {"name": one, "description": "Bare.", "exits": [to]} for one, to in ways}
    about: dict[str, Any] = {"name": name, "locations": places, "language": "en"}
    about |= {"clear_condition": {"type": "reach_location", "target": "yard"}}
    file.write_text(
        json.dumps(about | {"characters": {"ann": {"name": "Ann", "location": "hall"}}})
    )
    entries = [
        {"scenario_id": each, "path": file.name if each == name else None}
        for each in (name, "default")
    ]
    registry.write_text(json.dumps({"scenarios": entries}))
    return file


def write_loose_rules(folder: Path) -> Path:
    """Write a rulebook in which locked doors can be passed."""
    checks = [{"id": each, "enabled": False} for each in ("door_open", "door_unlocked")]
    path = folder / "loose.yaml"
    rules = [{"actionType": "move", "checks": checks}]
    path.write_text(json.dumps({"extends": "default", "rules": rules}))
    (folder / "north.txt").write_text("go north\n")
    return path
