"""Done when the model says an object of a type."""

from typing import Any

from saniwa.agent.completion.kept import LastLook, done_if
from saniwa.agent.contract import CompletionCase, CompletionResult
from saniwa.agent.definition import StructuredSignal
from saniwa.agent.spoken import objects
from saniwa.core.quoted import quoted
from saniwa.core.same import same


class SignalSaid(LastLook):
    """Complete when any object the model says has the type and every required field.

    The object is the whole reply or a fenced block of it, or an item of such a list.
    """

    def __init__(self, wanted: StructuredSignal) -> None:
        super().__init__()
        self._type = wanted.signal_type
        self._fields = wanted.required_fields

    def _look(self, case: CompletionCase) -> CompletionResult:
        said = any(
            self._fits(each)
            for text in case.response.messages
            for each in objects(text)
        )
        return done_if(said, f"the model signalled {quoted(self._type)}")

    def _fits(self, found: dict[str, Any]) -> bool:
        return same(found.get("type"), self._type) and all(
            name in found and same(found[name], value)
            for name, value in self._fields.items()
        )
