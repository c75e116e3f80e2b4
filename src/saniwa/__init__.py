"""A story world that stays true while people and language models live in it.

The names below are the public ones; they are imported when they are first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The same list for type checkers and editors, which do not run `__getattr__`; a test
    # compares the two.
    from saniwa.agent.mind.mind import Mind as Mind
    from saniwa.agent.mind.perception import build_opening_mind as build_opening_mind
    from saniwa.agent.mind.perception import perceive as perceive
    from saniwa.agent.bridge import OracleBridge as OracleBridge
    from saniwa.agent.contract import BuildOptions as BuildOptions
    from saniwa.agent.contract import StartOptions as StartOptions
    from saniwa.agent.definition import AgentDefinition as AgentDefinition
    from saniwa.agent.loop.lifecycle import Agent as Agent
    from saniwa.agent.loop.lifecycle import DefaultAgentFactory as DefaultAgentFactory
    from saniwa.models.oracle import OracleMessage as OracleMessage
    from saniwa.models.oracle import OracleRequest as OracleRequest
    from saniwa.agent.contract import AgentResult as AgentResult
    from saniwa.core.errors import AgentError as AgentError
    from saniwa.core.errors import SaniwaError as SaniwaError
    from saniwa.core.errors import SchemaValidationError as SchemaValidationError
    from saniwa.core.errors import ValidationErrorCode as ValidationErrorCode
    from saniwa.core.findings import Finding as Finding
    from saniwa.core.findings import Report as Report
    from saniwa.core.json_values import encode_canonical_json as encode_canonical_json
    from saniwa.core.json_values import compute_short_hash as compute_short_hash
    from saniwa.integrations.export import read_outcomes_from_log as read_outcomes_from_log
    from saniwa.integrations.function_adapters import guard_function as guard_function
    from saniwa.integrations.function_adapters import make_agent_function as make_agent_function
    from saniwa.experiment.format.reader import read_plan as read_plan
    from saniwa.experiment.outcome import CellOutcome as CellOutcome
    from saniwa.experiment.plan import StandInFaults as StandInFaults
    from saniwa.experiment.plan import ExperimentPlan as ExperimentPlan
    from saniwa.experiment.plan import PreparedPlan as PreparedPlan
    from saniwa.experiment.stand_in.character import StandIn as StandIn
    from saniwa.process.artifact import Claim as Claim
    from saniwa.process.reader import read_process as read_process
    from saniwa.process.definition import Process as Process
    from saniwa.process.gate import Gate as Gate
    from saniwa.rulebook.admissible_actions import (
        find_admissible_actions as find_admissible_actions,
    )
    from saniwa.rulebook.book import Rulebook as Rulebook
    from saniwa.rulebook.book import judge as judge
    from saniwa.rulebook.loader import build_rulebook as build_rulebook
    from saniwa.rulebook.loader import resolve_layers as resolve_layers
    from saniwa.rulebook.verdict import Verdict as Verdict
    from saniwa.runs.run import Run as Run
    from saniwa.runs.story import StoryPlaying as StoryPlaying
    from saniwa.scenario.registry import ScenarioEntry as ScenarioEntry
    from saniwa.scenario.loader import Scenario as Scenario
    from saniwa.scenario.registry import Registry as Registry
    from saniwa.scenario.loader import ValidationResult as ValidationResult
    from saniwa.scenario.loader import validate_scenario as validate_scenario
    from saniwa.story.step_result import StepResult as StepResult
    from saniwa.story.player import Player as Player
    from saniwa.story.saves import Resumption as Resumption
    from saniwa.story.saves import save_player as save_player
    from saniwa.story.saves import read_save as read_save
    from saniwa.story.saves import restore_player as restore_player
    from saniwa.story.story import Story as Story
    from saniwa.story.story import read_story as read_story
    from saniwa.story.story import parse_story as parse_story
    from saniwa.language.parse import parse as parse
    from saniwa.turn.play import TurnOutcome as TurnOutcome
    from saniwa.turn.play import play_turn as play_turn
    from saniwa.turn.record import Turn as Turn
    from saniwa.turn.record import SpokenWords as SpokenWords
    from saniwa.app.runs import RunService as RunService
    from saniwa.app.scenarios import open_scenario as open_scenario
    from saniwa.app.integrations import make_multi_agent_environment as make_multi_agent_environment
    from saniwa.app.integrations import make_environment as make_environment
    from saniwa.app.integrations import build_plan_task as build_plan_task
    from saniwa.app.integrations import register_environments as register_environments
    from saniwa.app.integrations import build_scenario_task as build_scenario_task
    from saniwa.app.agents import open_agent as open_agent
    from saniwa.app.experiments.service import run_experiment as run_experiment
    from saniwa.app.experiments.service import read_outcomes as read_outcomes
    from saniwa.app.experiments.service import resume_experiment as resume_experiment
    from saniwa.app.experiments.executors import Concurrency as Concurrency
    from saniwa.app.experiments.folder import Experiment as Experiment
    from saniwa.app.experiments.folder import find_experiment as find_experiment
    from saniwa.app.experiments.preparation import prepare_plan as prepare_plan
    from saniwa.app.gate.access import open_gate as open_gate
    from saniwa.app.models import open_bridge as open_bridge
    from saniwa.app.stories import load_story as load_story
    from saniwa.app.stories import open_story as open_story
    from saniwa.app.stories import resume_story as resume_story
    from saniwa.world.actions import Action as Action
    from saniwa.world.canonical import compute_fingerprint as compute_fingerprint
    from saniwa.world.canonical import compute_world_hash as compute_world_hash
    from saniwa.world.model import World as World
    from saniwa.world.snapshot import restore_world as restore_world
    from saniwa.world.snapshot import take_snapshot as take_snapshot

_HOMES = {
    "Action": "saniwa.world.actions",
    "Agent": "saniwa.agent.loop.lifecycle",
    "AgentDefinition": "saniwa.agent.definition",
    "AgentError": "saniwa.core.errors",
    "AgentResult": "saniwa.agent.contract",
    "BuildOptions": "saniwa.agent.contract",
    "CellOutcome": "saniwa.experiment.outcome",
    "Claim": "saniwa.process.artifact",
    "Concurrency": "saniwa.app.experiments.executors",
    "DefaultAgentFactory": "saniwa.agent.loop.lifecycle",
    "Experiment": "saniwa.app.experiments.folder",
    "ExperimentPlan": "saniwa.experiment.plan",
    "Finding": "saniwa.core.findings",
    "Gate": "saniwa.process.gate",
    "Mind": "saniwa.agent.mind.mind",
    "OracleBridge": "saniwa.agent.bridge",
    "OracleMessage": "saniwa.models.oracle",
    "OracleRequest": "saniwa.models.oracle",
    "Player": "saniwa.story.player",
    "PreparedPlan": "saniwa.experiment.plan",
    "Process": "saniwa.process.definition",
    "Registry": "saniwa.scenario.registry",
    "Report": "saniwa.core.findings",
    "Resumption": "saniwa.story.saves",
    "Rulebook": "saniwa.rulebook.book",
    "Run": "saniwa.runs.run",
    "RunService": "saniwa.app.runs",
    "SaniwaError": "saniwa.core.errors",
    "Scenario": "saniwa.scenario.loader",
    "ScenarioEntry": "saniwa.scenario.registry",
    "SchemaValidationError": "saniwa.core.errors",
    "SpokenWords": "saniwa.turn.record",
    "StandIn": "saniwa.experiment.stand_in.character",
    "StandInFaults": "saniwa.experiment.plan",
    "StartOptions": "saniwa.agent.contract",
    "StepResult": "saniwa.story.step_result",
    "Story": "saniwa.story.story",
    "StoryPlaying": "saniwa.runs.story",
    "Turn": "saniwa.turn.record",
    "TurnOutcome": "saniwa.turn.play",
    "ValidationErrorCode": "saniwa.core.errors",
    "ValidationResult": "saniwa.scenario.loader",
    "Verdict": "saniwa.rulebook.verdict",
    "World": "saniwa.world.model",
    "build_opening_mind": "saniwa.agent.mind.perception",
    "build_plan_task": "saniwa.app.integrations",
    "build_rulebook": "saniwa.rulebook.loader",
    "build_scenario_task": "saniwa.app.integrations",
    "compute_fingerprint": "saniwa.world.canonical",
    "compute_short_hash": "saniwa.core.json_values",
    "compute_world_hash": "saniwa.world.canonical",
    "encode_canonical_json": "saniwa.core.json_values",
    "find_admissible_actions": "saniwa.rulebook.admissible_actions",
    "find_experiment": "saniwa.app.experiments.folder",
    "guard_function": "saniwa.integrations.function_adapters",
    "judge": "saniwa.rulebook.book",
    "load_story": "saniwa.app.stories",
    "make_agent_function": "saniwa.integrations.function_adapters",
    "make_environment": "saniwa.app.integrations",
    "make_multi_agent_environment": "saniwa.app.integrations",
    "open_agent": "saniwa.app.agents",
    "open_bridge": "saniwa.app.models",
    "open_gate": "saniwa.app.gate.access",
    "open_scenario": "saniwa.app.scenarios",
    "open_story": "saniwa.app.stories",
    "parse": "saniwa.language.parse",
    "parse_story": "saniwa.story.story",
    "perceive": "saniwa.agent.mind.perception",
    "play_turn": "saniwa.turn.play",
    "prepare_plan": "saniwa.app.experiments.preparation",
    "read_outcomes": "saniwa.app.experiments.service",
    "read_outcomes_from_log": "saniwa.integrations.export",
    "read_plan": "saniwa.experiment.format.reader",
    "read_process": "saniwa.process.reader",
    "read_save": "saniwa.story.saves",
    "read_story": "saniwa.story.story",
    "register_environments": "saniwa.app.integrations",
    "resolve_layers": "saniwa.rulebook.loader",
    "restore_player": "saniwa.story.saves",
    "restore_world": "saniwa.world.snapshot",
    "resume_experiment": "saniwa.app.experiments.service",
    "resume_story": "saniwa.app.stories",
    "run_experiment": "saniwa.app.experiments.service",
    "save_player": "saniwa.story.saves",
    "take_snapshot": "saniwa.world.snapshot",
    "validate_scenario": "saniwa.scenario.loader",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - made from the table above, which a test keeps true


if not TYPE_CHECKING:
    # Hidden from type checkers: a name that is not in the list is a mistake there too.
    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'saniwa' has no attribute {name!r}")
        return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__]
