"""The keys of a plan, each with the name of what may stand under it.

`docs/reference/plan-format.md` explains every key.
"""

from typing import Final, get_args

from saniwa.core.paper.form import Form
from saniwa.core.paper.kinds import SHAPES
from saniwa.core.paper.shape import Reader
from saniwa.experiment.plan import FactorName, Faults
from saniwa.process.weighing.address import ADDRESS

PLAN: Final[Form] = {
    "experiment_id": "text",
    "question": "text",
    "profile": "text",
    "scenarios": "anything",
    "seeds": "anything",
    "conditions": "anything",
    "factors": "mapping",
    "mode": "text",
    "model": "anything",
    "temperature": "anything",
    "rulebook": "anything",
    "prompt": "anything",
    "language": "anything",
    "max_turns": "whole",
    "max_retries": "whole",
    "max_tokens": "whole",
    "stop_after_give_ups": "whole",
    "order_seed": "whole",
    "llm_url": "address",
    "faults": "mapping",
    "prompts": "mapping",
    "prices": "mapping",
}
"""The keys of a plan."""
FACTORS: Final[Form] = dict.fromkeys(get_args(FactorName), "anything")
"""What conditions can differ in, in the order in which names tell it."""
SETTINGS: Final = ("model", "temperature", "rulebook", "prompt", "language")
"""Factors that may also stand at the top of a plan, as one setting for all of it."""
FAULTS: Final[Form] = dict.fromkeys(Faults.__struct_fields__, "whole")
"""How a stand-in errs; the fields of `plan.Faults`."""
RANGES: Final = {
    "max_turns": (1, 10_000),
    "max_retries": (0, 10),
    "max_tokens": (1, 1_000_000),
    "stop_after_give_ups": (0, 10_000),
    "order_seed": (0, 2**31 - 1),
}
"""The least and the most of each number."""
MOST_SEEDS: Final = 100_000
"""Seeds a plan may have."""
LARGEST_SEED: Final = 2**31 - 1
"""What a model's own generator takes."""
MOST_CONDITIONS: Final = 1_000
"""Conditions a plan may cross."""
MOST_CELLS: Final = 1_000_000
"""Cells a plan may have."""
fields = Reader({**SHAPES, "address": ADDRESS}).fields
"""Reads the fields of a mapping in a plan."""
