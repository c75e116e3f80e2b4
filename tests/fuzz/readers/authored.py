"""Files people write: scenarios, registries, rulebooks, processes, agents, plans, games."""

import json
from importlib.resources import files
from pathlib import Path

from saniwa.process.format import GUARD_KEYS, HOOK_KEYS, PROCESS, TRANSITION_KEYS
from saniwa.rulebook.conditions import VOCABULARY
from saniwa.scenario import format
from tests.fakes.agent_folder import AGENT, PROMPTS, REGISTRY
from tests.fakes.textworld import small_game
from tests.fuzz.reader import Reader, joined
from tests.fuzz.typed import typed

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


def _file(*names: str) -> bytes:
    return _ROOT.joinpath(*names).read_bytes()


def _registered(folder: Path) -> None:
    (folder / "mine.yaml").write_text(_SCENARIO)


READERS = (
    Reader(
        name="scenario-yaml",
        reads="a scenario in YAML, by `scenario check` and `scenario summary`",
        seeds=lambda: [
            *(_SCENARIO.encode(), _JAPANESE.encode()),
            _file("examples", "door-and-key", "cottage.yaml"),
        ],
        read=typed(["x.yaml"], ["scenario", "check", "x.yaml"], ["scenario", "summary", "x.yaml"]),
        words=tuple(_FORM),
    ),
    Reader(
        name="scenario-json",
        reads="a scenario in JSON, by `scenario check` and `scenario hash`",
        seeds=lambda: [_file("experiments", "scenarios", "locked_door.json")],
        read=typed(["x.json"], ["scenario", "check", "x.json"], ["scenario", "hash", "x.json"]),
        words=tuple(_FORM),
    ),
    Reader(
        name="registry",
        reads="a registry of scenarios, by `scenario list` and `scenario check`",
        seeds=lambda: [_REGISTRY.encode()],
        read=typed(
            ["registry.yaml"],
            ["scenario", "list", "--registry", "registry.yaml"],
            ["scenario", "check", "--registry", "registry.yaml"],
            before=_registered,
        ),
        words=(*format.REGISTRY, *format.ENTRY),
    ),
    Reader(
        name="rulebook",
        reads="a rulebook in YAML, by `rulebook check` and `rulebook show`",
        seeds=lambda: [_BOOK.encode(), _file("examples", "door-and-key", "polite.yaml")],
        read=typed(["x.yaml"], ["rulebook", "check", "x.yaml"], ["rulebook", "show", "x.yaml"]),
        words=tuple(VOCABULARY),
    ),
    Reader(
        name="process",
        reads="a process, by `gate check` and `gate graph`",
        seeds=lambda: [_file("examples", "processes", "letter.yaml")],
        read=typed(
            ["x.yaml"],
            ["gate", "check", "x.yaml"],
            ["gate", "graph", "x.yaml"],
            ["gate", "graph", "x.yaml", "--format", "svg"],
        ),
        words=tuple(_PROCESS_FORM),
    ),
    Reader(
        name="agent",
        reads="an agent's folder: definition, steps, prompts, by `agent check` and `graph`",
        seeds=lambda: [joined(json.dumps(AGENT), json.dumps(REGISTRY), *PROMPTS.values())],
        read=typed(
            [
                *("x/agent.json", "x/steps_registry.json"),
                *(f"x/prompts/{each}" for each in PROMPTS),
            ],
            ["agent", "check", "x"],
            ["agent", "graph", "x"],
        ),
        words=("{{uv-topic}}", "{input}", "---", "c1", "gateway", "onFail", "subSteps"),
    ),
    Reader(
        name="plan",
        reads="a plan, by `experiment run --dry-run`",
        seeds=lambda: [_PLAN.encode()],
        read=typed(["plan.yaml"], ["experiment", "run", "plan.yaml", "--dry-run"]),
        words=("profile", "conditions", "model", "agents", "rulebook", "language"),
        tries=15,
    ),
    Reader(
        name="textworld-game",
        reads="a game of TextWorld, by `scenario import`",
        seeds=lambda: [small_game().encode()],
        read=typed(["game.json"], ["scenario", "import", "game.json"]),
        words=("objective", "quests", "P", "I", "r_0", "north_of"),
        tries=25,
    ),
)
