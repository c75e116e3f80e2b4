"""Runs: playing scenarios and stories turn by turn, and storing every turn.

`run` plays a scenario, `story_playing` a story, `playing` is the interface hosts use, and
`game_table` seats people and agents in one run.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake or a failure, in the words of `messages.json`."""
