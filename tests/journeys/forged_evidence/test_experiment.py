"""Invented evidence, sent to `experiment` through every interface: none of it is accepted."""

from typing import Any

import pytest

from tests.journeys.forged_evidence.forger import DOORS, FEWEST, ForgedEvent, ForgedProject, Forger
from tests.journeys.forged_evidence.forgeries import (
    DECISION_PLAN,
    FINAL,
    forge_results,
    list_moves,
    repeat_forgeries,
)


def test_nothing_invented_gets_an_experiment_decided(project: ForgedProject) -> None:
    """Without a real folder of results and true documents about it, no decision is accepted."""
    counted = 0
    plan = DECISION_PLAN | {"fingerprint": project.read_fingerprint(project.results)}
    report = f"It is so: {plan['fingerprint']}."
    for folder in (project.results, "", "results"):
        forger = Forger(project, "experiment", folder)
        forger.send_true("submit_plan", plan=plan)
        documents = list(forge_results(project))
        documents += [] if folder else [project.run_meta]
        for forged in repeat_forgeries(
            ForgedEvent("submit_results", {"run_meta": each}, {}) for each in documents
        ):
            if forger.forge(forged):
                forger.send_true("submit_report", report=report)
                forger.send_true("submit_synthesis", synthesis={"claim": "x", "confidence": "low"})
                forger.send_true("submit_decision", decision="Do it.")
                forger.send_approval()
                assert "decide" == forger.state, forged
                forger.send_rejection()
        for forged in repeat_forgeries(list_moves("submit_results")):
            assert not forger.forge(forged), forged
        assert forger.state not in FINAL
        assert set(DOORS) == set(forger.sent)
        counted += forger.sent.total()
        forger.close()
    assert counted >= FEWEST


def test_a_plan_or_a_report_of_another_experiment_is_not_decided_on(project: ForgedProject) -> None:
    """A plan or report with the fingerprint of another experiment is not decided on."""
    own, other = map(project.read_fingerprint, (project.results, project.other_results))
    outcomes = []
    for plan, report in [(other, other), (own, other), (other, own), (own, own)]:
        forger = Forger(project, "experiment", project.results)
        forger.send_true("submit_plan", plan=DECISION_PLAN | {"fingerprint": plan})
        forger.send_true("submit_results", run_meta=project.run_meta)
        forger.send_true("submit_report", report=f"Fingerprint `{report}`: it is so.")
        forger.send_true("submit_synthesis", synthesis={"claim": "x", "confidence": "low"})
        forger.send_true("submit_decision", decision="Do it.")
        forger.send_approval()
        outcomes.append(forger.state)
        forger.close()

    assert ["decide", "decide", "decide", "done"] == outcomes


@pytest.mark.parametrize(
    "wrong",
    [
        {"seeds": 500},
        {"seeds": [0, 1]},
        {"conditions": ["A", "B", "C", "D"]},
        {"conditions": [{"name": "D", "model": "great"}]},
        {"scenarios": ["coffee_trap", "door_and_key"]},
    ],
)
def test_a_plan_that_says_more_than_ran_is_not_decided_on(
    project: ForgedProject, wrong: dict[str, Any]
) -> None:
    """A plan with the true fingerprint and one false field is not decided on."""
    own = project.read_fingerprint(project.results)
    forger = Forger(project, "experiment", project.results)
    forger.send_true("submit_plan", plan=DECISION_PLAN | {"fingerprint": own} | wrong)
    forger.send_true("submit_results", run_meta=project.run_meta)
    forger.send_true("submit_report", report=f"Fingerprint `{own}`: it is so.")
    forger.send_true("submit_synthesis", synthesis={"claim": "x", "confidence": "low"})
    forger.send_true("submit_decision", decision="Do it.")

    forger.send_approval()

    assert "decide" == forger.state
    forger.close()
