"""Catalogues of messages: what a package says to its users, as data next to its modules.

A package keeps its messages in `messages.json`, by code; `CODE/variant` where one code has
several. A message names its values: `{name}` as text, `{name!r}` and `{name!q}` quoted, the
latter cut to a length that fits into a message. `tests/house/test_messages.py` compares the
catalogues with the calls.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, Severity, SourceLocation
from saniwa.core.text import quote_value

if TYPE_CHECKING:
    from string import Formatter

Raised = TypeVar("Raised", bound=SaniwaError)


class MessageTemplate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message of a catalogue, before its values are filled in."""

    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""
    severity: Severity = "error"
    """How much it matters, for a finding."""
    recoverable: bool = False
    """Whether the same call could succeed later, for an error."""
    details: tuple[str, ...] = ()
    """The values that are also given to machines."""


warm_decoders(MessageTemplate)


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What is said once: a code, two sentences, and the values behind them."""

    code: str
    """Upper-case words; has an entry under docs/errors."""
    text: str
    """What is wrong."""
    hint: str
    """What to do."""
    severity: Severity
    """How much it matters, for a finding."""
    recoverable: bool
    """Whether the same call could succeed later, for an error."""
    details: dict[str, Any]
    """The values, for machines."""

    def to_error(
        self,
        kind: type[Raised],
        *,
        where: SourceLocation | str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Raised:
        """Return the error to raise; `details` replace those of the message."""
        return kind(
            self.code,
            self.text,
            where=where,
            hint=self.hint,
            recoverable=self.recoverable,
            details=self.details if details is None else details,
        )

    def to_finding(
        self, where: SourceLocation | None = None, *, details: Mapping[str, Any] | None = None
    ) -> Finding:
        """Return the finding to collect; `details` replace those of the message."""
        return Finding(
            code=self.code,
            severity=self.severity,
            message=self.text,
            where=where or SourceLocation(),
            hint=self.hint,
            details=dict(self.details if details is None else details),
        )


@cache
def _make_formatter() -> "Formatter":
    # Imported late: most commands have nothing to say.
    from string import Formatter

    class MessageFormatter(Formatter):
        """Fills in values; `!q` quotes one, cut if it is long or deep."""

        def convert_field(self, value: Any, conversion: Any) -> Any:
            """Quote a value, or convert it as usual."""
            if conversion == "q":
                return quote_value(value)
            return super().convert_field(value, conversion)

    return MessageFormatter()


Describer = Callable[..., Message]
"""Fills in a message by its name: `describe("LOCK_TIMEOUT", run="run-1", seconds=10)`."""


def fill_template(text: str, values: Mapping[str, object]) -> str:
    """Return a message or a hint with its values filled in."""
    return _make_formatter().vformat(text, (), values)


@cache
def read_catalog(package: str, file: str = "messages.json") -> dict[str, MessageTemplate]:
    """Read the messages of a package, by name; `package` is its `__file__`."""
    content = Path(package).with_name(file).read_bytes()
    return msgspec.json.decode(content, type=dict[str, MessageTemplate])


def make_describer(package: str) -> Describer:
    """Return the function that describes what is wrong, in the words of a package.

    `package` is its `__file__`. The catalogue is read with the first message: most
    commands have none to say.
    """

    def describe(name: str, /, *, hint: str = "", **values: Any) -> Message:
        """Fill in the message of this name; a `hint` that is not empty replaces its own."""
        template = read_catalog(package)[name]
        return Message(
            code=name.partition("/")[0],
            text=fill_template(template.message, values),
            hint=hint or fill_template(template.hint, values),
            severity=template.severity,
            recoverable=template.recoverable,
            details={each: values[each] for each in template.details},
        )

    return describe
