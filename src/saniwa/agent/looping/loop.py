"""The loop: ask, do, check, and ask again until the agent is done or cannot go on.

Read `_iterate` and `_played` first. An iteration counts when its end is in the journal. A
limit reached is not success, an error is an error, and both are told in the result.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.agent.contract import (
    CompletionCase,
    QueryOptions,
    QueryResult,
)
from saniwa.agent.floor import View
from saniwa.agent.flow import AgentStep
from saniwa.agent.journal.scribe import Scribe
from saniwa.agent.journal.story import Checkpoint, Pending, Story
from saniwa.agent.looping import trouble
from saniwa.agent.looping.answer import LONGEST_CARRIED
from saniwa.agent.looping.doing import (
    MOST_REPEATED,
    Detected,
    SubmissionCounter,
    detect,
    perform,
)
from saniwa.agent.looping.known import known
from saniwa.agent.looping.parts import LoopParts
from saniwa.agent.looping.walker import Brought, Walker
from saniwa.agent.oracle import Usage, describe_end
from saniwa.agent.progress import (
    ActionResult,
    AgentResult,
    Carry,
    IterationSummary,
    Problem,
    Progress,
)
from saniwa.agent.walking.position import Position
from saniwa.core.errors import LoopError, SaniwaError
from saniwa.core.quoted import cut

LONGEST_SUMMED = 20_000
"""Letters of an answer that its summary holds; the journal has all of it."""
_SILENCE = QueryResult(messages=("",), conversation_id="")


class AgentLoop:
    """One agent's iterations."""

    def __init__(self, parts: LoopParts) -> None:
        self._parts = parts
        self._scribe = Scribe(parts.journal, parts.bell, parts.clock)
        self._walker = Walker(parts, self._scribe, self._known)
        self.progress = Progress()
        self.usage = Usage()
        """What everything has cost."""
        self.result: AgentResult | None = None
        """What became of it; None while it goes on."""
        self._brought = Brought(_SILENCE)
        self._pending: Pending | None = None
        self._submissions = SubmissionCounter()

    @property
    def position(self) -> Position:
        """Where the flow stands."""
        return self._walker.position

    def carry_on(self, story: Story) -> None:
        """Stand where a journal ends.

        Raises:
            LoopError: `JOURNAL_DIFFERS` for the journal of another definition.
            CompletionError: The journal is of another completion.
            StoreError: `TRACE_CORRUPT` for a step nobody knows.
        """
        definition = self._parts.definition
        if story.definition and story.definition != definition.hash:
            raise trouble.differs(definition.name, story.definition, definition.hash)
        self._pending = story.pending
        last = story.last
        if last is None:
            return
        if last.position.step not in definition.flow.steps:
            raise trouble.strange(last.position.step)
        self.progress, self.usage = story.progress, last.usage
        self._walker.position, self._walker.checks = last.position, last.checks
        self._brought = Brought(story.response or _SILENCE)
        self._walker.undelivered = last.undelivered
        self._submissions = SubmissionCounter(last.refused)
        self._parts.completion.recall(last.completion)
        if self._parts.completion.is_complete():
            self._finish()
        elif story.problem is not None and story.problem.code in trouble.FINAL:
            # Nothing it hangs on has changed, or the definition would be another.
            self.result = self._told(success=False, error=story.problem)

    def open(self, *, resumed: bool) -> None:
        """Write down that it begins, or goes on; and what a crash had left unfinished.

        Raises:
            StoreError: The journal cannot be written, or somebody else writes it.
        """
        self._scribe.note(
            "initialized",
            lasting=True,
            agent=self._parts.definition.name,
            agentRun=self._parts.name,
            definition=self._parts.definition.hash,
            arguments=dict(self._parts.arguments),
            about=dict(self._parts.about),
            resumed=resumed,
        )
        for finding in getattr(self._parts.journal, "mended", ()):
            self._scribe.note("warning", code=finding.code, message=finding.message)
        if self.result is not None:
            self._note_end()

    def stopped(self, problem: Problem) -> AgentResult:
        """End it from outside, unless it has ended."""
        if self.result is None:
            self._fail(problem)
        assert self.result is not None, "a loop that failed has a result"
        return self.result

    async def run(self, progress: Progress) -> AgentResult:
        """Iterate until there is a result. Post: success, or an error is set.

        Raises:
            LoopError: `LOOP_BEGUN` for progress that has begun: a loop is carried on by
                its journal, not by its progress.
        """
        if progress.iteration:
            raise trouble.begun(progress.iteration)
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
            return await self._iterate()
        except SaniwaError as problem:
            self._fail(trouble.problem_of(problem, iteration))
        except Exception as problem:  # noqa: BLE001 - the loop's boundary: it ends with a result
            self._fail(trouble.surprise(problem, iteration))
        return None

    async def _iterate(self) -> IterationSummary | None:
        pending, self._pending = self._pending, None
        if pending is not None and pending.response is not None:
            # An answer that had come is carried out first, whatever has come since.
            return await self._played(self._parts.floor.view(), pending)
        view = await self._standing()
        if view is None:
            return None
        if self.progress.iteration >= self._parts.max_iterations:
            raise trouble.too_many(self._parts.max_iterations)
        await self._walker.deliver()
        await self._walker.settle(self._brought, view.facts)
        if self.position.complete:
            raise trouble.flow_ended(self.position.step)
        return await self._played(view, None)

    async def _standing(self) -> View | None:
        """What the floor shows; where somebody else must act first, after they have."""
        view = self._parts.floor.view()
        while view.waits:
            if self.progress.iteration and await self._completed(view):
                self._note_end()
                return None
            self._scribe.note("waiting", reason=view.waits)
            if not await self._parts.floor.wait():
                raise trouble.waiting(view.waits)
            view = self._parts.floor.view()
        return view

    async def _played(
        self, view: View, pending: Pending | None
    ) -> IterationSummary | None:
        number, step = self.progress.iteration + 1, self._walker.step
        turn = view.facts.get("turn") if pending is None else pending.turn
        self._scribe.note("iterationStart", iteration=number, step=step.id, turn=turn)
        before = self.usage
        response = await self._asked(step, view, pending)
        detected = self._detected(response)
        results, repeated = await self._done(step, detected, number, view, turn)
        self._brought = Brought(response, results)
        passed, stopped = await self._walked(step)
        self.usage += self._walker.asking
        self._walker.asking = Usage()
        summary = _summary(number, step, response, detected, results)
        spent = self.usage - before
        self._sum_up(replace(summary, passed=passed, usage=spent))
        done = await self._completed(self._parts.floor.view())
        self._close()
        stopped = stopped or repeated
        if stopped is not None and not done:
            raise stopped
        return self.progress.summaries[-1]

    async def _walked(self, step: AgentStep) -> tuple[bool | None, LoopError | None]:
        """Go on from the step; an end of the walk waits until the iteration is closed.

        What the model said and did counts, and may be what completes the agent, also
        where the flow cannot go on.
        """
        passed: bool | None = False
        try:
            passed = await self._walker.ran(self._brought)
            self._carry(step)
            await self._walker.settle(self._brought, self._parts.floor.view().facts)
        except LoopError as stopped:
            return passed, stopped
        return passed, None

    async def _asked(
        self, step: AgentStep, view: View, pending: Pending | None
    ) -> QueryResult:
        assert step.prompt is not None, "a step that is asked has a prompt"
        variables = self._known(view)
        prompt = await self._parts.resolver.resolve(step.prompt, variables)
        system = await self._parts.resolver.resolve_system(variables)
        for code, message in self._parts.warnings.taken():
            self._scribe.note("warning", code=code, message=message)
        self._scribe.prompt(prompt, system)
        if pending is not None and pending.response is not None:
            response = pending.response
        else:
            options = self._options(step, system)
            response = await self._parts.bridge.query(prompt, options)
        self.usage += response.usage
        self._scribe.answer(response)
        old = self.progress.conversation_id
        told_again = bool(self._parts.definition.asking.history)
        if told_again and old is not None and response.conversation_id != old:
            lost = "the conversation was lost; a new one began"
            self._scribe.note("warning", message=lost)
        return response

    def _options(self, step: AgentStep, system: str) -> QueryOptions:
        asking = self._parts.definition.asking
        return QueryOptions(
            conversation_id=self.progress.conversation_id if asking.history else None,
            system=system,
            schema=step.schema,
            max_tokens=asking.max_tokens,
            temperature=asking.temperature,
            seed=asking.seed,
            hear=self._scribe.hear if self._scribe.heard else None,
        )

    def _detected(self, response: QueryResult) -> Detected:
        definition = self._parts.definition
        if response.is_whole:
            detected = detect(
                response.text, definition.actions, speaks=definition.speaks
            )
        else:
            limit = definition.asking.max_tokens
            why = describe_end(response.finish, response.reason, limit)
            # A character stays silent, and its turn passes; any other agent does nothing.
            silence: dict[str, Any] = {"type": "speak", "content": ""}
            detected = Detected((silence,) if definition.speaks else (), (why,))
        for error in (*response.mended, *detected.errors):
            self._scribe.note("warning", message=error)
        return detected

    async def _done(
        self,
        step: AgentStep,
        detected: Detected,
        number: int,
        view: View,
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
            self._scribe.note("actionDetected", attempt=attempt, type=action["type"])
            came = await perform(
                action, self._parts.floor, attempt, calls=2 if checked else 1
            )
            told = msgspec.to_builtins(came)
            self._scribe.note("actionExecuted", attempt=attempt, results=told)
            results += came
            if action["type"] == "submit":
                repeated = self._repeated(action, came[0], view) or repeated
        return tuple(results), repeated

    def _repeated(
        self, action: dict[str, Any], result: ActionResult, view: View
    ) -> LoopError | None:
        revision = view.facts.get("revision")
        times = self._submissions.count(action, result, revision)
        if times < MOST_REPEATED:
            return None
        return trouble.repeated(str(action.get("event", "")), times, result)

    def _carry(self, step: AgentStep) -> None:
        response = self._brought.response
        outputs = self._walker.outputs(step.id, _whole_text(response))
        carry = Carry(
            previous_response=cut(response.text, LONGEST_CARRIED),
            accumulated={**self.progress.carry.accumulated, **outputs},
        )
        self.progress = replace(self.progress, carry=carry)

    def _sum_up(self, summary: IterationSummary) -> None:
        self.progress = replace(
            self.progress,
            conversation_id=summary.conversation_id,
            iteration=summary.iteration,
            summaries=(*self.progress.summaries, summary),
        )

    async def _completed(self, view: View) -> bool:
        """Ask whether the agent is done; the steps' own keywords have had their say."""
        completion = self._parts.completion
        case = CompletionCase(
            iteration=self.progress.iteration,
            response=_without_part(self._brought.response),
            summary=self.progress.summaries[-1],
            checks=self._walker.checks,
            step="" if self.position.complete else self.position.step,
            flow_complete=self.position.complete,
            facts=view.facts,
        )
        said = await completion.check(case)
        self._scribe.note(
            "completionChecked",
            complete=said.complete,
            reason=said.reason,
            **_states(completion),
        )
        if said.complete:
            self._finish()
        return said.complete

    def _finish(self) -> None:
        reason = self._parts.completion.get_reason()
        self.result = self._told(success=True, reason=reason)

    def _fail(self, problem: Problem) -> None:
        self.result = self._told(success=False, error=problem)
        self._note_end()

    def _told(
        self, *, success: bool, reason: str = "", error: Problem | None = None
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

    def _close(self) -> None:
        """The iteration counts from here on."""
        self._scribe.close(
            Checkpoint(
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
            self._note_end()

    def _note_end(self) -> None:
        assert self.result is not None, "only an end is written down as one"
        if self.result.error is not None:
            told = msgspec.to_builtins(self.result.error)
            self._scribe.note("error", lasting=True, error=told)
        else:
            reason = self.result.completion_reason
            self._scribe.note("completed", lasting=True, reason=reason)

    def _known(self, view: View | None = None) -> dict[str, str]:
        return known(
            self._parts.definition,
            self._parts.arguments,
            self.progress,
            view or self._parts.floor.view(),
            checks=self._walker.checks,
            most=self._parts.max_iterations,
        )


def _summary(
    number: int,
    step: AgentStep,
    response: QueryResult,
    detected: Detected,
    results: tuple[ActionResult, ...],
) -> IterationSummary:
    return IterationSummary(
        iteration=number,
        step=step.id,
        conversation_id=response.conversation_id,
        assistant_responses=tuple(cut(m, LONGEST_SUMMED) for m in response.messages),
        detected_actions=detected.summed,
        action_results=results,
        errors=(*response.mended, *detected.errors),
    )


def _whole_text(response: QueryResult) -> str:
    return response.text if response.is_whole else ""


def _without_part(response: QueryResult) -> QueryResult:
    """The answer for a completion: words of one that is not whole complete nothing."""
    if response.is_whole:
        return response
    return replace(response, messages=("",))


def _states(completion: Any) -> dict[str, Any]:
    """What each of several conditions says, where there are several."""
    asks = getattr(completion, "get_condition_states", None)
    return {} if asks is None else {"states": asks()}
