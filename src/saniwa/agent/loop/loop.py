"""The loop: ask, act, check, and ask again until the agent is done or cannot continue.

Read `_run_iteration` and `_play_iteration` first. An iteration counts once its end is
in the journal. Reaching a limit is not success; every error is reported in the result.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.agent import describe
from saniwa.agent.definition import AgentStep
from saniwa.agent.flow_navigator import FlowPosition
from saniwa.agent.journal import (
    IterationCheckpoint,
    JournalSummary,
    JournalWriter,
    PendingIteration,
)
from saniwa.agent.layer_contracts import (
    WAITING_CODES,
    ActionResult,
    AgentProblem,
    AgentResult,
    CompletionCase,
    IterationCarry,
    IterationSummary,
    Progress,
    QueryOptions,
    QueryResult,
)
from saniwa.agent.loop import action_execution
from saniwa.agent.loop.action_execution import ToolUser
from saniwa.agent.loop.flow_runner import FlowRunner, IterationOutcome, LoopParts
from saniwa.agent.loop.prompt_variables import LONGEST_CARRIED, collect_variables
from saniwa.agent.port import AgentView
from saniwa.core.errors import LoopError, SaniwaError, StoreError
from saniwa.core.text import truncate
from saniwa.core.tracing import TracedOperation
from saniwa.models.oracle import Usage, describe_finish

LONGEST_SUMMED = 20_000
"""The most characters of an answer in its summary; the journal has all of it."""
_FINAL_CODES = frozenset(
    {"STEP_LOOP_LIMIT", "RETRIES_EXHAUSTED", "AGENT_ESCALATED", "FLOW_ENDED", "ROUTE_MISSING"}
)
"""Final errors of the flow: resuming with the same definition gives the same error."""
_EMPTY_RESULT = QueryResult(messages=("",), conversation_id="")


def _trace_error(span: TracedOperation, result: AgentResult | None) -> None:
    """Mark a span as failed, unless the agent only waits for a person."""
    if result and result.error and result.error.code not in WAITING_CODES:
        span.fail(result.error.code)


class AgentLoop:
    """The iterations of one agent."""

    def __init__(self, parts: LoopParts) -> None:
        self._parts = parts
        self._writer = JournalWriter(parts.journal, parts.events, parts.clock)
        self._runner = FlowRunner(parts, self._writer, self._collect_variables)
        self.progress = Progress()
        self.usage = Usage()
        """What everything has cost so far."""
        self.result: AgentResult | None = None
        """The result; None while the loop continues."""
        self._outcome = IterationOutcome(_EMPTY_RESULT)
        self._pending: PendingIteration | None = None
        self._submissions = action_execution.SubmissionCounter()

    @property
    def position(self) -> FlowPosition:
        """The current position in the flow."""
        return self._runner.position

    def resume(self, story: JournalSummary) -> None:
        """Continue where a journal ends.

        Raises:
            LoopError: `JOURNAL_DIFFERS` for the journal of another definition.
            CompletionError: The journal is of another completion.
            StoreError: `TRACE_CORRUPT` for an unknown step.
        """
        definition = self._parts.definition
        if story.definition not in ("", definition.hash, *definition.continues):
            then, now = story.definition[:16], definition.hash[:16]
            message = describe("JOURNAL_DIFFERS", then=then, now=now, name=definition.name)
            raise message.to_error(LoopError)
        self._pending = story.pending
        last = story.last
        if last is None:
            return
        if last.position.step not in definition.flow.steps:
            raise describe("TRACE_CORRUPT/unknown_step", step=last.position.step).to_error(
                StoreError
            )
        self.progress, self.usage = story.progress, last.usage
        self._runner.position, self._runner.checks = last.position, last.checks
        self._outcome = IterationOutcome(story.response or _EMPTY_RESULT)
        self._runner.undelivered = last.undelivered
        self._submissions = action_execution.SubmissionCounter(last.refused)
        self._parts.completion.recall(last.completion)
        if self._parts.completion.is_complete():
            self._set_success()
        elif story.problem is not None and story.problem.code in _FINAL_CODES:
            # Nothing it depends on has changed, or the definition's hash would differ.
            self.result = self._build_result(error=story.problem)

    def write_beginning(self, *, resumed: bool) -> None:
        """Write that the loop starts or resumes, and what was repaired after a crash.

        Raises:
            StoreError: The journal cannot be written, or another process writes it.
        """
        self._writer.write_entry(
            "initialized",
            lasting=True,
            agent=self._parts.definition.name,
            agentRun=self._parts.name,
            definition=self._parts.definition.hash,
            arguments=dict(self._parts.arguments),
            about=dict(self._parts.about),
            resumed=resumed,
        )
        for finding in getattr(self._parts.journal, "repairs", ()):
            self._writer.write_entry("warning", code=finding.code, message=finding.message)
        if self.result is not None:
            self._write_end()

    def stop_with(self, problem: AgentProblem) -> AgentResult:
        """Stop it from outside, unless it has ended."""
        if self.result is None:
            self._set_failure(problem)
        assert self.result is not None, "a loop that failed has a result"
        return self.result

    async def run(self, progress: Progress) -> AgentResult:
        """Iterate until there is a result. Post: success, or an error is set.

        Raises:
            LoopError: `LOOP_BEGUN` for progress that has begun: a loop is resumed from
                its journal, not from its progress.
        """
        if progress.iteration:
            raise describe("LOOP_BEGUN", iteration=progress.iteration).to_error(LoopError)
        if not self.progress.iteration:
            self.progress = progress
        with self._trace_invocation() as span:
            while await self._iterate() is not None:
                pass
            _trace_error(span, self.result)
        assert self.result is not None, "a loop ends with a result"
        return self.result

    async def iterate(self) -> IterationSummary | None:
        """Run one iteration; None if there is none left, and `result` says why."""
        with self._trace_invocation() as span:
            summary = await self._iterate()
            _trace_error(span, self.result)
            return summary

    def _trace_invocation(self) -> TracedOperation:
        name = self._parts.definition.name
        about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        return TracedOperation(f"invoke_agent {name}", about)

    async def _iterate(self) -> IterationSummary | None:
        if self.result is not None:
            return None
        iteration = self.progress.iteration + 1
        with TracedOperation("iteration", {"saniwa.agent.iteration": iteration}) as span:
            try:
                return await self._run_iteration()
            except Exception as problem:  # noqa: BLE001 - the loop's boundary: it ends with a result
                self._set_failure(_to_problem(problem, iteration))
                _trace_error(span, self.result)
        return None

    async def _run_iteration(self) -> IterationSummary | None:
        pending, self._pending = self._pending, None
        if pending is not None and (pending.response is not None or pending.rounds):
            # An answer that had arrived is acted on first, whatever has happened since.
            return await self._play_iteration(self._parts.port.view(), pending)
        view = await self._wait_for_view()
        if view is None:
            return None
        if self.progress.iteration >= self._parts.max_iterations:
            most = self._parts.max_iterations
            raise describe("AGENT_MAX_ITERATIONS", max_iterations=most).to_error(LoopError)
        await self._runner.deliver_notice()
        await self._runner.pass_silent_steps(self._outcome, view.facts)
        if self.position.complete:
            raise describe("FLOW_ENDED", step=self.position.step).to_error(LoopError)
        return await self._play_iteration(view, None)

    async def _wait_for_view(self) -> AgentView | None:
        """Return the port's view, waiting while another party has to act first."""
        view = self._parts.port.view()
        while view.waits:
            if self.progress.iteration and await self._check_completion(view):
                self._write_end()
                return None
            self._writer.write_entry("waiting", reason=view.waits)
            if not await self._parts.port.wait():
                raise describe("AGENT_WAITING", why=view.waits).to_error(LoopError)
            view = self._parts.port.view()
        return view

    async def _play_iteration(
        self, view: AgentView, pending: PendingIteration | None
    ) -> IterationSummary | None:
        number, step = self.progress.iteration + 1, self._runner.current_step
        turn = view.facts.get("turn") if pending is None else pending.turn
        self._writer.write_entry("iterationStart", iteration=number, step=step.id, turn=turn)
        before = self.usage
        tools = ToolUser(self._parts, self._writer, number, self._add_usage, pending)
        response = await self._ask_model(step, view, pending, tools)
        detected = self._detect_actions(response)
        results, repeated = await self._perform_actions(step, detected, view, turn, tools)
        self._outcome = IterationOutcome(response, results)
        passed, stopped = await self._advance_flow(step)
        self.usage += self._runner.asking
        self._runner.asking = Usage()
        self._add_summary(step, detected, passed, self.usage - before, tools.used)
        done = await self._check_completion(self._parts.port.view())
        self._write_checkpoint()
        stopped = stopped or repeated
        if stopped is not None and not done:
            raise stopped
        return self.progress.summaries[-1]

    async def _advance_flow(self, step: AgentStep) -> tuple[bool | None, LoopError | None]:
        """Move on from the step; an error of the flow is returned, not raised.

        The iteration is closed first: what the model said and did counts, and may
        complete the agent even if the flow cannot continue.
        """
        passed: bool | None = False
        try:
            passed = await self._runner.finish_step(self._outcome)
            self._update_carry(step)
            await self._runner.pass_silent_steps(self._outcome, self._parts.port.view().facts)
        except LoopError as stopped:
            return passed, stopped
        return passed, None

    def _add_usage(self, usage: Usage) -> Usage:
        self.usage += usage
        return self.usage

    async def _ask_model(
        self, step: AgentStep, view: AgentView, pending: PendingIteration | None, tools: ToolUser
    ) -> QueryResult:
        prompt, system = await self._build_prompt(step, view, pending)
        self._writer.write_prompt(prompt, system)
        response = await tools.ask(prompt, self._build_options(step, system))
        self.usage += response.usage
        old = self.progress.conversation_id
        has_history = bool(self._parts.definition.asking.history)
        if has_history and old is not None and response.conversation_id != old:
            lost = "the conversation was lost; a new one was started"
            self._writer.write_entry("warning", message=lost)
        return response

    async def _build_prompt(
        self, step: AgentStep, view: AgentView, pending: PendingIteration | None
    ) -> tuple[str, str]:
        """Return the prompt and the system prompt.

        Those that the model was asked with, if it has called tools since.
        """
        if pending is not None and pending.rounds:
            return pending.prompt, pending.system
        assert step.prompt is not None, "a step that is asked has a prompt"
        variables = self._collect_variables(view)
        prompt = await self._parts.resolver.resolve(step.prompt, variables)
        system = await self._parts.resolver.resolve_system(variables)
        for code, message in self._parts.warnings.take_new():
            self._writer.write_entry("warning", code=code, message=message)
        return prompt, system

    def _build_options(self, step: AgentStep, system: str) -> QueryOptions:
        asking = self._parts.definition.asking
        return QueryOptions(
            conversation_id=self.progress.conversation_id if asking.history else None,
            system=system,
            schema=step.schema,
            max_tokens=asking.max_tokens,
            temperature=asking.temperature,
            seed=asking.seed,
            hear=self._writer.emit_piece if self._parts.events.has_listeners else None,
        )

    def _detect_actions(self, response: QueryResult) -> action_execution.DetectedActions:
        definition = self._parts.definition
        if response.is_whole:
            detected = action_execution.detect_actions(
                response.text, definition.actions, speaks=definition.speaks
            )
        else:
            limit = definition.asking.max_tokens
            why = describe_finish(response.finish, response.reason, limit)
            # A character stays silent, and its turn passes; any other agent does
            # nothing.
            silence: dict[str, Any] = {"type": "speak", "content": ""}
            detected = action_execution.DetectedActions(
                (silence,) if definition.speaks else (), (why,)
            )
        for error in (*response.mended, *detected.errors):
            self._writer.write_entry("warning", message=error)
        return detected

    async def _perform_actions(
        self,
        step: AgentStep,
        detected: action_execution.DetectedActions,
        view: AgentView,
        turn: int | None,
        tools: ToolUser,
    ) -> tuple[tuple[ActionResult, ...], LoopError | None]:
        """Perform each action.

        Also return the error for an agent that only repeats itself.
        """
        results: list[ActionResult] = []
        repeated: LoopError | None = None
        # The answer is one model call; a check that asks a model is another.
        checked = step.check is not None and step.check.type == "prompt"
        for index, action in enumerate(detected.actions):
            # A key for each action, with the turn of the world: the same after a crash,
            # so that the port recognizes an action it has already performed.
            attempt = f"{self._parts.name}:{self.progress.iteration + 1}:{index}"
            attempt += f"@{turn}" if turn is not None else ""
            self._writer.write_entry("actionDetected", attempt=attempt, type=action["type"])
            handler = self._parts.definition.actions.handlers.get(action["type"])
            if handler is not None and action["type"] not in action_execution.PORT_ACTIONS:
                outcomes: tuple[ActionResult, ...] = (await tools.handle_action(action, handler),)
            else:
                outcomes = await action_execution.perform_action(
                    action, self._parts.port, attempt, calls=2 if checked else 1
                )
            serialized = msgspec.to_builtins(outcomes)
            self._writer.write_entry("actionExecuted", attempt=attempt, results=serialized)
            results += outcomes
            if action["type"] == "submit":
                revision = view.facts.get("revision")
                times = self._submissions.count_result(action, outcomes[0], revision)
                if times >= action_execution.MOST_REPEATS:
                    repeated = _make_repetition_error(action, times, outcomes[0])
        return tuple(results), repeated

    def _update_carry(self, step: AgentStep) -> None:
        response = self._outcome.response
        usable = response.text if response.is_whole else ""
        outputs = self._runner.extract_outputs(step.id, usable)
        carry = IterationCarry(
            previous_response=truncate(response.text, LONGEST_CARRIED),
            accumulated={**self.progress.carry.accumulated, **outputs},
        )
        self.progress = replace(self.progress, carry=carry)

    def _add_summary(
        self,
        step: AgentStep,
        detected: action_execution.DetectedActions,
        passed: bool | None,
        spent: Usage,
        used: list[str],
    ) -> None:
        response, results = self._outcome
        summary = IterationSummary(
            iteration=self.progress.iteration + 1,
            step=step.id,
            conversation_id=response.conversation_id,
            assistant_responses=tuple(truncate(m, LONGEST_SUMMED) for m in response.messages),
            tools_used=tuple(used),
            detected_actions=detected.summaries,
            action_results=results,
            passed=passed,
            errors=(*response.mended, *detected.errors),
            usage=spent,
        )
        self.progress = replace(
            self.progress,
            conversation_id=summary.conversation_id,
            iteration=summary.iteration,
            summaries=(*self.progress.summaries, summary),
        )

    async def _check_completion(self, view: AgentView) -> bool:
        """Check whether the agent is done; the steps' own checks come before this."""
        completion = self._parts.completion
        response = self._outcome.response
        if not response.is_whole:
            # A partial answer completes nothing.
            response = replace(response, messages=("",))
        case = CompletionCase(
            iteration=self.progress.iteration,
            response=response,
            summary=self.progress.summaries[-1],
            checks=self._runner.checks,
            step="" if self.position.complete else self.position.step,
            flow_complete=self.position.complete,
            facts=view.facts,
        )
        result = await completion.check(case)
        # A composite completion also tells the state of each condition.
        get_states = getattr(completion, "get_condition_states", None)
        states = {} if get_states is None else {"states": get_states()}
        self._writer.write_entry(
            "completionChecked", complete=result.complete, reason=result.reason, **states
        )
        if result.complete:
            self._set_success()
        return result.complete

    def _set_success(self) -> None:
        self.result = self._build_result(reason=self._parts.completion.get_reason())

    def _set_failure(self, problem: AgentProblem) -> None:
        self.result = self._build_result(error=problem)
        self._write_end()

    def _build_result(self, *, reason: str = "", error: AgentProblem | None = None) -> AgentResult:
        return AgentResult(
            success=error is None,
            total_iterations=self.progress.iteration,
            completion_reason=reason,
            error=error,
            summaries=self.progress.summaries,
            usage=self.usage,
            visits=self.position.visits,
        )

    def _write_checkpoint(self) -> None:
        """Write the end of the iteration, which counts from here on."""
        state = IterationCheckpoint(
            summary=self.progress.summaries[-1],
            position=self.position,
            conversation_id=self.progress.conversation_id,
            carry=self.progress.carry,
            checks=self._runner.checks,
            completion=self._parts.completion.remember(),
            usage=self.usage,
            undelivered=self._runner.undelivered,
            refused=self._submissions.refused,
        )
        # The model's answer is in the journal already, and is not written again.
        entry = msgspec.to_builtins(state)
        self._writer.write_entry("iterationEnd", lasting=True, state=entry)
        if self.result is not None:
            self._write_end()

    def _write_end(self) -> None:
        assert self.result is not None, "only an end is written down as one"
        if self.result.error is not None:
            problem = msgspec.to_builtins(self.result.error)
            self._writer.write_entry("error", lasting=True, error=problem)
        else:
            reason = self.result.completion_reason
            self._writer.write_entry("completed", lasting=True, reason=reason)

    def _collect_variables(self, view: AgentView | None = None) -> dict[str, str]:
        return collect_variables(
            self._parts.definition,
            self._parts.arguments,
            self.progress,
            view or self._parts.port.view(),
            checks=self._runner.checks,
            most=self._parts.max_iterations,
        )


def _to_problem(error: Exception, iteration: int) -> AgentProblem:
    """Convert an error, expected or not, to its form in the result."""
    cause = error.__cause__
    where: dict[str, Any] = {
        "iteration": iteration,
        "cause": "" if cause is None else f"{type(cause).__name__}: {cause}",
    }
    if not isinstance(error, SaniwaError):
        return AgentProblem(
            code="AGENT_FAILED",
            message=f"{type(error).__name__}: {error}",
            hint="the error is in a component of the agent, not in its model",
            **where,
        )
    return AgentProblem(
        code=str(error.code),
        message=error.message,
        recoverable=error.recoverable,
        hint=error.hint,
        **where,
    )


def _make_repetition_error(action: dict[str, Any], times: int, result: ActionResult) -> LoopError:
    return describe(
        "SUBMISSION_REPEATED",
        event=str(action.get("event", "")),
        times=times,
        code=result.code,
        problem=truncate(result.message, 1000),
    ).to_error(LoopError)
