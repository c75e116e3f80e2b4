"""The loop: ask, do, check, and ask again until the agent is done or cannot go on.

Read `_iterate` first. An iteration counts when its end is in the journal. A limit reached
is not success, an error is an error, and both are told in the result.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.agent.contract import (
    CompletionCase,
    QueryOptions,
    QueryResult,
    StepCase,
    StepCheckResult,
)
from saniwa.agent.floor import View
from saniwa.agent.flow import AgentStep
from saniwa.agent.looping.doing import detect, perform
from saniwa.agent.looping.journal import Checkpoint, Pending, Story
from saniwa.agent.looping.known import LONGEST_CARRIED, known, outputs_of
from saniwa.agent.looping.parts import LoopParts
from saniwa.agent.looping.position import Notice, Walked
from saniwa.agent.looping.route import route_of
from saniwa.agent.looping.walk import Walk, aborted, begin
from saniwa.agent.oracle import Usage
from saniwa.agent.progress import (
    ActionResult,
    AgentResult,
    Carry,
    IterationSummary,
    Problem,
    Progress,
)
from saniwa.core.errors import LoopError, SaniwaError
from saniwa.core.quoted import cut

_SILENCE = QueryResult(messages=("",), conversation_id="")


class AgentLoop:
    """One agent's iterations."""

    def __init__(self, parts: LoopParts) -> None:
        self._parts = parts
        self._walk = Walk(parts.definition.flow)
        self.progress = Progress()
        self.position = begin(parts.definition.flow)
        self.usage = Usage()
        self.result: AgentResult | None = None
        """What became of it; None while it goes on."""
        self._checks = 0
        self._response = _SILENCE
        self._pending: Pending | None = None
        self._system = ""

    def carry_on(self, story: Story) -> None:
        """Stand where a journal ends.

        Raises:
            LoopError: `JOURNAL_DIFFERS` for the journal of another definition.
        """
        mine = self._parts.definition.hash
        if story.definition and story.definition != mine:
            raise _differs(self._parts.definition.name, story.definition, mine)
        self._pending = story.pending
        last = story.last
        if last is None:
            return
        self.progress, self.position = story.progress, last.position
        self.usage, self._checks, self._response = (
            last.usage,
            last.checks,
            last.response,
        )
        self._parts.completion.recall(last.completion)
        if self._parts.completion.is_complete():
            self._finish()

    def open(self, *, resumed: bool) -> None:
        """Write down that it begins, or goes on."""
        self._note(
            "initialized",
            lasting=True,
            agent=self._parts.definition.name,
            agentRun=self._parts.name,
            definition=self._parts.definition.hash,
            arguments=dict(self._parts.arguments),
            place=self._parts.place,
            resumed=resumed,
        )

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
            raise _begun(progress.iteration)
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
        try:
            return await self._iterate()
        except SaniwaError as problem:
            self._fail(
                Problem(
                    code=str(problem.code),
                    message=problem.message,
                    recoverable=problem.recoverable,
                    hint=problem.hint,
                )
            )
        except Exception as problem:  # noqa: BLE001 - the loop's boundary: it ends with a result
            self._fail(
                Problem(
                    code="AGENT_FAILED",
                    message=f"{type(problem).__name__}: {problem}",
                    hint="this is a mistake of a part of the agent, not of its model",
                )
            )
        return None

    async def _iterate(self) -> IterationSummary | None:
        view = await self._standing()
        if view is None:
            return None
        if self.progress.iteration >= self._parts.max_iterations:
            raise _too_many(self._parts.max_iterations)
        await self._settle(view, ())
        if self.position.complete:
            raise _flow_ended(self.position.step)
        return await self._played(view)

    async def _standing(self) -> View | None:
        """What the floor shows; where somebody else must act first, after they have."""
        view = self._parts.floor.view()
        while view.waits:
            if self.progress.iteration and await self._completed(view):
                self._note_end()
                return None
            self._note("waiting", reason=view.waits)
            if not await self._parts.floor.wait():
                raise _waiting(view.waits)
            view = self._parts.floor.view()
        return view

    async def _played(self, view: View) -> IterationSummary:
        number, step = self.progress.iteration + 1, self._walk.step(self.position)
        pending, self._pending = self._pending, None
        if pending is not None and pending.response is None:
            pending = None
        turn = view.facts.get("turn") if pending is None else pending.turn
        self._note("iterationStart", iteration=number, step=step.id, turn=turn)
        before = self.usage
        response = await self._asked(step, view, pending)
        self._response = response
        detected = detect(
            response.text,
            self._parts.definition.actions,
            speaks=self._parts.definition.speaks,
        )
        for error in detected.errors:
            self._note("warning", message=error)
        results = await self._done(
            detected.actions, f"{self._parts.name}:{number}", turn
        )
        self.position = self._walk.ran(self.position)
        passed = await self._judged(step, results)
        self._carry(step)
        view = self._parts.floor.view()
        await self._settle(view, results)
        self._sum_up(
            IterationSummary(
                iteration=number,
                step=step.id,
                conversation_id=response.conversation_id,
                assistant_responses=response.messages,
                detected_actions=detected.actions,
                action_results=results,
                passed=passed,
                errors=detected.errors,
                usage=_spent(before, self.usage),
            )
        )
        await self._completed(view)
        self._close()
        return self.progress.summaries[-1]

    async def _asked(
        self, step: AgentStep, view: View, pending: Pending | None
    ) -> QueryResult:
        assert step.prompt is not None, "a step that is asked has a prompt"
        variables = self._known(view)
        prompt = await self._parts.resolver.resolve(step.prompt, variables)
        system = await self._parts.resolver.resolve_system(variables)
        for code, message in self._parts.warnings.taken():
            self._note("warning", code=code, message=message)
        self._note_prompt(prompt, system)
        if pending is not None and pending.response is not None:
            response = pending.response
        else:
            options = self._options(step, system)
            response = await self._parts.bridge.query(prompt, options)
        self.usage += response.usage
        # Kept before anything is done with it: after a crash it is not asked for again.
        self._note(
            "queryExecuted", lasting=True, response=msgspec.to_builtins(response)
        )
        old = self.progress.conversation_id
        told_again = bool(self._parts.definition.asking.history)
        if told_again and old is not None and response.conversation_id != old:
            self._note("warning", message="the conversation was lost; a new one began")
        return response

    def _options(self, step: AgentStep, system: str) -> QueryOptions:
        asking, bell = self._parts.definition.asking, self._parts.bell
        return QueryOptions(
            conversation_id=self.progress.conversation_id if asking.history else None,
            system=system,
            schema=step.schema,
            max_tokens=asking.max_tokens,
            temperature=asking.temperature,
            seed=asking.seed,
            hear=self._piece if bell.heard else None,
        )

    async def _done(
        self, actions: tuple[dict[str, Any], ...], name: str, turn: int | None
    ) -> tuple[ActionResult, ...]:
        results: list[ActionResult] = []
        for index, action in enumerate(actions):
            # Its own name for each deed, and where the world stood: the same after a
            # crash, so that the floor knows a deed it has seen.
            attempt = f"{name}:{index}" + (f"@{turn}" if turn is not None else "")
            came = await perform(action, self._parts.floor, attempt)
            self._note(
                "actionExecuted", attempt=attempt, results=msgspec.to_builtins(came)
            )
            results += came
        return tuple(results)

    async def _judged(
        self, step: AgentStep, results: tuple[ActionResult, ...]
    ) -> bool | None:
        """Check the step that has just run, and go on from it."""
        if step.sub_steps and not self.position.subs_done:
            self.position = self._walk.into_subs(self.position)
            return None
        if step.check is None:
            blank = not self._response.text.strip()
            if blank and not self._parts.definition.speaks:
                # Done without an answer is not done.
                await self._go(self._walk.failed(self.position, "the answer is empty"))
                return False
            await self._go(self._walk.passed(self.position))
            return None
        checked = await self._check(step, results)
        await self._go(
            self._walk.passed(self.position)
            if checked.passed
            else self._walk.failed(self.position, checked.reason)
        )
        return checked.passed

    async def _check(
        self, step: AgentStep, results: tuple[ActionResult, ...]
    ) -> StepCheckResult:
        assert step.check is not None, "only a step with a check is checked"
        case = StepCase(
            type=step.check.type,
            response=self._response,
            action_results=results,
            variables=self._known(self._parts.floor.view()),
        )
        checked = await self._parts.checkers[step.id].check(case)
        self._checks += 1
        self.usage += checked.usage
        self._note(
            "stepChecked", step=step.id, passed=checked.passed, reason=checked.reason
        )
        return checked

    async def _settle(self, view: View, results: tuple[ActionResult, ...]) -> None:
        """Go on over everything that needs no question: gateways, whole steps."""
        while not self.position.complete:
            step = self._walk.step(self.position)
            if step.sub_steps and self.position.subs_done:
                await self._judged(step, results)
            elif step.sub_steps and step.prompt is None:
                self.position = self._walk.into_subs(self.position)
            elif step.type != "gateway":
                return
            elif step.check is not None:
                await self._judged(step, results)
            else:
                facts = {**self._known(view), **view.facts}
                target = route_of(step, facts)
                self.position = self._walk.to(self.position, target)

    async def _go(self, walked: Walked) -> None:
        self.position = walked.position
        if walked.notice is not None:
            await self._escalate(walked.notice)

    async def _escalate(self, notice: Notice) -> None:
        told = {
            "agent": self._parts.definition.name,
            "step": notice.step,
            "reason": notice.reason,
            "to": notice.escalation.escalate_to,
            "how": notice.escalation.notification_method,
            "returnFlow": notice.escalation.return_flow,
        }
        self._note("escalated", lasting=True, **told)
        if notice.escalation.notification_method == "webhook":
            await self._parts.notifier.notify(notice.escalation.escalate_to, told)
        outside = notice.escalation.notification_method != "in_agent"
        if outside and notice.escalation.return_flow == "abort":
            raise aborted(notice.step)

    def _carry(self, step: AgentStep) -> None:
        outputs = outputs_of(step.id, self._response.text) if step.schema else {}
        carry = Carry(
            previous_response=cut(self._response.text, LONGEST_CARRIED),
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
        case = CompletionCase(
            iteration=self.progress.iteration,
            response=self._response,
            summary=self.progress.summaries[-1],
            checks=self._checks,
            step="" if self.position.complete else self.position.step,
            flow_complete=self.position.complete,
            facts=view.facts,
        )
        said = await self._parts.completion.check(case)
        self._note("completionChecked", complete=said.complete, reason=said.reason)
        if said.complete:
            self._finish()
        return said.complete

    def _finish(self) -> None:
        reason = self._parts.completion.get_reason()
        self.result = self._told(success=True, reason=reason)

    def _fail(self, problem: Problem) -> None:
        self._note("error", lasting=True, error=msgspec.to_builtins(problem))
        self.result = self._told(success=False, error=problem)

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
        state = Checkpoint(
            summary=self.progress.summaries[-1],
            position=self.position,
            conversation_id=self.progress.conversation_id,
            carry=self.progress.carry,
            checks=self._checks,
            completion=self._parts.completion.remember(),
            usage=self.usage,
            response=self._response,
        )
        self._note("iterationEnd", lasting=True, state=msgspec.to_builtins(state))
        if self.result is not None:
            self._note_end()

    def _note_end(self) -> None:
        assert self.result is not None, "only an end is written down as one"
        self._note("completed", lasting=True, reason=self.result.completion_reason)

    def _known(self, view: View) -> dict[str, str]:
        return known(
            self._parts.definition,
            self._parts.arguments,
            self.progress,
            view,
            checks=self._checks,
        )

    def _note_prompt(self, prompt: str, system: str) -> None:
        told: dict[str, Any] = {"prompt": prompt}
        if system != self._system:
            self._system = told["system"] = system
        self._note("promptBuilt", **told)

    def _piece(self, text: str) -> None:
        self._parts.bell.ring({"event": "piece", "text": text})

    def _note(self, event: str, *, lasting: bool = False, **fields: Any) -> None:
        entry = {"event": event, "at": self._parts.clock.now(), **fields}
        self._parts.journal.append(entry, lasting=lasting)
        self._parts.bell.ring(entry)


def _spent(before: Usage, after: Usage) -> Usage:
    return Usage(
        calls=after.calls - before.calls,
        input_tokens=after.input_tokens - before.input_tokens,
        output_tokens=after.output_tokens - before.output_tokens,
        cost=after.cost - before.cost,
        unpriced=after.unpriced - before.unpriced,
    )


def _too_many(most: int) -> LoopError:
    return LoopError(
        "AGENT_MAX_ITERATIONS",
        f"the agent is not done after {most} iterations",
        hint="raise limits.maxIterations, or look in its journal why it does not finish",
        details={"max_iterations": most},
    )


def _flow_ended(step: str) -> LoopError:
    return LoopError(
        "FLOW_ENDED",
        f"the flow has come to its end at {step!r}, and the completion does not say done",
        hint="use completionType 'stepMachine', or let the flow go on",
        details={"step": step},
    )


def _waiting(why: str) -> LoopError:
    return LoopError(
        "AGENT_WAITING",
        why,
        hint="go on with --resume when they have acted",
        recoverable=True,
    )


def _begun(iteration: int) -> LoopError:
    return LoopError(
        "LOOP_BEGUN",
        f"a loop begins at iteration 0, not at {iteration}",
        hint="start the agent with resume: its journal says where it stands",
    )


def _differs(name: str, then: str, now: str) -> LoopError:
    return LoopError(
        "JOURNAL_DIFFERS",
        f"the journal was begun with another definition of {name!r}",
        hint="bring the definition back, or begin anew",
        details={"then": then[:16], "now": now[:16]},
    )
