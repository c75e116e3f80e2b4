"""Files people write: scenarios, registries, rulebooks, processes, agents, plans, games."""

import json
from importlib.resources import files
from pathlib import Path

from saniwa.process.format import GUARD_KEYS, HOOK_KEYS, PROCESS, TRANSITION_KEYS
from saniwa.rulebook.conditions import VOCABULARY
from saniwa.scenario import format
from tests.fakes.agent_folder import AGENT, PROMPTS, REGISTRY
from tests.fakes.textworld import make_small_game
from tests.fuzz.command_readers import make_command_reader
from tests.fuzz.fuzz_reader import FuzzReader, join_parts

_ROOT = Path(str(files("experiments"))).parent
_SCENARIO = """\
name: house
language: en
locations:
  kitchen: {exits: {north: hall}, props: [cup], locked_exits: {cellar: {required_key: key}}}
  hall: {exits: [kitchen], hidden_objects: [pin], description: A hall.}
  cellar: {}
props:
  cup: {name: Cup, portable: true, aliases: [mug]}
  box: {location: hall, container: true, open: false, contains: [key]}
  key: {}
  pin: {}
characters:
  Ann: {location: kitchen, inventory: [cup]}
clear_condition: {type: reach_location, location: cellar}
"""
_JAPANESE = """\
name: 家
language: ja
locations: {キッチン: {exits: [寝室]}, 寝室: {exits: [キッチン], goal: true}}
props: {鍵: {location: 寝室}}
characters: {やな: {location: キッチン}}
"""
_REGISTRY = """\
scenarios:
  - {scenario_id: default, path: null, tags: [a], recommended_profile: dev}
  - {scenario_id: mine, path: mine.yaml, description: "x"}
"""
_BOOK = """\
id: mine
extends: default
reasons: {rude: 失礼}
rules:
  - actionType: open
    checks:
      - id: bell
        condition: {and: [{flag: rung}, {not: {held: target}}]}
        failReason: needs_something
        failMessage: {en: "Ring {target} first.", ja: 先に鳴らす。}
      - {id: in_scope, enabled: false}
"""
_FORM = sorted(
    {*format.SCENARIO, *format.LOCATION, *format.PROP, *format.CHARACTER, *format.LOCKED_EXIT}
    | {*format.CLEAR_CONDITION, *format.EXIT, *format.USE}
)
_PROCESS_FORM = sorted(
    {*PROCESS, *TRANSITION_KEYS}
    | {key for each in (*GUARD_KEYS.values(), *HOOK_KEYS.values()) for key in each}
)
_PLAN = """\
experiment_id: mine
question: Does it help?
scenarios: [default]
seeds: [1, 2]
max_turns: 3
factors: {inject: [off, on], gm: [off, on]}
"""


def _read_file(*names: str) -> bytes:
    return _ROOT.joinpath(*names).read_bytes()


def _write_scenario(folder: Path) -> None:
    (folder / "mine.yaml").write_text(_SCENARIO)


READERS = (
    FuzzReader(
        name="scenario-yaml",
        reads="a scenario in YAML, by `scenario check` and `scenario summary`",
        seeds=lambda: [
            *(_SCENARIO.encode(), _JAPANESE.encode()),
            _read_file("examples", "door-and-key", "cottage.yaml"),
        ],
        read=make_command_reader(
            ["x.yaml"], ["scenario", "check", "x.yaml"], ["scenario", "summary", "x.yaml"]
        ),
        words=tuple(_FORM),
    ),
    FuzzReader(
        name="scenario-json",
        reads="a scenario in JSON, by `scenario check` and `scenario hash`",
        seeds=lambda: [_read_file("experiments", "scenarios", "locked_door.json")],
        read=make_command_reader(
            ["x.json"], ["scenario", "check", "x.json"], ["scenario", "hash", "x.json"]
        ),
        words=tuple(_FORM),
    ),
    FuzzReader(
        name="registry",
        reads="a registry of scenarios, by `scenario list` and `scenario check`",
        seeds=lambda: [_REGISTRY.encode()],
        read=make_command_reader(
            ["registry.yaml"],
            ["scenario", "list", "--registry", "registry.yaml"],
            ["scenario", "check", "--registry", "registry.yaml"],
            before=_write_scenario,
        ),
        words=(*format.REGISTRY, *format.ENTRY),
    ),
    FuzzReader(
        name="rulebook",
        reads="a rulebook in YAML, by `rulebook check` and `rulebook show`",
        seeds=lambda: [_BOOK.encode(), _read_file("examples", "door-and-key", "polite.yaml")],
        read=make_command_reader(
            ["x.yaml"], ["rulebook", "check", "x.yaml"], ["rulebook", "show", "x.yaml"]
        ),
        words=tuple(VOCABULARY),
    ),
    FuzzReader(
        name="process",
        reads="a process, by `gate check` and `gate graph`",
        seeds=lambda: [_read_file("examples", "processes", "letter.yaml")],
        read=make_command_reader(
            ["x.yaml"],
            ["gate", "check", "x.yaml"],
            ["gate", "graph", "x.yaml"],
            ["gate", "graph", "x.yaml", "--format", "svg"],
        ),
        words=tuple(_PROCESS_FORM),
    ),
    FuzzReader(
        name="agent",
        reads="an agent's folder: definition, steps, prompts, by `agent check` and `graph`",
        seeds=lambda: [join_parts(json.dumps(AGENT), json.dumps(REGISTRY), *PROMPTS.values())],
        read=make_command_reader(
            [
                *("x/agent.json", "x/steps_registry.json"),
                *(f"x/prompts/{each}" for each in PROMPTS),
            ],
            ["agent", "check", "x"],
            ["agent", "graph", "x"],
        ),
        words=("{{uv-topic}}", "{input}", "---", "c1", "gateway", "onFail", "subSteps"),
    ),
    FuzzReader(
        name="plan",
        reads="a plan, by `experiment run --dry-run`",
        seeds=lambda: [_PLAN.encode()],
        read=make_command_reader(["plan.yaml"], ["experiment", "run", "plan.yaml", "--dry-run"]),
        words=("profile", "conditions", "model", "agents", "rulebook", "language"),
        tries=15,
    ),
    FuzzReader(
        name="textworld-game",
        reads="a game of TextWorld, by `scenario import`",
        seeds=lambda: [make_small_game().encode()],
        read=make_command_reader(["game.json"], ["scenario", "import", "game.json"]),
        words=("objective", "quests", "P", "I", "r_0", "north_of"),
        tries=25,
    ),
)
