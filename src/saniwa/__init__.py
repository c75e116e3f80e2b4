"""A story world that stays true while people and language models live in it.

The names below are the public ones; they are imported when they are first asked for.
"""

import importlib
from typing import Any

_HOMES = {
    "Action": "saniwa.world.action",
    "Agent": "saniwa.agent.looping.agent",
    "AgentDefinition": "saniwa.agent.definition",
    "AgentError": "saniwa.core.errors",
    "AgentResult": "saniwa.agent.progress",
    "Bridge": "saniwa.agent.bridges.bridge",
    "BuildOptions": "saniwa.agent.contract",
    "Claim": "saniwa.process.artifact",
    "Experiment": "saniwa.wiring.experiment.folder",
    "Factory": "saniwa.agent.looping.factory",
    "Faults": "saniwa.experiment.plan",
    "Finding": "saniwa.core.finding",
    "Gate": "saniwa.process.gate",
    "Hands": "saniwa.wiring.experiment.crew",
    "Message": "saniwa.agent.oracle",
    "Mind": "saniwa.agent.belief.mind",
    "Outcome": "saniwa.experiment.outcome",
    "Parts": "saniwa.wiring",
    "Performance": "saniwa.run.performance",
    "Plan": "saniwa.experiment.plan",
    "Played": "saniwa.turn.play",
    "Player": "saniwa.script.playing.player",
    "Prepared": "saniwa.experiment.plan",
    "Process": "saniwa.process.definition",
    "Registry": "saniwa.scenario.registry",
    "Report": "saniwa.core.finding",
    "Request": "saniwa.agent.oracle",
    "Resumption": "saniwa.script.playing.state",
    "Rulebook": "saniwa.rulebook.book",
    "Run": "saniwa.run.conductor",
    "SaniwaError": "saniwa.core.errors",
    "Scenario": "saniwa.scenario.load",
    "ScenarioEntry": "saniwa.scenario.entry",
    "SchemaValidationError": "saniwa.core.errors",
    "StandIn": "saniwa.experiment.standin.oracle",
    "StartOptions": "saniwa.agent.contract",
    "StepResult": "saniwa.script.directive",
    "Story": "saniwa.script.story",
    "Turn": "saniwa.turn.trace",
    "ValidationErrorCode": "saniwa.core.errors",
    "ValidationResult": "saniwa.scenario.result",
    "Verdict": "saniwa.rulebook.verdict",
    "Words": "saniwa.turn.trace",
    "World": "saniwa.world.model",
    "admissible": "saniwa.rulebook.admissible",
    "book_from_layers": "saniwa.rulebook.load",
    "canonical": "saniwa.core.fingerprint",
    "company": "saniwa.wiring.abroad",
    "environment": "saniwa.wiring.abroad",
    "find_experiment": "saniwa.wiring.experiment.folder",
    "fingerprint": "saniwa.world.canonical",
    "judge": "saniwa.rulebook.judge",
    "layers_of": "saniwa.rulebook.load",
    "load_story": "saniwa.wiring.story",
    "open_agent": "saniwa.wiring.agents",
    "open_bridge": "saniwa.wiring.model",
    "open_gate": "saniwa.wiring.gate",
    "open_scenario": "saniwa.wiring",
    "open_story": "saniwa.wiring.story",
    "opening_mind": "saniwa.agent.belief.mind",
    "outcomes_in_log": "saniwa.experiment.abroad.inspect_log",
    "parse": "saniwa.turn.parse",
    "perceive": "saniwa.agent.belief.mind",
    "plan_task": "saniwa.wiring.abroad",
    "play_experiment": "saniwa.wiring.experiment.at_once",
    "play_turn": "saniwa.turn.play",
    "prepare": "saniwa.wiring.experiment.prepare",
    "put_down": "saniwa.script.playing.state",
    "read_outcomes": "saniwa.wiring.experiment.at_once",
    "read_plan": "saniwa.experiment.authoring.reading",
    "read_process": "saniwa.process.authoring.reading",
    "read_state": "saniwa.script.playing.state",
    "read_story": "saniwa.script.story",
    "register_environments": "saniwa.wiring.abroad",
    "restore": "saniwa.world.snapshot",
    "resume_experiment": "saniwa.wiring.experiment.at_once",
    "resume_story": "saniwa.wiring.story",
    "scenario_task": "saniwa.wiring.abroad",
    "short_hash": "saniwa.core.fingerprint",
    "snapshot": "saniwa.world.snapshot",
    "story_of": "saniwa.script.story",
    "take_up": "saniwa.script.playing.state",
    "validate_scenario": "saniwa.scenario.result",
    "world_hash": "saniwa.world.canonical",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - made from the table above, which a test keeps true


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'saniwa' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__]
