"""How long a text may be that somebody writes, wherever it is sent."""

from typing import Annotated, Final

import msgspec

LONGEST: Final = 300_000
"""Letters of a text; reading one of them takes seconds."""
Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
"""A text that somebody writes."""
