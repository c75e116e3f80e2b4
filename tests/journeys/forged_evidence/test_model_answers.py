"""Invented answers of a model, sent as the results of an experiment: none are accepted."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from saniwa.app.experiment_start_and_resume import resume_experiment, run_experiment
from tests.fakes.model_server import ModelServer
from tests.house.pages import run_documented
from tests.journeys.forged_evidence.forger import DOORS, ForgedEvent, ForgedProject, Forger
from tests.journeys.forged_evidence.forgeries import REVIEW_PLAN


class ModelProject(NamedTuple):
    """A project with runs of one experiment with a model."""

    about: ForgedProject
    signed: str
    """Run by a person, with a signature."""
    again: str
    """The same plan, run by the person again, with other answers."""
    invented: str
    """The same plan, with answers that an agent invented."""
    own: str
    """The same, signed by a person of that name in the agent's own list of people."""


def _answer_kindly(asked: str) -> str:
    return f"Thought: {len(asked)}\nOutput: *look around* Good morning."


def _answer_grandly(asked: str) -> str:
    return f"Thought: {len(asked)}\nOutput: *take the cup* I have won."


@pytest.fixture(scope="module")
def model_project(tmp_path_factory: pytest.TempPathFactory) -> ModelProject:
    """Run one plan several times against a server."""
    folder = tmp_path_factory.mktemp("signed")
    gate = folder / ".state_gate"
    made = []
    run_documented("saniwa gate people add ann --role reviewer --token-file ann.key", folder)
    add = "saniwa gate people add ann --role reviewer --token-file own.key"
    run_documented(f"STATE_GATE_PEOPLE=own.json {add}", folder)
    ann = (folder / "ann.key").read_text("utf-8").strip()
    with ModelServer(_answer_kindly) as server, pytest.MonkeyPatch.context() as shell:
        shell.setenv("SANIWA_GATE", str(gate))
        hosts = {"model_hosts": [server.url.removeprefix("http://")]}
        (gate / "state-gate.json").write_text(json.dumps(hosts), encoding="utf-8")
        plan = REVIEW_PLAN | {"scenarios": ["coffee_trap"], "seeds": 2, "max_turns": 1}
        plan |= {"mode": "real", "model": "openai-compatible:m", "llm_url": f"{server.url}/v1"}
        own = (folder / "own.key").read_text("utf-8").strip()
        runs = [(_answer_kindly, ann), *((_answer_grandly, key) for key in (ann, None, own))]
        for reply, key in runs:
            server.reply = reply
            if key is own:
                shell.setenv("STATE_GATE_PEOPLE", str(folder / "own.json"))
            run = run_experiment(plan, output=folder / "results", report=False, credential=key)
            made.append(f"results/{asyncio.run(run).folder.name}")
    meta = json.loads((folder / made[0] / "run_meta.json").read_text("utf-8"))
    return ModelProject(ForgedProject(folder, {}, "", meta, "", {}), *made)


def _forge_signatures(project: ModelProject) -> Iterator[str]:
    """Folders whose answers were not signed on arrival, whatever their signatures say."""
    folder = project.about.folder
    yield from (project.invented, project.own)

    def copy_folder(source: str, name: str) -> Path:
        shutil.copytree(folder / source, folder / "results" / name)
        return folder / "results" / name

    def list_signatures(place: Path) -> list[Path]:
        return sorted((place / "signatures").glob("*.json"))

    def write_results(place: Path) -> str:
        asyncio.run(resume_experiment(str(place), report=False))
        return f"results/{place.name}"

    # The signatures of other answers, all of them or one.
    place = copy_folder(project.invented, "lent")
    shutil.copytree(folder / project.signed / "signatures", place / "signatures")
    yield write_results(place)
    place = copy_folder(project.signed, "half_invented")
    cell = sorted((place / "cells").glob("*.json"))[0]
    shutil.copy(folder / project.invented / "cells" / cell.name, cell)
    yield write_results(place)
    # True cells of two runs, of which the better one is taken each time.
    place = copy_folder(project.signed, "mixed")
    for kind in ("cells", "signatures"):
        shutil.copy(folder / project.again / kind / cell.name, place / kind / cell.name)
    yield write_results(place)
    # Signatures that are invented, made with another secret, or made for another cell.
    changes: list[Callable[[list[dict[str, Any]]], Any]] = [
        lambda signatures: signatures[0].update(by="bea"),
        lambda signatures: signatures[0].update(mac="0" * 64),
        lambda signatures: signatures[0].update(mac=""),
        lambda signatures: signatures[0].update(run="another"),
        lambda signatures: signatures[0].update(signatures[1]),
        lambda signatures: signatures[0].clear(),
    ]
    for number, change in enumerate(changes):
        place = copy_folder(project.signed, f"changed_{number}")
        signatures = [json.loads(each.read_text("utf-8")) for each in list_signatures(place)]
        change(signatures)
        list_signatures(place)[0].write_text(json.dumps(signatures[0]), encoding="utf-8")
        yield f"results/{place.name}"
    place = copy_folder(project.signed, "linked")
    list_signatures(place)[0].unlink()
    list_signatures(place)[0].with_name(cell.name).symlink_to(
        list_signatures(folder / project.signed)[0]
    )
    yield f"results/{place.name}"
    place = copy_folder(project.signed, "unsigned")
    shutil.rmtree(place / "signatures")
    yield f"results/{place.name}"


def _review(project: ModelProject, results: str, door: str) -> tuple[str, str]:
    """Have an experiment of a model reviewed; returns its final state and the gate's reason.

    Its results are submitted through one interface; the reviewer approves everything.
    """
    forger = Forger(project.about, "experiment_review")
    forger.send_true("submit_plan", plan=REVIEW_PLAN | {"seeds": 2})
    claims = [{"type": "run_meta", "content": project.about.run_meta}]
    assert forger.try_door(door, ForgedEvent("submit_results", {}, {"results": results}), claims)
    forger.send_true("submit_report", report="coffee_trap: it is so.")
    why = forger.send_approval()
    forger.close()
    return forger.state, why


def test_invented_answers_of_a_model_are_not_reviewed(model_project: ModelProject) -> None:
    """Answers that no person signed on arrival are not reviewed, though a replay accepts them."""
    outcomes = {}
    for results, door in zip(_forge_signatures(model_project), cycle(DOORS), strict=False):
        outcomes[results] = _review(model_project, results, door)

    wrong = {k: v for k, v in outcomes.items() if v[0] != "reported" or "are claimed" not in v[1]}
    assert {} == wrong
    assert len(outcomes) > 2 * len(DOORS)


@pytest.mark.parametrize("door", DOORS)
def test_neither_door_lets_invented_answers_of_a_model_through(
    model_project: ModelProject, door: str
) -> None:
    """At every interface invented answers are refused and signed answers accepted."""
    assert "reported" == _review(model_project, model_project.invented, door)[0]
    assert ("reviewed", "") == _review(model_project, model_project.signed, door)


_LENIENT = """
process_id: lenient
version: "1"
name: Lenient
states: [look, keep, {name: done, is_final: true}]
events: [{name: go, allowed_roles: [agent]}]
transitions:
  - {from: look, event: go, to: keep, guard: replayed}
  - {from: keep, event: go, to: done, guard: attested}
guards:
  replayed:
    {type: check, kind: experiment_report, subject: RESULTS, keep_as: kept, accept_claims: true}
  attested: {type: artifact, artifact_type: kept, condition: exists, made_by: gate}
artifacts: [kept]
"""


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_process_that_accepts_claims_keeps_them_as_claims(
    model_project: ModelProject, *, is_signed: bool
) -> None:
    """A process may accept unsigned answers as claims, but the gate does not attest them."""
    results = model_project.signed if is_signed else model_project.invented
    place = model_project.about.folder / ".state_gate" / "processes"
    place.mkdir(exist_ok=True)
    (place / "lenient.yaml").write_text(_LENIENT.replace("RESULTS", results), encoding="utf-8")
    forger = Forger(model_project.about, "lenient")

    assert forger.try_door("library", ForgedEvent("go", {}, {}), [])
    assert is_signed == forger.try_door("library", ForgedEvent("go", {}, {}), [])
    assert (["kept"] if is_signed else []) == forger.list_attested()
    forger.close()
