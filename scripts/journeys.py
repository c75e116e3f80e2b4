"""Counts the functions, modules and types that take part in six typical requests.

Each request is played twice in a temporary folder, without a network and without a real
model: once to warm caches and load modules, once under a profiler. Functions are those of
`saniwa` that were called. Types are its `msgspec.Struct`, dataclass and `NamedTuple`
classes of which an instance was passed, returned or held in a local variable. Records are
the types of which an instance was made for the request and reached a second module; working
values of one module, settings, and objects that existed before are types but not records.
"""

import argparse
import asyncio
import dataclasses
import gc
import io
import json
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, chdir
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import msgspec
from starlette.testclient import TestClient

from saniwa.agent.layer_contracts import StartOptions
from saniwa.app.agent_cast import CHARACTER, Cast
from saniwa.app.agent_journals import make_journal_opener
from saniwa.app.agent_lookup import open_agent
from saniwa.app.experiments.cell_models import make_stand_ins
from saniwa.app.experiments.experiment_resources import open_outcome_store
from saniwa.app.experiments.plan_preparation import prepare_plan
from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.model_factory import SharedModels
from saniwa.app.run_service import RunService
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.clock import SystemClock
from saniwa.experiment.in_process_executor import run_cell
from saniwa.experiment.plan import iterate_cells
from saniwa.experiment.plan_reader import read_plan
from saniwa.experiment.run_template import RunTemplates
from saniwa.http.server import ServeOptions, build_served_app, monitor_app
from saniwa.http.server_settings import ServerSettings
from saniwa.models.canned_answers import CannedOracle
from saniwa.runs.playing import PlayRequest
from saniwa.runs.playing_record import PlayOrigin
from saniwa.story.player import Player
from saniwa.story.story import read_story

PACKAGE: Final = "saniwa"
MOST_ITEMS: Final = 20
"""Items of a list or tuple that are searched for records."""
SCENARIO: Final = "door_and_key"
WORDS: Final = ("look", "go east")
STORY: Final = """---
id: pier
---
# Pier
Mara: The ferry is late.

Ito: It always is.

Mara: You could have told me.
- [Wait](#wait)

## wait
Ito: There it comes.
"""
PROCESS: Final = """
process_id: note
version: "1"
name: A note
states: [{name: draft}, {name: sent, is_final: true}]
events: [{name: submit, allowed_roles: [agent]}]
transitions: [{from: draft, event: submit, to: sent, guard: written}]
guards: {written: {type: artifact, artifact_type: note, condition: exists}}
artifacts: [{type: note, description: A note., forms: [inline]}]
roles: [{name: agent, allowed_events: [submit]}]
"""

Play = Callable[[], object]
"""Plays the request once more."""


class JourneyFigures(NamedTuple):
    """What took part in one request, each list sorted."""

    functions: Sequence[str]
    modules: Sequence[str]
    records: Sequence[str]
    types: Sequence[str]


class Profiler:
    """Records functions and types of the package while it is active."""

    def __init__(self) -> None:
        self.active = False
        self._functions = set[str]()
        self._modules = set[str]()
        self._types = set[type]()
        self._old = set[int]()
        # Kept alive, so that no later object gets the id of one of them.
        self._kept = list[Any]()
        self._made = dict[int, Any]()
        self._places = defaultdict[type, set[str]](set)

    def begin(self) -> None:
        """Start recording; objects that exist now do not count as the request's records."""
        found = gc.get_objects()
        while found:
            self._old.update(map(id, found))
            self._kept.append(found)
            inner = {id(each): each for each in gc.get_referents(*found)}
            # The collector knows a record of plain values only through the object that holds it.
            found = [each for each in inner.values() if id(each) not in self._old]
        self.active = True
        sys.setprofile(self)

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        """Record a call or a return; the interpreter calls this."""
        if not self.active or event not in ("call", "return"):
            return
        module = frame.f_globals.get("__name__", "")
        if module != PACKAGE and not module.startswith(f"{PACKAGE}."):
            return
        code = frame.f_code
        # Methods that a library generated for a record are not code of a module.
        if code.co_filename.startswith("<"):
            return
        self._modules.add(module)
        # A lambda or a generator expression counts as part of its function.
        if not code.co_name.startswith("<"):
            self._functions.add(f"{module}:{code.co_qualname}")
        self._add_types(module, frame.f_locals.values())
        if event == "return":
            self._add_types(module, (value,))

    def read_figures(self) -> JourneyFigures:
        """The recorded figures."""
        passed_on = [each for each, places in self._places.items() if len(places) > 1]
        return JourneyFigures(
            sorted(self._functions),
            sorted(self._modules),
            *(
                sorted(f"{each.__module__}:{each.__qualname__}" for each in kinds)
                for kinds in (passed_on, self._types)
            ),
        )

    def _add_types(self, module: str, values: Any) -> None:
        for value in values:
            items = value[:MOST_ITEMS] if type(value) in (list, tuple) else ()
            for each in (value, *items):
                if not is_record(type(each)):
                    continue
                self._types.add(type(each))
                if id(each) not in self._old:
                    self._made[id(each)] = each
                    self._places[type(each)].add(module)


def is_record(kind: type) -> bool:
    """Whether a class is one of the package's records."""
    if not kind.__module__.startswith(f"{PACKAGE}."):
        return False
    named = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return named or issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind)


def write_file(name: str, text: str) -> None:
    """Write a file in the current folder, which is temporary."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def open_sentence(stack: ExitStack) -> Play:
    """A sentence over HTTP, through everything but the socket."""
    workspace = Workspace(WorkspacePlaces(), together=True)
    served = build_served_app(workspace, ServeOptions(settings=ServerSettings()))
    logged = monitor_app(served, workspace, "none", io.StringIO())
    app: Any = stack.enter_context(logged)
    client = stack.enter_context(TestClient(app, "http://localhost"))

    def post(path: str, body: object, revision: int) -> Any:
        headers = {"If-Match": f'"{revision}"'}
        answer = client.post(f"/api/v1/runs{path}", json=body, headers=headers)
        return answer.raise_for_status().json()

    state = post("", {"scenario": SCENARIO}, 0)
    words = iter(WORDS)

    def say() -> None:
        body = {"text": next(words)}
        state.update(post(f"/{state['run']}/words", body, state["revision"]))

    return say


def open_story_line(stack: ExitStack) -> Play:
    """The next step of a story without a world, for any host."""
    write_file("stories/pier.md", STORY)
    workspace = Workspace(WorkspacePlaces())
    runner = stack.enter_context(asyncio.Runner())
    run_id = runner.run(workspace.begin(PlayOrigin(story="pier"))).id

    async def step() -> object:
        playing = await workspace.find_playing(run_id)
        return await playing.step(PlayRequest(revision=playing.revision))

    return lambda: runner.run(step())


def open_gate_event(stack: ExitStack) -> Play:
    """An event with evidence that passes its guard."""
    write_file("gate/processes/note.yaml", PROCESS)
    gate = stack.enter_context(open_gate("gate"))
    runs = iter([gate.create_run("note").run_id for _ in range(2)])

    def submit() -> None:
        answer = gate.emit_event(
            run_id=next(runs),
            event_name="submit",
            expected_revision=1,
            idempotency_key="first",
            artifacts=[{"type": "note", "content": "Tea at four."}],
        )
        assert answer["success"], answer

    return submit


def open_agent_iteration(stack: ExitStack) -> Play:
    """A character's iteration: its words become a turn of a run."""
    store = Path("saniwa.sqlite")
    run = RunService(store).begin(SCENARIO)
    words = iter(WORDS)
    oracle = CannedOracle(lambda _: f"Thought: Now.\nOutput: *{next(words)}* Well.")
    cast = Cast(
        run,
        SharedModels(lambda *_: oracle, use="canned:reply"),
        open_agent,
        journals=make_journal_opener(store, run.id),
    )
    agent = cast.build_player(run.actor, CHARACTER, lambda _: None)
    runner = stack.enter_context(asyncio.Runner())
    runner.run(agent.start(StartOptions(paced=True)))
    return lambda: runner.run(agent.take_turn())


def open_experiment_cell(stack: ExitStack) -> Play:
    """A cell of two turns with injected facts and a game master, played by a stand-in."""
    options = {"experiment_id": "journey", "scenarios": ["coffee_trap"], "seeds": 2}
    read = read_plan(options=options | {"conditions": ["D"], "max_turns": 2})
    assert read.authored is not None, read.report
    plan = prepare_plan(read.authored)
    templates, oracles = RunTemplates(plan), make_stand_ins(plan.plan)
    store = open_outcome_store(Path("cells"), plan.fingerprint)
    cells = iterate_cells(plan.plan)
    runner = stack.enter_context(asyncio.Runner())
    return lambda: runner.run(run_cell(templates, next(cells), oracles, store, clock=SystemClock()))


def open_story_file(stack: ExitStack) -> Play:
    """A story's file, read, compiled and checked, and its first step."""
    del stack
    write_file("pier.md", STORY)
    return lambda: Player(read_story("pier.md").program).step()


JOURNEYS: Final[Mapping[str, Callable[[ExitStack], Play]]] = {
    "a sentence over HTTP": open_sentence,
    "a story line": open_story_line,
    "a gate event": open_gate_event,
    "an agent iteration": open_agent_iteration,
    "an experiment cell": open_experiment_cell,
    "a story file to a player": open_story_file,
}


def measure_journey(name: str) -> JourneyFigures:
    """Play one request twice, and measure the second time."""
    profiler = Profiler()
    threading.setprofile(profiler)
    with tempfile.TemporaryDirectory() as place, chdir(place), ExitStack() as stack:
        play = JOURNEYS[name](stack)
        play()
        profiler.begin()
        try:
            play()
        finally:
            sys.setprofile(None)
            profiler.active = False
            threading.setprofile(None)
    return profiler.read_figures()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the requests and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print every name, as JSON")
    options = parser.parse_args(arguments)
    figures = {name: measure_journey(name) for name in JOURNEYS}
    if options.json:
        named = {name: each._asdict() for name, each in figures.items()}
        sys.stdout.write(json.dumps(named, indent=2) + "\n")
        return
    for name, each in {"": JourneyFigures._fields, **figures}.items():
        counts = (len(part) if name else part for part in each)
        sys.stdout.write(f"{name:26}" + "".join(f"{c:>11}" for c in counts) + "\n")


if __name__ == "__main__":
    main()
