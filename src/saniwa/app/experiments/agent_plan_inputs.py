"""Reads what a plan of agents names: processes, agents, and the files of their projects.

All of it becomes part of the prepared plan, so that no file is needed later.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.agent_folder import read_agent, require_valid
from saniwa.agent.files.parameters import resolve_arguments
from saniwa.app import describe
from saniwa.app.agent_lookup import is_agent_folder, locate_shipped_agents
from saniwa.app.experiments.plan_problems import PlanProblems
from saniwa.app.scenario_lookup import is_document_file
from saniwa.core.path_checks import is_file, is_folder
from saniwa.core.safe_open import read_small_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.experiment.plan import PreparedPlan, PreparedScenario
from saniwa.experiment.plan_fields import is_project_path
from saniwa.experiment.plan_reader import AuthoredPlan
from saniwa.process.definition import Process, encode_process, hash_process
from saniwa.process.library import BundledProcessLibrary, require_process
from saniwa.process.reader import read_process

MOST_FILES: Final = 1_000
"""The most files of a project."""
LARGEST_FILE: Final = 1_000_000
"""The largest file of a project, in bytes."""
LARGEST_PROJECT: Final = 20_000_000
"""The most bytes of all files of a project."""
_SKIPPED: Final = ("__pycache__", ".git")


class WorkInputs(msgspec.Struct, frozen=True, kw_only=True):
    """What the agents of a plan need."""

    settings: dict[str, PreparedScenario]
    """The processes, by id."""
    files: dict[str, bytes]
    """The files of a project, by path."""


def read_work_inputs(authored: AuthoredPlan, problems: PlanProblems) -> WorkInputs:
    """Read everything that the plan names, as far as it exists."""
    found = dict[str, Process]()
    for named in authored.plan.scenarios:
        with problems.collect(authored.find_position("process", named)):
            process = _find_process(named, authored.folder)
            if process.process_id in found:
                problems.add(describe("DUPLICATE_KEY/processes", process=process.process_id))
            found[process.process_id] = process
            _check_accepted(authored, process, problems)
    reader = _ProjectReader(authored, problems)
    for agent in dict.fromkeys(each.agent for each in authored.plan.conditions):
        reader.add_agent(agent)
    for name in authored.plan.files:
        reader.add(name)
    settings = {name: make_process_setting(each) for name, each in found.items()}
    return WorkInputs(settings=settings, files=reader.files)


def make_process_setting(process: Process) -> PreparedScenario:
    """Return a process as a prepared plan stores it."""
    meta = {
        "process_id": process.process_id,
        "process_version": process.version,
        "process_hash": hash_process(process),
        "description": process.description,
    }
    document = msgspec.json.decode(encode_process(process))
    return PreparedScenario(
        scenario_id=process.process_id, document=document, meta=meta, canonical={}
    )


def open_work_agent(project: Path, named: str) -> AgentDefinition:
    """Load the agent of a condition: the project's own, or one shipped with Saniwa.

    Raises:
        SaniwaError: There is none, or it has mistakes.
    """
    own = project / named
    folder = own if is_agent_folder(own) else locate_shipped_agents() / named
    return require_valid(*read_agent(folder))


def open_plan_agents(prepared: PreparedPlan) -> dict[str, AgentDefinition]:
    """Load the agents of a prepared plan, by the names that its conditions use.

    Raises:
        SaniwaError: One has mistakes.
    """
    with TemporaryDirectory(prefix="saniwa-work-") as folder:
        write_files(Path(folder), prepared.files)
        names = dict.fromkeys(each.agent for each in prepared.plan.conditions)
        return {name: open_work_agent(Path(folder), name) for name in names}


def write_files(project: Path, files: Mapping[str, bytes]) -> None:
    """Write files into an empty folder. Pre: their paths lead to places inside it."""
    for name, content in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _find_process(named: str, folder: str) -> Process:
    if is_document_file(named):
        return require_process(read_process(Path(folder) / named))
    return BundledProcessLibrary().find(named)


def _check_accepted(authored: AuthoredPlan, process: Process, problems: PlanProblems) -> None:
    states = [state.name for state in process.states]
    for name in authored.plan.accepted:
        if name not in states:
            said = describe(
                "UNKNOWN_VALUE/accepted",
                hint=suggest_nearest(name, states),
                process=process.process_id,
                name=name,
                states=", ".join(states),
            )
            problems.add(said, authored.find_position("accepted", name))


class _ProjectReader:
    """Collects the files of the projects of one plan."""

    def __init__(self, authored: AuthoredPlan, problems: PlanProblems) -> None:
        self._authored = authored
        self._problems = problems
        self._left = LARGEST_PROJECT
        self.files = dict[str, bytes]()

    def add_agent(self, named: str) -> None:
        """Add the folder of an agent, unless it is one that Saniwa brings."""
        where = self._authored.find_position("agent", named)
        with self._problems.collect(where):
            folder = Path(self._authored.folder)
            definition = open_work_agent(folder, named)
            resolve_arguments(definition, self._authored.plan.arguments)
            if is_agent_folder(folder / named):
                self.add(named, without=definition.logging.directory)

    def add(self, named: str, *, without: str = "") -> None:
        """Add a file, or all files of a folder but those in `without`."""
        if not is_project_path(named):
            self._problems.add(describe("FILE_OUTSIDE/project", named=named))
            return
        path = Path(self._authored.folder) / named
        if is_file(path):
            self._read(path, PurePosixPath(named))
        elif is_folder(path):
            for inner in _list_files(path, without):
                self._read(path / inner, PurePosixPath(named) / inner)
        else:
            self._problems.add(describe("FILE_MISSING/project", named=named))

    def _read(self, path: Path, name: PurePosixPath) -> None:
        try:
            content = read_small_file(path, min(LARGEST_FILE, max(self._left, 0)))
        except (OSError, ValueError) as problem:
            reason = (problem.strerror if isinstance(problem, OSError) else "") or "it is too large"
            said = describe(
                "FILE_MISSING/unread",
                name=str(name),
                reason=reason,
                largest=LARGEST_FILE,
                project=LARGEST_PROJECT,
            )
            self._problems.add(said)
            return
        if len(self.files) >= MOST_FILES:
            self._problems.add(describe("PLAN_TOO_LARGE/files", most=MOST_FILES))
            return
        self._left -= len(content)
        self.files[str(name)] = content


def _list_files(folder: Path, without: str) -> Iterator[str]:
    """Yield the files of a folder in order; links are not followed."""
    for place, inner, names in os.walk(folder):
        here = Path(place).relative_to(folder)
        inner[:] = sorted(
            name for name in inner if name not in _SKIPPED and str(here / name) != without
        )
        for name in sorted(names):
            if not (folder / here / name).is_symlink():
                yield (here / name).as_posix()
