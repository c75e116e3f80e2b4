# Written by `make api` from `__init__.py`; do not edit.
from saniwa import definitions as definitions
from saniwa import errors as errors
from saniwa import ports as ports
from saniwa import results as results
from saniwa import testing as testing
from saniwa.agent.bridge import OracleBridge as OracleBridge
from saniwa.agent.definition import AgentDefinition as AgentDefinition
from saniwa.agent.definition import AgentLimits as AgentLimits
from saniwa.agent.definition import ModelSettings as ModelSettings
from saniwa.agent.layer_contracts import AgentResult as AgentResult
from saniwa.agent.layer_contracts import BuildOptions as BuildOptions
from saniwa.agent.layer_contracts import QueryOptions as QueryOptions
from saniwa.agent.layer_contracts import StartOptions as StartOptions
from saniwa.agent.loop.lifecycle import Agent as Agent
from saniwa.agent.loop.lifecycle import DefaultAgentFactory as DefaultAgentFactory
from saniwa.agent.mind.character_view import build_view as build_view
from saniwa.agent.mind.character_view import recall_memories as recall_memories
from saniwa.agent.mind.mind import Mind as Mind
from saniwa.agent.mind.perception import build_opening_mind as build_opening_mind
from saniwa.agent.mind.perception import perceive as perceive
from saniwa.agent.mind.text_similarities import load_word_vectors as load_word_vectors
from saniwa.agent.model_listener import HybridListener as HybridListener
from saniwa.agent.narration.narrator import ModelNarrator as ModelNarrator
from saniwa.app.agent_cast import Cast as Cast
from saniwa.app.agent_lookup import open_agent as open_agent
from saniwa.app.agent_tools import open_toolbox as open_toolbox
from saniwa.app.environments import build_plan_task as build_plan_task
from saniwa.app.environments import build_scenario_task as build_scenario_task
from saniwa.app.environments import make_environment as make_environment
from saniwa.app.environments import make_multi_agent_environment as make_multi_agent_environment
from saniwa.app.environments import register_environments as register_environments
from saniwa.app.experiment_start_and_resume import resume_experiment as resume_experiment
from saniwa.app.experiment_start_and_resume import run_experiment as run_experiment
from saniwa.app.experiments.experiment_resources import Concurrency as Concurrency
from saniwa.app.experiments.experiment_run import read_outcomes as read_outcomes
from saniwa.app.experiments.folder import Experiment as Experiment
from saniwa.app.experiments.folder import find_experiment as find_experiment
from saniwa.app.experiments.plan_preparation import prepare_plan as prepare_plan
from saniwa.app.gate.gate_opening import open_gate as open_gate
from saniwa.app.model_factory import SharedModels as SharedModels
from saniwa.app.model_factory import open_bridge as open_bridge
from saniwa.app.model_factory import open_table_models as open_table_models
from saniwa.app.run_service import RunService as RunService
from saniwa.app.scenario_lookup import open_rulebook as open_rulebook
from saniwa.app.scenario_lookup import open_scenario as open_scenario
from saniwa.app.story_opening import load_story as load_story
from saniwa.app.story_opening import open_story as open_story
from saniwa.app.story_opening import resume_story as resume_story
from saniwa.core.canonical_json import compute_short_hash as compute_short_hash
from saniwa.core.canonical_json import encode_canonical_json as encode_canonical_json
from saniwa.core.errors import AgentError as AgentError
from saniwa.core.errors import SaniwaError as SaniwaError
from saniwa.core.errors import SchemaValidationError as SchemaValidationError
from saniwa.core.errors import ValidationErrorCode as ValidationErrorCode
from saniwa.core.findings import Finding as Finding
from saniwa.core.findings import Report as Report
from saniwa.experiment.cell_outcome import CellOutcome as CellOutcome
from saniwa.experiment.plan import ExperimentPlan as ExperimentPlan
from saniwa.experiment.plan import PreparedPlan as PreparedPlan
from saniwa.experiment.plan import StandInFaults as StandInFaults
from saniwa.experiment.plan_reader import read_plan as read_plan
from saniwa.experiment.stand_in.character import StandIn as StandIn
from saniwa.http import make_web_app as make_web_app
from saniwa.integrations.function_adapters import guard_function as guard_function
from saniwa.integrations.function_adapters import make_agent_function as make_agent_function
from saniwa.integrations.table_export import read_outcomes_from_log as read_outcomes_from_log
from saniwa.language.parse import parse as parse
from saniwa.models.oracle import OracleMessage as OracleMessage
from saniwa.models.oracle import OracleRequest as OracleRequest
from saniwa.process.artifact import Claim as Claim
from saniwa.process.definition import Process as Process
from saniwa.process.gate import Gate as Gate
from saniwa.process.reader import read_process as read_process
from saniwa.rulebook.book import Rulebook as Rulebook
from saniwa.rulebook.judge import find_admissible_actions as find_admissible_actions
from saniwa.rulebook.judge import judge as judge
from saniwa.rulebook.loader import build_rulebook as build_rulebook
from saniwa.rulebook.loader import resolve_layers as resolve_layers
from saniwa.rulebook.verdict import Verdict as Verdict
from saniwa.runs.run import Run as Run
from saniwa.runs.story_playing import StoryPlaying as StoryPlaying
from saniwa.scenario.loader import Scenario as Scenario
from saniwa.scenario.loader import ValidationResult as ValidationResult
from saniwa.scenario.loader import validate_scenario as validate_scenario
from saniwa.scenario.registry import Registry as Registry
from saniwa.scenario.registry import ScenarioEntry as ScenarioEntry
from saniwa.story.player import Player as Player
from saniwa.story.saves import Resumption as Resumption
from saniwa.story.saves import read_save as read_save
from saniwa.story.saves import restore_player as restore_player
from saniwa.story.saves import save_player as save_player
from saniwa.story.step_result import StepResult as StepResult
from saniwa.story.story import Story as Story
from saniwa.story.story import parse_story as parse_story
from saniwa.story.story import read_story as read_story
from saniwa.story.tools.translation import parse_translations as parse_translations
from saniwa.story.tools.translation import read_translations as read_translations
from saniwa.story.tools.translation import translate_story as translate_story
from saniwa.turn.model_reply import parse_reply_claims as parse_reply_claims
from saniwa.turn.model_reply import read_reply as read_reply
from saniwa.turn.narration import narrate as narrate
from saniwa.turn.play import TurnOutcome as TurnOutcome
from saniwa.turn.play import play_turn as play_turn
from saniwa.turn.preview import preview_turn as preview_turn
from saniwa.turn.record import SpokenWords as SpokenWords
from saniwa.turn.record import Turn as Turn
from saniwa.world.actions import Action as Action
from saniwa.world.fingerprint import compute_fingerprint as compute_fingerprint
from saniwa.world.fingerprint import compute_world_hash as compute_world_hash
from saniwa.world.model import World as World
from saniwa.world.snapshot import restore_world as restore_world
from saniwa.world.snapshot import take_snapshot as take_snapshot

_HOMES: dict[str, str]
_MODULES: tuple[str, ...]

__all__ = [
    "Action",
    "Agent",
    "AgentDefinition",
    "AgentError",
    "AgentLimits",
    "AgentResult",
    "BuildOptions",
    "Cast",
    "CellOutcome",
    "Claim",
    "Concurrency",
    "DefaultAgentFactory",
    "Experiment",
    "ExperimentPlan",
    "Finding",
    "Gate",
    "HybridListener",
    "Mind",
    "ModelNarrator",
    "ModelSettings",
    "OracleBridge",
    "OracleMessage",
    "OracleRequest",
    "Player",
    "PreparedPlan",
    "Process",
    "QueryOptions",
    "Registry",
    "Report",
    "Resumption",
    "Rulebook",
    "Run",
    "RunService",
    "SaniwaError",
    "Scenario",
    "ScenarioEntry",
    "SchemaValidationError",
    "SharedModels",
    "SpokenWords",
    "StandIn",
    "StandInFaults",
    "StartOptions",
    "StepResult",
    "Story",
    "StoryPlaying",
    "Turn",
    "TurnOutcome",
    "ValidationErrorCode",
    "ValidationResult",
    "Verdict",
    "World",
    "build_opening_mind",
    "build_plan_task",
    "build_rulebook",
    "build_scenario_task",
    "build_view",
    "compute_fingerprint",
    "compute_short_hash",
    "compute_world_hash",
    "encode_canonical_json",
    "find_admissible_actions",
    "find_experiment",
    "guard_function",
    "judge",
    "load_story",
    "load_word_vectors",
    "make_agent_function",
    "make_environment",
    "make_multi_agent_environment",
    "make_web_app",
    "narrate",
    "open_agent",
    "open_bridge",
    "open_gate",
    "open_rulebook",
    "open_scenario",
    "open_story",
    "open_table_models",
    "open_toolbox",
    "parse",
    "parse_reply_claims",
    "parse_story",
    "parse_translations",
    "perceive",
    "play_turn",
    "prepare_plan",
    "preview_turn",
    "read_outcomes",
    "read_outcomes_from_log",
    "read_plan",
    "read_process",
    "read_reply",
    "read_save",
    "read_story",
    "read_translations",
    "recall_memories",
    "register_environments",
    "resolve_layers",
    "restore_player",
    "restore_world",
    "resume_experiment",
    "resume_story",
    "run_experiment",
    "save_player",
    "take_snapshot",
    "translate_story",
    "validate_scenario",
]
