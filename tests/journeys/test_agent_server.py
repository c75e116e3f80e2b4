"""The example's agent, with a model server that calls tools, chosen by one option."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fakes.model_server import ModelServer
from tests.house.pages import ROOT
from tests.journeys.gate_terminal import answer_of, make_environment

_EXAMPLE = ROOT / "examples" / "worker"
_READ: list[Any] = yaml.safe_load((_EXAMPLE / "answers.yaml").read_text())


@pytest.mark.parametrize("provider", ["", "ollama"])
def test_a_server_leads_the_agent_to_its_review(provider: str, tmp_path: Path) -> None:
    """A model server that calls tools takes the agent to its review with a real measurement."""
    shutil.copytree(_EXAMPLE, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".state_gate" / "processes").mkdir(parents=True)
    shutil.copy(_EXAMPLE / "survey.yaml", tmp_path / ".state_gate" / "processes")
    answers = iter(_READ)

    def reply(_: str) -> str:
        answer = next(answers)
        return answer if isinstance(answer, str) else json.dumps(answer["calls"])

    with ModelServer(reply) as server:
        server.plan(*("ok" if isinstance(each, str) else "call" for each in _READ))
        model = ("--model", f"{provider}:any") if provider else ()
        words = ("--allow-tool", "measure", "--model-url", f"{server.url}/v1", *model)
        known = make_environment() | {"SANIWA_MODEL_KEY": "k"}
        run = ("agent", "run", "./surveyor", "--process", "survey")
        ended = answer_of(tmp_path, *run, *words, known=known)
        heard = [json.dumps(each.body) for each in server.heard]

    assert "not done[AGENT_WAITING]: reviewer must act in 'review'" in ended.out, ended.err
    assert '"name": "measure"' in heard[0]
    assert any("3b1a16fe6ac52d3e" in each for each in heard)
    (measured,) = tmp_path.rglob("measurement.json")
    counted = json.loads(measured.read_text())["drafts"]
    assert {"harbour.md": 6.0, "tower.md": 27.0} == {
        name: each["words_per_sentence"] for name, each in counted.items()
    }


def test_an_agent_that_repeats_itself_is_stopped_and_says_why(tmp_path: Path) -> None:
    """After five equal refusals the agent stops with the reason of the refusal."""
    shutil.copytree(_EXAMPLE, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".state_gate" / "processes").mkdir(parents=True)
    shutil.copy(_EXAMPLE / "survey.yaml", tmp_path / ".state_gate" / "processes")
    events = ("submit_plan", "submit_measurement")
    plan, guess = (next(each for each in _READ if event in str(each)) for event in events)
    (tmp_path / "stubborn.json").write_text(json.dumps([plan, *[guess] * 9]))

    words = ("--process", "survey", "--model", "canned:stubborn.json")
    ended = answer_of(tmp_path, "agent", "run", "./surveyor", *words)

    assert "[SUBMISSION_REPEATED]" in ended.out
    assert "'measurement.json' was made by agent" in ended.out
    assert 5 == ended.err.count("refused (GUARD_FAILED)")
