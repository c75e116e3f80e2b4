"""A prepared plan as an inspect-ai task: one sample per cell, played and scored.

Needs the extra `inspect`. The log contains every prompt and answer with the rulebook's
verdicts, and each cell's outcome, which `table_export.read_outcomes_from_log` reads back.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from saniwa.experiment.analysis_records import HEADLINE_METRICS
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.metrics import METRICS, compute_metric, count_outcome
from saniwa.experiment.plan import ExperimentCell, PreparedPlan, StandInFaults, iterate_cells
from saniwa.experiment.run_template import RunTemplates
from saniwa.experiment.stand_in.character import StandIn
from saniwa.integrations.table_export import OUTCOME_KEY
from saniwa.models.oracle import (
    FinishReason,
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    TextListener,
    Usage,
)


@modelapi(name="saniwa")
class StandInModel(ModelAPI):
    """A stand-in as an inspect-ai model."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as the library has it
        **faults: Any,
    ) -> None:
        """Make errors as `faults` say, with the fields of a plan's faults.

        Raises:
            msgspec.ValidationError: A fault is unknown or not a number.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        self._standin = StandIn(msgspec.convert(faults, StandInFaults))

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the stand-in's answer."""
        del tools, tool_choice
        answer = await self._standin.answer(to_request(input, config))
        return to_model_output(answer)


def to_request(messages_in: list[ChatMessage], config: GenerateConfig) -> OracleRequest:
    """Convert inspect-ai's messages and settings to a request."""
    system = "\n\n".join(each.text for each in messages_in if each.role == "system")
    messages_out = tuple(
        OracleMessage(role="assistant" if each.role == "assistant" else "user", text=each.text)
        for each in messages_in
        if each.role != "system"
    )
    usual = OracleRequest(messages=messages_out, system=system)
    return msgspec.structs.replace(
        usual,
        max_tokens=config.max_tokens or usual.max_tokens,
        temperature=config.temperature or usual.temperature,
        seed=config.seed,
    )


def to_model_output(answer: OracleAnswer) -> ModelOutput:
    """Convert an answer to inspect-ai's output, with its token usage."""
    ended: StopReason = "max_tokens" if answer.finish == "length" else "stop"
    output = ModelOutput.from_content(answer.model, answer.text, ended)
    used = answer.usage
    output.usage = ModelUsage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
    )
    return output


_FINISH: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filtered",
    "tool_calls": "tool_call",
}


class InspectOracle:
    """Calls an inspect-ai model, and records the requests."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.asked: list[OracleRequest] = []
        """Every request that was answered, in order."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the model's answer; the request's settings override the evaluation's."""
        config = GenerateConfig(
            max_tokens=request.max_tokens, temperature=request.temperature, seed=request.seed
        )
        output = await self._model.generate(to_chat_messages(request), config=config)
        self.asked.append(request)
        if hear is not None:
            hear(output.completion)
        return from_model_output(output)

    async def close(self) -> None:
        """Do nothing: inspect-ai closes the model."""


def to_chat_messages(request: OracleRequest) -> list[ChatMessage]:
    """Convert a request to inspect-ai's messages."""
    chat: list[ChatMessage] = []
    if request.system:
        chat.append(ChatMessageSystem(content=request.system))
    for message in request.messages:
        kind = ChatMessageUser if message.role == "user" else ChatMessageAssistant
        chat.append(kind(content=message.text))
    return chat


def from_model_output(output: ModelOutput) -> OracleAnswer:
    """Convert a model's output to an answer; inspect-ai computes the cost."""
    used = output.usage
    input_tokens_total = (
        used.input_tokens
        + (used.input_tokens_cache_read or 0)
        + (used.input_tokens_cache_write or 0)
        if used
        else 0
    )
    return OracleAnswer(
        text=output.completion,
        finish=_FINISH.get(output.stop_reason, "other"),
        usage=Usage(
            calls=1,
            input_tokens=input_tokens_total,
            output_tokens=used.output_tokens if used else 0,
            unpriced=1,
        ),
        model=output.model,
        took_ms=round((output.time or 0) * 1000),
    )


SCORED_METRICS: Final = (
    *HEADLINE_METRICS,
    "impossible_rate",
    "first_try_validity",
    "invented_rate",
    "crash",
)
"""The metrics that are scores; all others are in a score's metadata."""
_NOTHING: Final = float("nan")
"""What inspect-ai takes for a missing score."""


def build_task(prepared: PreparedPlan) -> Task:
    """Build a task with the plan's cells as samples, in the plan's order.

    The model of the evaluation plays the characters of all cells; seeds, temperatures
    and the length of answers come from the plan.
    """
    plan = prepared.plan
    return Task(
        dataset=MemoryDataset(
            [_make_sample(prepared, cell) for cell in iterate_cells(plan)], name=plan.experiment_id
        ),
        solver=_make_player(prepared)(),
        scorer=truthfulness(),
        name=plan.experiment_id,
        metadata={"saniwa": prepared.version, "plan": prepared.fingerprint},
    )


def _make_sample(prepared: PreparedPlan, cell: ExperimentCell) -> Sample:
    setting, played = prepared.settings[cell.scenario], cell.condition
    opening = str(setting.document.get("gm_opening_message") or cell.scenario)
    return Sample(
        id=cell.key,
        input=opening,
        metadata={
            "scenario": cell.scenario,
            "condition": played.name,
            "inject": played.inject,
            "gm": played.gm,
            "seed": cell.seed,
        },
    )


def _make_player(prepared: PreparedPlan) -> Any:
    """Build the solver that plays a sample's cell.

    Built here because its plan must not be written to the log as an argument.
    """
    stages = RunTemplates(prepared)
    cells = {cell.key: cell for cell in iterate_cells(prepared.plan)}

    @solver
    def play() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            del generate  # a cell calls the model as often as it has to
            oracle = InspectOracle(get_model())
            outcome = await play_cell(stages, cells[str(state.sample_id)], oracle)
            state.store.set(OUTCOME_KEY, msgspec.to_builtins(outcome))
            state.messages = [*_list_messages(outcome, oracle.asked)]
            for passage in outcome.passages:
                transcript().info(_describe_turn(passage), source="saniwa")
            return state

        return solve

    return play


@scorer(metrics={"*": [grouped(mean(), "condition"), stderr()]})
def truthfulness() -> Scorer:
    """Score how far a cell kept to what is true: each metric, the mean by condition."""

    async def score(state: TaskState, target: Target) -> Score:
        del target  # a story has no reference answer
        stored = state.store.get(OUTCOME_KEY)
        if stored is None:
            why = "the cell was not played to its end"
            return Score(value=_NOTHING, explanation=why, reason="scoring_failed")
        return score_outcome(msgspec.convert(stored, CellOutcome))

    return score


def score_outcome(outcome: CellOutcome) -> Score:
    """Convert the metrics of a cell to a score; metrics without data have no score."""
    numbers = count_outcome(outcome)
    found = {each.name: compute_metric(each.name, numbers) for each in METRICS}
    scores = {name: found.pop(name) for name in SCORED_METRICS}
    return Score(
        value={name: _NOTHING if v is None else v for name, v in scores.items()},
        answer=outcome.passages[-1].final.speech if outcome.passages else "",
        explanation=outcome.error_message or outcome.stopped,
        metadata={**found, "refusals": numbers.impossible_first_by_code},
    )


def _list_messages(outcome: CellOutcome, asked: list[OracleRequest]) -> Iterator[ChatMessage]:
    """Yield each prompt and its answer, in order; the answer carries the verdicts."""
    tried = ((p, a) for p in outcome.passages for a in p.attempts)
    for (passage, attempt), request in zip(tried, asked, strict=False):
        numbers = {"turn": passage.number, "attempt": attempt.number}
        yield ChatMessageUser(
            content=request.messages[-1].text, metadata={**numbers, "speaker": passage.speaker_name}
        )
        yield ChatMessageAssistant(
            content=attempt.raw_output, metadata={**numbers, **_describe_verdicts(attempt)}
        )


def _describe_verdicts(attempt: AnswerAttempt) -> dict[str, Any]:
    verdicts = [
        {
            "intent": f"{each.intent} {each.target}".rstrip(),
            "verdict": each.reason_code,
            "check": each.check,
            "message": each.message,
        }
        for each in attempt.intents
    ]
    return {"valid": attempt.is_valid, "verdicts": verdicts, "card": attempt.card}


def _describe_turn(passage: CellTurn) -> dict[str, Any]:
    return {
        "turn": passage.number,
        "speaker": passage.speaker_name,
        "attempts": [_describe_verdicts(attempt) for attempt in passage.attempts],
        "give_up": passage.give_up,
        "changes": len(passage.turn.changes),
        "stall_score": passage.stall_score,
    }
