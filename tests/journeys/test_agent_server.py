"""The example's agent with an OpenAI-compatible server, by one option."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.model_server import ModelServer
from tests.house.pages import ROOT
from tests.journeys.gate_terminal import answer_of

_EXAMPLE = ROOT / "examples" / "worker"
_READ: list[Any] = yaml.safe_load((_EXAMPLE / "answers.yaml").read_text())


def test_a_server_leads_the_agent_to_its_review(tmp_path: Path) -> None:
    """The server calls tools as OpenAI's format does; the measurement is the command's."""
    shutil.copytree(_EXAMPLE, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".state_gate" / "processes").mkdir(parents=True)
    shutil.copy(_EXAMPLE / "survey.yaml", tmp_path / ".state_gate" / "processes")
    answers = iter(_READ)

    def reply(_: str) -> str:
        answer = next(answers)
        return answer if isinstance(answer, str) else json.dumps(answer["calls"])

    with ModelServer(reply) as server:
        server.plan(*("ok" if isinstance(each, str) else "call" for each in _READ))
        words = ("--allow-tool", "measure", "--model-url", f"{server.url}/v1")
        ended = answer_of(tmp_path, "agent", "run", "./surveyor", "--process", "survey", *words)
        heard = [each.body for each in server.heard]

    assert "[AGENT_WAITING] reviewer must act in 'review'" in ended.out, ended.err
    assert "measure" in [each["function"]["name"] for each in heard[0]["tools"]]
    told = [m["content"] for each in heard for m in each["messages"] if m["role"] == "tool"]
    assert any("words_per_sentence" in each for each in told)
    (measured,) = tmp_path.rglob("measurement.json")
    counted = json.loads(measured.read_text())["drafts"]
    assert {"harbour.md": 6.0, "tower.md": 27.0} == {
        name: each["words_per_sentence"] for name, each in counted.items()
    }


def test_an_agent_that_repeats_itself_is_stopped_and_says_why(tmp_path: Path) -> None:
    """Five times the same invented measurement: the error has the reason of the refusal."""
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
