"""Checks of a step's answer: by keywords, by action results, or by asking a model.

`build_checker` makes the check that a step defines. A check decides pass or fail; the
flow decides what follows.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from saniwa.agent import describe
from saniwa.agent.definition import AgentStep, CheckType, ModelSettings, PromptReference, StepCheck
from saniwa.agent.layer_contracts import (
    ActionResult,
    PromptResolver,
    QueryOptions,
    SdkBridge,
    StepCase,
    StepChecker,
    StepCheckResult,
)
from saniwa.agent.prompt_quoting import quote_lines, read_prompt
from saniwa.agent.reply_extraction import find_json_values
from saniwa.core.errors import CompletionError, ConfigurationError
from saniwa.core.text import quote_value, truncate
from saniwa.models.oracle import describe_finish


def check_case_type(case: StepCase, own: CheckType) -> None:
    """Check that the case is for this type of check.

    Raises:
        CompletionError: `COMPLETION_FAILED`: it is for another type, and would be
            judged by fields it does not have.
    """
    if case.type != own:
        raise describe("COMPLETION_FAILED/case_type", own=own, type=case.type).to_error(
            CompletionError
        )


_LONGEST_FAILURES = 300
_MOST_KEYWORDS_SHOWN = 4


class RuleChecker:
    """Checks a step by its action results or by keywords; asks no model."""

    def __init__(self, wanted: StepCheck) -> None:
        self._wanted = wanted
        self._enough = any if wanted.mode == "any" else all

    async def check(self, case: StepCase) -> StepCheckResult:
        """Look at the action results, or at the texts. Changes nothing.

        Raises:
            CompletionError: `COMPLETION_FAILED`: the case is for another type.
        """
        check_case_type(case, self._wanted.type)
        by_actions = self._wanted.type == "action"
        return self._check_actions(case) if by_actions else self._check_keywords(case)

    def _check_actions(self, case: StepCase) -> StepCheckResult:
        """Pass when there are actions and one of them, or all of them, succeeded."""
        results = case.action_results
        if not results:
            return StepCheckResult(passed=False, reason="nothing was done")
        done = sum(result.success for result in results)
        counted = f"actions that succeeded: {done} of {len(results)}"
        if self._enough(result.success for result in results):
            return StepCheckResult(passed=True, reason=counted)
        failed = next(result for result in results if not result.success)
        return StepCheckResult(passed=False, reason=f"{counted}; {_describe_failures(failed)}")

    def _check_keywords(self, case: StepCase) -> StepCheckResult:
        """Pass when one of the keywords, or all of them, occur in the texts."""
        texts = case.response.messages
        found = {word: any(word in text for text in texts) for word in self._wanted.keywords}
        # A check without keywords never passes.
        passed = bool(found) and self._enough(found.values())
        words = _list_keywords([word for word, occurs in found.items() if occurs is passed])
        said = "the model said" if passed else "the model did not say"
        return StepCheckResult(passed=passed, reason=f"{said} {words}")


def _describe_failures(failed: ActionResult) -> str:
    why = ": ".join(part for part in (failed.code, failed.message) if part)
    failure = f"{quote_value(failed.type)} did not"
    return truncate(f"{failure}: {why}" if why else failure, _LONGEST_FAILURES)


def _list_keywords(words: Sequence[str]) -> str:
    return ", ".join(quote_value(word) for word in words[:_MOST_KEYWORDS_SHOWN]) + (
        " …" if len(words) > _MOST_KEYWORDS_SHOWN else ""
    )


OPINION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "result": {"type": "string", "enum": ["ok", "ng"]},
    },
    "required": ["reason", "result"],
    "additionalProperties": False,
}
"""The form of the reviewer's answer. The reason comes first: a model judges better
after giving its reason."""

_PASS_WORDS = frozenset({"ok", "pass", "true"})
_FAIL_WORDS = frozenset({"ng", "fail", "false"})
_LONGEST_REASON = 500
_MOST_VALUES = 20


class ReviewOpinion(NamedTuple):
    """A reviewer's opinion of an answer."""

    passed: bool
    """Whether it was a clear yes."""
    reason: str
    """Why, or why not."""


def parse_opinion(reply: str, about: str) -> ReviewOpinion:
    """Parse the opinion in a reply: the whole reply as JSON, or its `json` blocks.

    An opinion that repeats a part of the answer under review (`about`) does not count.
    If two opinions disagree, the review fails.
    """
    values = list(islice(find_json_values(reply, "json"), _MOST_VALUES + 1))
    if len(values) > _MOST_VALUES:
        return ReviewOpinion(False, f"the reply has more than {_MOST_VALUES} blocks of JSON")
    found = [each for each in values if _parse_result(each.value) is not None]
    own = [each.value for each in found if not _is_repeated(each.text, about)]
    if not own:
        what = "repeats the answer under check" if found else "has no verdict"
        return ReviewOpinion(False, f"the reply {what}: {quote_value(reply)}")
    if not all(_parse_result(each) for each in own):
        no = next(each for each in own if not _parse_result(each))
        disagree = any(_parse_result(each) for each in own)
        return ReviewOpinion(
            False, "the reply says both" if disagree else _extract_reason(no, "ng")
        )
    return ReviewOpinion(True, _extract_reason(own[0], "ok"))


def _parse_result(value: Any) -> bool | None:
    """True for a pass, False for a fail, None for neither."""
    result = value.get("result") if isinstance(value, dict) else value
    if isinstance(result, bool):
        return result
    if not isinstance(result, str):
        return None
    word = result.strip().lower()
    if word in _PASS_WORDS:
        return True
    return False if word in _FAIL_WORDS else None


def _extract_reason(value: Any, otherwise: str) -> str:
    reason = value.get("reason") if isinstance(value, dict) else None
    if not isinstance(reason, str) or not reason.strip():
        return otherwise
    return truncate(reason.strip(), _LONGEST_REASON)


def _is_repeated(text: str, about: str) -> bool:
    """Whether an object already occurs in the answer, whitespace aside."""
    bare = "".join(text.split())
    return bare.startswith("{") and bare in "".join(about.split())


LONGEST_REVIEWED = 32_000
"""Characters of an answer that the reviewing model is shown."""
REVIEW_SYSTEM_PROMPT = read_prompt(__file__, "review.en.md")
"""The system prompt of the reviewing model. It shows no finished verdict: a small model
would repeat it."""


class PromptChecker:
    """Passes when a model that sees the whole answer says it does what it should."""

    def __init__(
        self,
        prompt: PromptReference,
        bridge: SdkBridge,
        resolver: PromptResolver,
        asking: ModelSettings | None = None,
    ) -> None:
        """Prepare the review.

        Args:
            prompt: The question.
            bridge: Where to ask it.
            resolver: Reads the prompt.
            asking: The agent's model settings; the temperature is always 0.
        """
        asking = asking or ModelSettings()
        self._prompt = prompt
        self._bridge = bridge
        self._resolver = resolver
        self._options = QueryOptions(
            system=REVIEW_SYSTEM_PROMPT,
            schema=OPINION_SCHEMA,
            max_tokens=asking.max_tokens,
            temperature=0.0,
            seed=asking.seed,
        )

    async def check(self, case: StepCase) -> StepCheckResult:
        """Ask once. An answer that is not a clear yes is a no.

        Raises:
            CompletionError: `COMPLETION_FAILED`: the case is for another type.
            PromptError: The question cannot be made.
            SdkBridgeError: The model could not be asked.
        """
        check_case_type(case, "prompt")
        answer = case.response.text
        question = await self._build_question(case, answer)
        reply = await self._bridge.query(question, self._options)
        passed, reason = parse_opinion(reply.text, answer)
        if not reply.is_whole:
            reason = describe_finish(reply.finish, reply.reason, self._options.max_tokens)
            passed = False
        return StepCheckResult(
            passed=passed, reason=reason, usage=reply.usage, key=reply.key, answer=reply.text
        )

    async def _build_question(self, case: StepCase, answer: str) -> str:
        shown = quote_answer(answer)
        variables = {**case.variables, "response": shown}
        question = await self._resolver.resolve(self._prompt, variables)
        # If the prompt forgets `{uv-response}`, the answer is appended: the model must
        # see it.
        return question if shown in question else f"{question}\n\n{shown}"


def quote_answer(text: str) -> str:
    """Quote the text so that it cannot end the quotation: every line is marked."""
    return quote_lines(text, LONGEST_REVIEWED)


def build_checker(
    step: AgentStep,
    bridge: SdkBridge,
    resolver: PromptResolver,
    asking: ModelSettings | None = None,
) -> StepChecker | None:
    """Build the step's check; None if it has none.

    `asking` is the agent's model settings.

    Raises:
        ConfigurationError: `PROMPT_EMPTY`: the check asks a model but has no prompt.
    """
    if step.check is None:
        return None
    if step.check.type != "prompt":
        return RuleChecker(step.check)
    if step.check.prompt is None:
        raise describe("PROMPT_EMPTY/checker", id=step.id).to_error(ConfigurationError)
    return PromptChecker(step.check.prompt, bridge, resolver, asking)
