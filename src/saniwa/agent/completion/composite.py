"""Several conditions: one of them, or all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from saniwa.agent.completion.kept import (
    NOT_DONE,
    Resumable,
    check_begun,
    last_of,
    unfit,
)
from saniwa.agent.contract import CompletionCase, CompletionResult


class Several:
    """Asks its conditions in their order.

    `any` stops at the first yes: no later one is asked, and each keeps what it said
    before. `all` asks every one in every iteration, even after a no, so that one which
    counts what it sees misses nothing and every state is of the same iteration.
    """

    def __init__(
        self, mode: Literal["any", "all"], conditions: Sequence[tuple[str, Resumable]]
    ) -> None:
        self._mode = mode
        self._names = _unique(name for name, _ in conditions)
        self._conditions = tuple(condition for _, condition in conditions)
        self._last = NOT_DONE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Ask, and remember. Pre: an iteration is done.

        Raises:
            CompletionError: A condition that was asked could not find out.
        """
        check_begun(case)
        ask = self._any if self._mode == "any" else self._all
        self._last = await ask(case)
        return self._last

    async def _any(self, case: CompletionCase) -> CompletionResult:
        for condition in self._conditions:
            said = await condition.check(case)
            if said.complete:
                return said
        return NOT_DONE

    async def _all(self, case: CompletionCase) -> CompletionResult:
        said = [await condition.check(case) for condition in self._conditions]
        # Without conditions nothing has been shown, so nothing is done.
        if not said or not all(each.complete for each in said):
            return NOT_DONE
        reason = "; ".join(each.reason for each in said)
        return CompletionResult(complete=True, reason=reason)

    def is_complete(self) -> bool:
        """What the last `check` said."""
        return self._last.complete

    def get_reason(self) -> str:
        """Why; empty where it is not complete."""
        return self._last.reason

    def get_condition_states(self) -> dict[str, bool]:
        """What each said last, by kind: `keywordSignal`, then `keywordSignal#2`."""
        pairs = zip(self._names, self._conditions, strict=True)
        return {name: condition.is_complete() for name, condition in pairs}

    def remember(self) -> dict[str, Any]:
        """What it and each of its conditions said last, as JSON."""
        return {
            "complete": self._last.complete,
            "reason": self._last.reason,
            "conditions": [each.remember() for each in self._conditions],
        }

    def recall(self, kept: dict[str, Any]) -> None:
        """Stand where one that remembered this stood.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        rest = dict(kept)
        parts = rest.pop("conditions", None)
        if not isinstance(parts, list) or len(parts) != len(self._conditions):
            raise unfit(kept)
        self._last = last_of(rest)
        for condition, part in zip(self._conditions, parts, strict=True):
            condition.recall(part)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(unique)
