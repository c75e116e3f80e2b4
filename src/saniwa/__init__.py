"""A story world that stays true while people and language models live in it.

The names below are the public ones; they are imported when they are first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The same list for type checkers and editors, which do not run `__getattr__`; a test
    # compares the two.
    from saniwa.agent.belief.mind import (
        Mind as Mind,
        opening_mind as opening_mind,
        perceive as perceive,
    )
    from saniwa.agent.bridges.bridge import Bridge as Bridge
    from saniwa.agent.contract import (
        BuildOptions as BuildOptions,
        StartOptions as StartOptions,
    )
    from saniwa.agent.definition import AgentDefinition as AgentDefinition
    from saniwa.agent.looping.agent import Agent as Agent
    from saniwa.agent.looping.factory import Factory as Factory
    from saniwa.agent.oracle import (
        Message as Message,
        Request as Request,
    )
    from saniwa.agent.progress import AgentResult as AgentResult
    from saniwa.core.errors import (
        AgentError as AgentError,
        SaniwaError as SaniwaError,
        SchemaValidationError as SchemaValidationError,
        ValidationErrorCode as ValidationErrorCode,
    )
    from saniwa.core.finding import (
        Finding as Finding,
        Report as Report,
    )
    from saniwa.core.fingerprint import (
        canonical as canonical,
        short_hash as short_hash,
    )
    from saniwa.experiment.abroad.inspect_log import outcomes_in_log as outcomes_in_log
    from saniwa.experiment.authoring.reading import read_plan as read_plan
    from saniwa.experiment.outcome import Outcome as Outcome
    from saniwa.experiment.plan import (
        Faults as Faults,
        Plan as Plan,
        Prepared as Prepared,
    )
    from saniwa.experiment.standin.oracle import StandIn as StandIn
    from saniwa.process.artifact import Claim as Claim
    from saniwa.process.authoring.reading import read_process as read_process
    from saniwa.process.definition import Process as Process
    from saniwa.process.gate import Gate as Gate
    from saniwa.rulebook.admissible import admissible as admissible
    from saniwa.rulebook.book import Rulebook as Rulebook
    from saniwa.rulebook.judge import judge as judge
    from saniwa.rulebook.load import (
        book_from_layers as book_from_layers,
        layers_of as layers_of,
    )
    from saniwa.rulebook.verdict import Verdict as Verdict
    from saniwa.run.conductor import Run as Run
    from saniwa.run.performance import Performance as Performance
    from saniwa.scenario.entry import ScenarioEntry as ScenarioEntry
    from saniwa.scenario.load import Scenario as Scenario
    from saniwa.scenario.registry import Registry as Registry
    from saniwa.scenario.result import (
        ValidationResult as ValidationResult,
        validate_scenario as validate_scenario,
    )
    from saniwa.script.directive import StepResult as StepResult
    from saniwa.script.playing.player import Player as Player
    from saniwa.script.playing.state import (
        Resumption as Resumption,
        put_down as put_down,
        read_state as read_state,
        take_up as take_up,
    )
    from saniwa.script.story import (
        Story as Story,
        read_story as read_story,
        story_of as story_of,
    )
    from saniwa.turn.parse import parse as parse
    from saniwa.turn.play import (
        Played as Played,
        play_turn as play_turn,
    )
    from saniwa.turn.trace import (
        Turn as Turn,
        Words as Words,
    )
    from saniwa.wiring import (
        Parts as Parts,
        open_scenario as open_scenario,
    )
    from saniwa.wiring.abroad import (
        company as company,
        environment as environment,
        plan_task as plan_task,
        register_environments as register_environments,
        scenario_task as scenario_task,
    )
    from saniwa.wiring.agents import open_agent as open_agent
    from saniwa.wiring.experiment.at_once import (
        play_experiment as play_experiment,
        read_outcomes as read_outcomes,
        resume_experiment as resume_experiment,
    )
    from saniwa.wiring.experiment.crew import Hands as Hands
    from saniwa.wiring.experiment.folder import (
        Experiment as Experiment,
        find_experiment as find_experiment,
    )
    from saniwa.wiring.experiment.prepare import prepare as prepare
    from saniwa.wiring.gate import open_gate as open_gate
    from saniwa.wiring.model import open_bridge as open_bridge
    from saniwa.wiring.story import (
        load_story as load_story,
        open_story as open_story,
        resume_story as resume_story,
    )
    from saniwa.world.action import Action as Action
    from saniwa.world.canonical import (
        fingerprint as fingerprint,
        world_hash as world_hash,
    )
    from saniwa.world.model import World as World
    from saniwa.world.snapshot import (
        restore as restore,
        snapshot as snapshot,
    )

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


if not TYPE_CHECKING:
    # Hidden from type checkers: a name that is not in the list is a mistake there too.
    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'saniwa' has no attribute {name!r}")
        return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__]
