"""The agents of a plan at work at a gate, each cell in a project of its own.

The project is a temporary folder with the plan's files, and the run's log is in memory.
Ids and times are counted and no message leaves it, so that the same answers of model and
tools give the same outcome.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from saniwa.agent.bridge import OracleBridge, TextToolOracle
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.gate_agent_port import GateAgentPort
from saniwa.agent.journal import MemoryJournal
from saniwa.agent.layer_contracts import AgentResult, BuildOptions, StartOptions
from saniwa.agent.loop.lifecycle import DefaultAgentFactory
from saniwa.agent.port import AgentSubmission
from saniwa.agent.tools.tool import ApprovalDecision, ApprovalRequest, CallResults
from saniwa.app.agent_tools import open_toolbox
from saniwa.app.experiments.agent_plan_inputs import open_work_agent, write_files
from saniwa.app.experiments.folder import read_outcome
from saniwa.app.gate.configuration import GATE_FOLDER, MEMORY, GatePlaces
from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError
from saniwa.core.ids import CountingIds
from saniwa.core.text import replace_surrogates
from saniwa.experiment.cell_outcome import CellOutcome, SubmissionAttempt, WorkRecord
from saniwa.experiment.cell_player import is_refused_by_model
from saniwa.experiment.fabrications import find_fabrications
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan
from saniwa.experiment.ports import OutcomeStore
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.metering import MeteredOracle
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, OracleWrapper, TextListener
from saniwa.models.recording import AgentJournal
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.gate import Gate
from saniwa.process.library import open_library
from saniwa.process.ruling import EventAcceptance, Ruling
from saniwa.process.tool_permissions import is_tool_named
from saniwa.store.gate.submission_folder import DiskSubmissionFolder

_AGENT_RUN: Final = "agent-1"
_CRASH: Final = "AGENT_FAILED"


class AgentWorkPlayer:
    """Lets agents work, with the tools they have or with the results of a recording."""

    def __init__(self, recorded: OutcomeStore | None = None) -> None:
        """With `recorded`, take the results of tools from the cells of the same keys."""
        self._recorded = recorded

    async def __call__(
        self, templates: RunTemplates, cell: ExperimentCell, oracle: Oracle, journal: AgentJournal
    ) -> CellOutcome:
        """Let the agent of a cell work until it is done, waits, or cannot go on.

        Raises:
            SdkBridgeError: The model could not be called.
            SaniwaError: The agent could not be started.
        """
        earlier = read_outcome(self._recorded, cell) if self._recorded is not None else None
        replay = MemoryJournal(earlier.calls) if earlier is not None else None
        with TemporaryDirectory(prefix="saniwa-work-") as folder:
            return await _run_agent(templates, cell, oracle, journal, Path(folder), replay)


async def _run_agent(
    templates: RunTemplates,
    cell: ExperimentCell,
    oracle: Oracle,
    journal: AgentJournal,
    project: Path,
    replay: AgentJournal | None,
) -> CellOutcome:
    """Let the agent of a cell work in an empty folder.

    Raises:
        SdkBridgeError: The model could not be called.
        SaniwaError: The agent could not be started.
    """
    plan = templates.prepared.plan
    processes = {
        f"{GATE_FOLDER}/processes/{name}.json": msgspec.json.encode(each.document)
        for name, each in templates.prepared.settings.items()
    }
    write_files(project, {**templates.prepared.files, **processes})
    definition = _apply_cell_settings(open_work_agent(project, cell.condition.agent), plan, cell)
    watched = _WatchedOracle(oracle)
    tools = _ToolCounter()
    results = CallResults()
    root = project / GATE_FOLDER
    folders: dict[str, Any] = {name: root / name for name in ("processes", "runs", "metadata")}
    places = GatePlaces(root=root, project=project, address=MEMORY, **folders)
    ids, clock = CountingIds(), FixedClock()
    with open_gate(
        places, clock=clock, ids=ids, messenger=_NullMessenger(), journal=results
    ) as gate:
        run_id = gate.create_run(cell.scenario).run_id
        index = ProcessIndex(open_library(places.processes).find(cell.scenario))
        port = _ObservedGatePort(gate, run_id, places, index, results)
        toolbox = partial(
            open_toolbox,
            port=port,
            workspace=project / definition.tools.workspace,
            protected=(root,),
            approver=PlannedApprover(plan.allow_tools),
            record=journal,
            replay=replay,
        )
        factory = DefaultAgentFactory(
            lambda _: _open_bridge(definition, watched),
            port=port,
            name=_AGENT_RUN,
            about={"run": run_id},
            toolbox=toolbox,
            ids=ids,
            clock=clock,
        )
        options = BuildOptions(arguments=plan.arguments, max_iterations=plan.max_turns)
        agent = factory.build(definition, options)
        agent.events.on("*", results.add_entry)
        agent.events.on("*", tools.add_entry)
        await agent.start(StartOptions())
        try:
            result = await agent.wait()
        finally:
            await agent.stop()
        state = gate.get_state(run_id)
    _raise_unanswered(watched.problem, result)
    passed = state.current_state in plan.accepted if plan.accepted else state.is_final
    work = WorkRecord(
        state=state.current_state,
        iterations=result.total_iterations,
        submissions=tuple(port.submissions),
        tools=dict(sorted(tools.calls.items())),
        failed_tools=tools.failed,
        **watched.collect_usage(),
    )
    code = result.error.code if result.error is not None else ""
    crashed = code == _CRASH or watched.problem is not None
    return CellOutcome(
        key=cell.key,
        plan=templates.fingerprint,
        condition=cell.condition.name,
        scenario=cell.scenario,
        seed=cell.seed,
        goal_reached=passed,
        stopped="" if crashed else code or "done",
        error=code if crashed else "",
        error_message=result.error.message if crashed and result.error is not None else "",
        work=work,
    )


def _apply_cell_settings(
    definition: AgentDefinition, plan: ExperimentPlan, cell: ExperimentCell
) -> AgentDefinition:
    """Return the definition with the cell's seed, and the temperature if the plan has one."""
    changes: dict[str, Any] = {"seed": cell.seed}
    if "temperature" in plan.factors:
        changes["temperature"] = cell.condition.temperature
    asking = msgspec.structs.replace(definition.asking, **changes)
    return msgspec.structs.replace(definition, asking=asking)


def _open_bridge(definition: AgentDefinition, watched: "_WatchedOracle") -> OracleBridge:
    asking = definition.asking
    oracle: Oracle = TextToolOracle(watched) if asking.tool_calls == "text" else watched
    metered = MeteredOracle(oracle, definition.limits)
    return OracleBridge(metered, history=asking.history)


def _raise_unanswered(problem: SdkBridgeError | None, result: AgentResult) -> None:
    """Raise the error of a model that could not be called, if it has ended the agent."""
    if problem is not None and result.error is not None and not is_refused_by_model(problem):
        raise problem


class _NullMessenger:
    """Sends nothing: an evaluation has no effect outside."""

    def send(self, url: str, body: bytes) -> None:
        """Do nothing."""


class PlannedApprover:
    """Approves the tools that a plan allows; others cannot be approved, because no person is present."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        self._allowed = allowed

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """Return whether the plan allows the call."""
        if is_tool_named(request.call.name, self._allowed):
            return ApprovalDecision("run")
        return ApprovalDecision("skip", "the plan does not allow it")


class _ToolCounter:
    """Counts the tool calls in an agent's journal."""

    def __init__(self) -> None:
        self.calls = Counter[str]()
        self.failed = 0

    def add_entry(self, entry: Mapping[str, Any]) -> None:
        if entry["event"] == "toolFinished":
            self.calls[str(entry["tool"])] += 1
            self.failed += bool(entry["output"].get("failed"))


class _WatchedOracle(OracleWrapper):
    """Counts what the answers of a cell have cost, and remembers the last failure."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle)
        self.problem: SdkBridgeError | None = None
        self._answers: list[OracleAnswer] = []

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        self.problem = None
        try:
            answer = await self._oracle.answer(request, hear)
        except SdkBridgeError as problem:
            self.problem = problem
            raise
        self._answers.append(answer)
        return answer

    def collect_usage(self) -> dict[str, Any]:
        """Return the fields of a `WorkRecord` that are about answers."""
        usages = [each.usage for each in self._answers]
        summed = ("input_tokens", "output_tokens", "cost", "unpriced")
        return {
            "calls": len(usages),
            **{name: sum(getattr(each, name) for each in usages) for name in summed},
            "latency_ms": tuple(each.took_ms for each in self._answers),
            "unsent": tuple(sorted({name for each in self._answers for name in each.unsent})),
            "answers": _hash_answers(self._answers),
        }


def _hash_answers(answers: Sequence[OracleAnswer]) -> str:
    if not answers:
        return ""
    content = msgspec.json.encode([(replace_surrogates(a.text), a.calls) for a in answers])
    return sha256(content).hexdigest()[:16]


class _ObservedGatePort(GateAgentPort):
    """A worker's port that remembers what was submitted and what the gate said."""

    def __init__(
        self, gate: Gate, run_id: str, places: GatePlaces, index: ProcessIndex, results: CallResults
    ) -> None:
        folder = DiskSubmissionFolder(places.locate_artifacts(run_id))
        super().__init__(gate, run_id, folder, results=results)
        self.submissions: list[SubmissionAttempt] = []
        self._index = index
        self._made = results

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """Submit, and remember it.

        Raises:
            StoreError: The log could not be read or written.
        """
        ruling = await super().submit(handed, attempt)
        names = tuple(claim.path or claim.url or claim.type for claim in handed.artifacts)
        done = SubmissionAttempt(event=handed.event, evidence=names)
        if isinstance(ruling, EventAcceptance):
            done = msgspec.structs.replace(done, state=ruling.to_state)
        else:
            found = find_fabrications(self._index, handed.artifacts, ruling, self._made)
            done = msgspec.structs.replace(
                done, code=ruling.code, message=ruling.message, fabricated=found
            )
        self.submissions.append(done)
        return ruling
