"""The loop: ask, do, check, and ask again until the agent is done or cannot go on.

Read `_run_iteration` and `_play_iteration` first. An iteration counts when its end is in the journal. A
limit reached is not success, an error is an error, and both are told in the result.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.agent.contract import CompletionCase, QueryOptions, QueryResult
from saniwa.agent.definition import AgentStep
from saniwa.agent.flow import FlowPosition
from saniwa.agent.journal import (
    IterationCheckpoint,
    JournalSummary,
    JournalWriter,
    PendingIteration,
)
from saniwa.agent.loop import errors
from saniwa.agent.loop.actions import (
    MOST_REPEATS,
    DetectedActions,
    SubmissionCounter,
    detect_actions,
    perform_action,
)
from saniwa.agent.loop.runner import FlowRunner, IterationOutcome, LoopParts
from saniwa.agent.loop.variables import LONGEST_CARRIED, collect_variables
from saniwa.agent.port import AgentView
from saniwa.agent.progress import (
    ActionResult,
    AgentProblem,
    AgentResult,
    IterationCarry,
    IterationSummary,
    Progress,
)
from saniwa.core.errors import LoopError, SaniwaError
from saniwa.core.text import truncate
from saniwa.models.oracle import Usage, describe_finish

LONGEST_SUMMED = 20_000
"""Letters of an answer that its summary holds; the journal has all of it."""
_EMPTY_RESULT = QueryResult(messages=("",), conversation_id="")


class AgentLoop:
    """One agent's iterations."""

    def __init__(self, parts: LoopParts) -> None:
        self._parts = parts
        self._scribe = JournalWriter(parts.journal, parts.bell, parts.clock)
        self._walker = FlowRunner(parts, self._scribe, self._collect_variables)
        self.progress = Progress()
        self.usage = Usage()
        """What everything has cost."""
        self.result: AgentResult | None = None
        """What became of it; None while it goes on."""
        self._brought = IterationOutcome(_EMPTY_RESULT)
        self._pending: PendingIteration | None = None
        self._submissions = SubmissionCounter()

    @property
    def position(self) -> FlowPosition:
        """Where the flow stands."""
        return self._walker.position

    def resume(self, story: JournalSummary) -> None:
        """Stand where a journal ends.

        Raises:
            LoopError: `JOURNAL_DIFFERS` for the journal of another definition.
            CompletionError: The journal is of another completion.
            StoreError: `TRACE_CORRUPT` for a step nobody knows.
        """
        definition = self._parts.definition
        if story.definition and story.definition != definition.hash:
            raise errors.make_definition_mismatch_error(
                definition.name, story.definition, definition.hash
            )
        self._pending = story.pending
        last = story.last
        if last is None:
            return
        if last.position.step not in definition.flow.steps:
            raise errors.make_unknown_step_error(last.position.step)
        self.progress, self.usage = story.progress, last.usage
        self._walker.position, self._walker.checks = last.position, last.checks
        self._brought = IterationOutcome(story.response or _EMPTY_RESULT)
        self._walker.undelivered = last.undelivered
        self._submissions = SubmissionCounter(last.refused)
        self._parts.completion.recall(last.completion)
        if self._parts.completion.is_complete():
            self._set_success()
        elif story.problem is not None and story.problem.code in errors.FINAL_CODES:
            # Nothing it hangs on has changed, or the definition would be another.
            self.result = self._build_result(success=False, error=story.problem)

    def write_beginning(self, *, resumed: bool) -> None:
        """Write down that it begins, or goes on; and what a crash had left unfinished.

        Raises:
            StoreError: The journal cannot be written, or somebody else writes it.
        """
        self._scribe.write_entry(
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
            self._scribe.write_entry(
                "warning", code=finding.code, message=finding.message
            )
        if self.result is not None:
            self._write_end()

    def stop_with(self, problem: AgentProblem) -> AgentResult:
        """End it from outside, unless it has ended."""
        if self.result is None:
            self._set_failure(problem)
        assert self.result is not None, "a loop that failed has a result"
        return self.result

    async def run(self, progress: Progress) -> AgentResult:
        """Iterate until there is a result. Post: success, or an error is set.

        Raises:
            LoopError: `LOOP_BEGUN` for progress that has begun: a loop is carried on by
                its journal, not by its progress.
        """
        if progress.iteration:
            raise errors.make_begun_error(progress.iteration)
        if not self.progress.iteration:
            self.progress = progress
        while await self.iterate() is not None:
            pass
        assert self.result is not None, "a loop ends with a result"
        return self.result

    async def iterate(self) -> IterationSummary | None:
        """One iteration; None where there is none left, and `result` says why."""
        if self.result is not None:
            return None
        iteration = self.progress.iteration + 1
        try:
            return await self._run_iteration()
        except SaniwaError as problem:
            self._set_failure(errors.to_problem(problem, iteration))
        except Exception as problem:  # noqa: BLE001 - the loop's boundary: it ends with a result
            self._set_failure(errors.to_unexpected_problem(problem, iteration))
        return None

    async def _run_iteration(self) -> IterationSummary | None:
        pending, self._pending = self._pending, None
        if pending is not None and pending.response is not None:
            # An answer that had come is carried out first, whatever has come since.
            return await self._play_iteration(self._parts.floor.view(), pending)
        view = await self._wait_for_view()
        if view is None:
            return None
        if self.progress.iteration >= self._parts.max_iterations:
            raise errors.make_iteration_limit_error(self._parts.max_iterations)
        await self._walker.deliver_notice()
        await self._walker.pass_silent_steps(self._brought, view.facts)
        if self.position.complete:
            raise errors.make_flow_ended_error(self.position.step)
        return await self._play_iteration(view, None)

    async def _wait_for_view(self) -> AgentView | None:
        """What the floor shows; where somebody else must act first, after they have."""
        view = self._parts.floor.view()
        while view.waits:
            if self.progress.iteration and await self._check_completion(view):
                self._write_end()
                return None
            self._scribe.write_entry("waiting", reason=view.waits)
            if not await self._parts.floor.wait():
                raise errors.make_waiting_error(view.waits)
            view = self._parts.floor.view()
        return view

    async def _play_iteration(
        self, view: AgentView, pending: PendingIteration | None
    ) -> IterationSummary | None:
        number, step = self.progress.iteration + 1, self._walker.current_step
        turn = view.facts.get("turn") if pending is None else pending.turn
        self._scribe.write_entry(
            "iterationStart", iteration=number, step=step.id, turn=turn
        )
        before = self.usage
        response = await self._ask_model(step, view, pending)
        detected = self._detect_actions(response)
        results, repeated = await self._perform_actions(
            step, detected, number, view, turn
        )
        self._brought = IterationOutcome(response, results)
        passed, stopped = await self._advance_flow(step)
        self.usage += self._walker.asking
        self._walker.asking = Usage()
        summary = _build_summary(number, step, response, detected, results)
        spent = self.usage - before
        self._add_summary(replace(summary, passed=passed, usage=spent))
        done = await self._check_completion(self._parts.floor.view())
        self._write_checkpoint()
        stopped = stopped or repeated
        if stopped is not None and not done:
            raise stopped
        return self.progress.summaries[-1]

    async def _advance_flow(
        self, step: AgentStep
    ) -> tuple[bool | None, LoopError | None]:
        """Go on from the step; an end of the walk waits until the iteration is closed.

        What the model said and did counts, and may be what completes the agent, also
        where the flow cannot go on.
        """
        passed: bool | None = False
        try:
            passed = await self._walker.finish_step(self._brought)
            self._update_carry(step)
            await self._walker.pass_silent_steps(
                self._brought, self._parts.floor.view().facts
            )
        except LoopError as stopped:
            return passed, stopped
        return passed, None

    async def _ask_model(
        self, step: AgentStep, view: AgentView, pending: PendingIteration | None
    ) -> QueryResult:
        assert step.prompt is not None, "a step that is asked has a prompt"
        variables = self._collect_variables(view)
        prompt = await self._parts.resolver.resolve(step.prompt, variables)
        system = await self._parts.resolver.resolve_system(variables)
        for code, message in self._parts.warnings.take_new():
            self._scribe.write_entry("warning", code=code, message=message)
        self._scribe.write_prompt(prompt, system)
        if pending is not None and pending.response is not None:
            response = pending.response
        else:
            options = self._build_options(step, system)
            response = await self._parts.bridge.query(prompt, options)
        self.usage += response.usage
        self._scribe.write_answer(response)
        old = self.progress.conversation_id
        told_again = bool(self._parts.definition.asking.history)
        if told_again and old is not None and response.conversation_id != old:
            lost = "the conversation was lost; a new one began"
            self._scribe.write_entry("warning", message=lost)
        return response

    def _build_options(self, step: AgentStep, system: str) -> QueryOptions:
        asking = self._parts.definition.asking
        return QueryOptions(
            conversation_id=self.progress.conversation_id if asking.history else None,
            system=system,
            schema=step.schema,
            max_tokens=asking.max_tokens,
            temperature=asking.temperature,
            seed=asking.seed,
            hear=self._scribe.emit_piece if self._scribe.has_listeners else None,
        )

    def _detect_actions(self, response: QueryResult) -> DetectedActions:
        definition = self._parts.definition
        if response.is_whole:
            detected = detect_actions(
                response.text, definition.actions, speaks=definition.speaks
            )
        else:
            limit = definition.asking.max_tokens
            why = describe_finish(response.finish, response.reason, limit)
            # A character stays silent, and its turn passes; any other agent does nothing.
            silence: dict[str, Any] = {"type": "speak", "content": ""}
            detected = DetectedActions((silence,) if definition.speaks else (), (why,))
        for error in (*response.mended, *detected.errors):
            self._scribe.write_entry("warning", message=error)
        return detected

    async def _perform_actions(
        self,
        step: AgentStep,
        detected: DetectedActions,
        number: int,
        view: AgentView,
        turn: int | None,
    ) -> tuple[tuple[ActionResult, ...], LoopError | None]:
        """What came of each action, and the end of an agent that only repeats itself."""
        results: list[ActionResult] = []
        repeated: LoopError | None = None
        # The answer is one question to a model; a check that asks one is another.
        checked = step.check is not None and step.check.type == "prompt"
        for index, action in enumerate(detected.actions):
            # Its own name for each deed, and where the world stood: the same after a
            # crash, so that the floor knows a deed it has seen.
            attempt = f"{self._parts.name}:{number}:{index}"
            attempt += f"@{turn}" if turn is not None else ""
            self._scribe.write_entry(
                "actionDetected", attempt=attempt, type=action["type"]
            )
            came = await perform_action(
                action, self._parts.floor, attempt, calls=2 if checked else 1
            )
            told = msgspec.to_builtins(came)
            self._scribe.write_entry("actionExecuted", attempt=attempt, results=told)
            results += came
            if action["type"] == "submit":
                repeated = self._check_repetition(action, came[0], view) or repeated
        return tuple(results), repeated

    def _check_repetition(
        self, action: dict[str, Any], result: ActionResult, view: AgentView
    ) -> LoopError | None:
        revision = view.facts.get("revision")
        times = self._submissions.count_result(action, result, revision)
        if times < MOST_REPEATS:
            return None
        return errors.make_repetition_error(str(action.get("event", "")), times, result)

    def _update_carry(self, step: AgentStep) -> None:
        response = self._brought.response
        outputs = self._walker.extract_outputs(step.id, _get_usable_text(response))
        carry = IterationCarry(
            previous_response=truncate(response.text, LONGEST_CARRIED),
            accumulated={**self.progress.carry.accumulated, **outputs},
        )
        self.progress = replace(self.progress, carry=carry)

    def _add_summary(self, summary: IterationSummary) -> None:
        self.progress = replace(
            self.progress,
            conversation_id=summary.conversation_id,
            iteration=summary.iteration,
            summaries=(*self.progress.summaries, summary),
        )

    async def _check_completion(self, view: AgentView) -> bool:
        """Ask whether the agent is done; the steps' own keywords have had their say."""
        completion = self._parts.completion
        case = CompletionCase(
            iteration=self.progress.iteration,
            response=_drop_partial_answer(self._brought.response),
            summary=self.progress.summaries[-1],
            checks=self._walker.checks,
            step="" if self.position.complete else self.position.step,
            flow_complete=self.position.complete,
            facts=view.facts,
        )
        said = await completion.check(case)
        self._scribe.write_entry(
            "completionChecked",
            complete=said.complete,
            reason=said.reason,
            **_collect_states(completion),
        )
        if said.complete:
            self._set_success()
        return said.complete

    def _set_success(self) -> None:
        reason = self._parts.completion.get_reason()
        self.result = self._build_result(success=True, reason=reason)

    def _set_failure(self, problem: AgentProblem) -> None:
        self.result = self._build_result(success=False, error=problem)
        self._write_end()

    def _build_result(
        self, *, success: bool, reason: str = "", error: AgentProblem | None = None
    ) -> AgentResult:
        return AgentResult(
            success=success,
            total_iterations=self.progress.iteration,
            completion_reason=reason,
            error=error,
            summaries=self.progress.summaries,
            usage=self.usage,
            visits=self.position.visits,
        )

    def _write_checkpoint(self) -> None:
        """The iteration counts from here on."""
        self._scribe.write_checkpoint(
            IterationCheckpoint(
                summary=self.progress.summaries[-1],
                position=self.position,
                conversation_id=self.progress.conversation_id,
                carry=self.progress.carry,
                checks=self._walker.checks,
                completion=self._parts.completion.remember(),
                usage=self.usage,
                undelivered=self._walker.undelivered,
                refused=self._submissions.refused,
            )
        )
        if self.result is not None:
            self._write_end()

    def _write_end(self) -> None:
        assert self.result is not None, "only an end is written down as one"
        if self.result.error is not None:
            told = msgspec.to_builtins(self.result.error)
            self._scribe.write_entry("error", lasting=True, error=told)
        else:
            reason = self.result.completion_reason
            self._scribe.write_entry("completed", lasting=True, reason=reason)

    def _collect_variables(self, view: AgentView | None = None) -> dict[str, str]:
        return collect_variables(
            self._parts.definition,
            self._parts.arguments,
            self.progress,
            view or self._parts.floor.view(),
            checks=self._walker.checks,
            most=self._parts.max_iterations,
        )


def _build_summary(
    number: int,
    step: AgentStep,
    response: QueryResult,
    detected: DetectedActions,
    results: tuple[ActionResult, ...],
) -> IterationSummary:
    return IterationSummary(
        iteration=number,
        step=step.id,
        conversation_id=response.conversation_id,
        assistant_responses=tuple(
            truncate(m, LONGEST_SUMMED) for m in response.messages
        ),
        detected_actions=detected.summaries,
        action_results=results,
        errors=(*response.mended, *detected.errors),
    )


def _get_usable_text(response: QueryResult) -> str:
    return response.text if response.is_whole else ""


def _drop_partial_answer(response: QueryResult) -> QueryResult:
    """The answer for a completion: words of one that is not whole complete nothing."""
    if response.is_whole:
        return response
    return replace(response, messages=("",))


def _collect_states(completion: Any) -> dict[str, Any]:
    """What each of several conditions says, where there are several."""
    asks = getattr(completion, "get_condition_states", None)
    return {} if asks is None else {"states": asks()}
