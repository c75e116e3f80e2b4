"""Everything that talks to a language model.

It holds the `Oracle` port, its implementations, and wrappers that retry, meter, redact
and record. Only this package imports provider libraries.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake or a failure, in the words of `messages.json`."""
