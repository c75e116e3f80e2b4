"""A story world that stays true while people and language models live in it.

The names below are the public ones; each is imported when it is first used. The types of
what you write, receive, implement, catch and test with are in `saniwa.definitions`,
`saniwa.results`, `saniwa.ports`, `saniwa.errors` and `saniwa.testing`. Everything else is
internal.
"""

import importlib

_MODULES = ("definitions", "errors", "ports", "results", "testing")
# `make api` writes `__init__.pyi` from this table: type checkers do not run `__getattr__`.
_HOMES = {
    "Action": "saniwa.world.actions",
    "Agent": "saniwa.agent.loop.lifecycle",
    "AgentDefinition": "saniwa.agent.definition",
    "AgentError": "saniwa.core.errors",
    "AgentLimits": "saniwa.agent.definition",
    "AgentResult": "saniwa.agent.layer_contracts",
    "BuildOptions": "saniwa.agent.layer_contracts",
    "Cast": "saniwa.app.agent_cast",
    "CellOutcome": "saniwa.experiment.cell_outcome",
    "Claim": "saniwa.process.artifact",
    "Concurrency": "saniwa.app.experiments.experiment_resources",
    "DefaultAgentFactory": "saniwa.agent.loop.lifecycle",
    "Experiment": "saniwa.app.experiments.folder",
    "ExperimentPlan": "saniwa.experiment.plan",
    "Finding": "saniwa.core.findings",
    "Gate": "saniwa.process.gate",
    "HybridListener": "saniwa.agent.model_listener",
    "Mind": "saniwa.agent.mind.mind",
    "ModelNarrator": "saniwa.agent.narration.narrator",
    "ModelSettings": "saniwa.agent.definition",
    "OracleBridge": "saniwa.agent.bridge",
    "OracleMessage": "saniwa.models.oracle",
    "OracleRequest": "saniwa.models.oracle",
    "Player": "saniwa.story.player",
    "PreparedPlan": "saniwa.experiment.plan",
    "Process": "saniwa.process.definition",
    "QueryOptions": "saniwa.agent.layer_contracts",
    "Registry": "saniwa.scenario.registry",
    "Report": "saniwa.core.findings",
    "Resumption": "saniwa.story.saves",
    "Rulebook": "saniwa.rulebook.book",
    "Run": "saniwa.runs.run",
    "RunService": "saniwa.app.run_service",
    "SaniwaError": "saniwa.core.errors",
    "Scenario": "saniwa.scenario.loader",
    "ScenarioEntry": "saniwa.scenario.registry",
    "SchemaValidationError": "saniwa.core.errors",
    "SharedModels": "saniwa.app.model_factory",
    "SpokenWords": "saniwa.turn.record",
    "StandIn": "saniwa.experiment.stand_in.character",
    "StandInFaults": "saniwa.experiment.plan",
    "StartOptions": "saniwa.agent.layer_contracts",
    "StepResult": "saniwa.story.step_result",
    "Story": "saniwa.story.story",
    "StoryPlaying": "saniwa.runs.story_playing",
    "Turn": "saniwa.turn.record",
    "TurnOutcome": "saniwa.turn.play",
    "ValidationErrorCode": "saniwa.core.errors",
    "ValidationResult": "saniwa.scenario.loader",
    "Verdict": "saniwa.rulebook.verdict",
    "World": "saniwa.world.model",
    "build_opening_mind": "saniwa.agent.mind.perception",
    "build_plan_task": "saniwa.app.environments",
    "build_rulebook": "saniwa.rulebook.loader",
    "build_scenario_task": "saniwa.app.environments",
    "build_view": "saniwa.agent.mind.character_view",
    "compute_fingerprint": "saniwa.world.fingerprint",
    "compute_short_hash": "saniwa.core.canonical_json",
    "compute_world_hash": "saniwa.world.fingerprint",
    "encode_canonical_json": "saniwa.core.canonical_json",
    "find_admissible_actions": "saniwa.rulebook.judge",
    "find_experiment": "saniwa.app.experiments.folder",
    "guard_function": "saniwa.integrations.function_adapters",
    "judge": "saniwa.rulebook.judge",
    "load_story": "saniwa.app.story_opening",
    "load_word_vectors": "saniwa.agent.mind.text_similarities",
    "make_agent_function": "saniwa.integrations.function_adapters",
    "make_environment": "saniwa.app.environments",
    "make_multi_agent_environment": "saniwa.app.environments",
    "make_web_app": "saniwa.http",
    "narrate": "saniwa.turn.narration",
    "open_agent": "saniwa.app.agent_lookup",
    "open_bridge": "saniwa.app.model_factory",
    "open_gate": "saniwa.app.gate.gate_opening",
    "open_rulebook": "saniwa.app.scenario_lookup",
    "open_scenario": "saniwa.app.scenario_lookup",
    "open_story": "saniwa.app.story_opening",
    "open_table_models": "saniwa.app.model_factory",
    "open_toolbox": "saniwa.app.agent_tools",
    "parse": "saniwa.language.parse",
    "parse_reply_claims": "saniwa.turn.model_reply",
    "parse_story": "saniwa.story.story",
    "parse_translations": "saniwa.story.tools.translation",
    "perceive": "saniwa.agent.mind.perception",
    "play_turn": "saniwa.turn.play",
    "prepare_plan": "saniwa.app.experiments.plan_preparation",
    "preview_turn": "saniwa.turn.preview",
    "read_outcomes": "saniwa.app.experiments.experiment_run",
    "read_outcomes_from_log": "saniwa.integrations.table_export",
    "read_plan": "saniwa.experiment.plan_reader",
    "read_process": "saniwa.process.reader",
    "read_reply": "saniwa.turn.model_reply",
    "read_save": "saniwa.story.saves",
    "read_story": "saniwa.story.story",
    "read_translations": "saniwa.story.tools.translation",
    "recall_memories": "saniwa.agent.mind.character_view",
    "register_environments": "saniwa.app.environments",
    "resolve_layers": "saniwa.rulebook.loader",
    "restore_player": "saniwa.story.saves",
    "restore_world": "saniwa.world.snapshot",
    "resume_experiment": "saniwa.app.experiment_start_and_resume",
    "resume_story": "saniwa.app.story_opening",
    "run_experiment": "saniwa.app.experiment_start_and_resume",
    "save_player": "saniwa.story.saves",
    "take_snapshot": "saniwa.world.snapshot",
    "translate_story": "saniwa.story.tools.translation",
    "validate_scenario": "saniwa.scenario.loader",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - made from the table above


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"saniwa.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'saniwa' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]
