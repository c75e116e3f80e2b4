"""What an experiment is going to do: conditions, blocks, and how each run is played.

A plan is data and decides everything: the same plan gives the same cells in the same
order, on one machine or on twenty.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final, Literal

import msgspec

from saniwa.core import random
from saniwa.core.warm_decoders import warm_decoders

PlanMode = Literal["sim", "real"]
"""Whether stand-ins play the characters, or models do."""
FactorName = Literal[
    "inject", "gm", "model", "temperature", "rulebook", "prompt", "language", "faults"
]
"""What conditions can differ in."""
Level = bool | str | float
"""One setting of a factor."""

LETTERS: Final[dict[tuple[bool, bool], str]] = {
    (False, False): "A",
    (True, False): "B",
    (False, True): "C",
    (True, True): "D",
}
"""The four conditions of a 2×2, by (inject, gm)."""
MAX_RETRIES: Final = 2
"""Attempts after the first, before the game master gives up."""
RETRY_STRIDE: Final = 1000
"""What is added to the seed for every retry."""
DEFAULT_FAULTS: Final = "usual"
"""The stand-ins' faults where a plan names none."""
DEFAULT_PROMPT: Final = "plain"
"""The prompt edition where a plan names none."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Records are written in snake_case, as the published results are."""


class PlanProfile(_Record, frozen=True, kw_only=True):
    """A size of experiment with a name of its own."""

    conditions: tuple[str, ...]
    """The letters of the 2×2 that are run."""
    seeds: int
    """Seeds 0 to one less than this."""
    max_turns: int
    """Turns of a run."""
    max_tokens: int
    """The longest answer."""


PROFILES: Final[dict[str, PlanProfile]] = {
    "dev": PlanProfile(conditions=("D",), seeds=1, max_turns=15, max_tokens=192),
    "gate": PlanProfile(conditions=("B", "D"), seeds=5, max_turns=10, max_tokens=256),
    "full": PlanProfile(
        conditions=("A", "B", "C", "D"), seeds=20, max_turns=10, max_tokens=300
    ),
}
"""The profiles a registry's `recommended_profile` names."""


class Condition(_Record, frozen=True, kw_only=True):
    """One way of playing: a level for every factor."""

    name: str
    """`A` to `D`, with the levels of further factors behind: `D+model=small`."""
    inject: bool = True
    """Whether the prompt says what is true where the speaker stands."""
    gm: bool = True
    """Whether refusals come back as guidance, to try again."""
    model: str = ""
    """Who is asked; empty for a stand-in."""
    temperature: float = 0.7
    """How freely it chooses its words."""
    rulebook: str = ""
    """The book that judges; empty for the scenario's own."""
    prompt: str = DEFAULT_PROMPT
    """The edition of the prompt."""
    language: str = ""
    """The language it is told in; empty for the scenario's own."""
    faults: str = DEFAULT_FAULTS
    """How a stand-in errs."""

    @property
    def letter(self) -> str:
        """Which of the four of the 2×2 it is."""
        return LETTERS[self.inject, self.gm]


class StandInFaults(_Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a stand-in errs, in hundredths of its turns.

    It errs only as far as what it is told allows: nobody who reads what is here and
    keeps to it invents anything.
    """

    invent: int = 30
    """Acts on something that is nowhere."""
    misplace: int = 25
    """Acts on something that is elsewhere, or goes where no way leads."""
    force: int = 40
    """Tries what is locked or closed as if it were open."""
    garble: int = 10
    """Breaks the format of its answer."""
    repeat: int = 10
    """Says again what it said before."""
    heed: int = 80
    """Does what a guidance card offers, rather than the same again."""
    trust: int = 85
    """Keeps to what the prompt says is true."""
    apologise: int = 30
    """Says sorry when it is corrected."""
    pace_ms: int = 20
    """Simulated milliseconds a token takes it."""


class ExperimentPlan(_Record, frozen=True, kw_only=True):
    """An experiment, as it will be carried out."""

    experiment_id: str
    """Its name; letters, digits, `-`, `_` and `.`."""
    question: str = ""
    """What it is meant to find out."""
    mode: PlanMode = "sim"
    """Who plays the characters."""
    profile: str = ""
    """The profile it was made from, if any."""
    scenarios: tuple[str, ...] = ("default",)
    """The scenarios, by id or file."""
    conditions: tuple[Condition, ...] = ()
    """The conditions, in order of name."""
    factors: dict[str, tuple[Level, ...]] = {}
    """The factors that are crossed, with their levels; those with one level too."""
    seeds: tuple[int, ...] = (0,)
    """One block per scenario and seed; every condition is run in every block."""
    order_seed: int = 0
    """Where the chance starts that orders conditions within a block."""
    max_turns: int = 10
    """Turns of a run."""
    max_retries: int = MAX_RETRIES
    """Attempts after the first, where a game master asks for them."""
    max_tokens: int = 256
    """The longest answer."""
    stop_after_give_ups: int = 0
    """A run ends after so many give-ups; 0: it plays to its last turn."""
    llm_url: str = ""
    """Where models are asked, if not at their providers' own address; no secrets."""
    prices: dict[str, tuple[float, float]] = {}
    """US dollars a million tokens told and said cost, by model; they count instead of the
    library's."""
    faults: dict[str, StandInFaults] = {}
    """The ways stand-ins err, by name; the usual ones need no entry."""


class PreparedScenario(_Record, frozen=True, kw_only=True):
    """One scenario as it is run: whole, so that no file is needed later."""

    scenario_id: str
    """Its id."""
    document: dict[str, Any]
    """The scenario's document."""
    meta: dict[str, Any]
    """Its entry in `run_meta`."""
    canonical: dict[str, Any]
    """The world it opens with, in its canonical form."""


class PreparedPlan(_Record, frozen=True, kw_only=True):
    """A plan with all it needs, checked whole: any machine can run any cell of it."""

    plan: ExperimentPlan
    """The plan."""
    settings: dict[str, PreparedScenario]
    """The scenarios, by id."""
    books: dict[str, dict[str, tuple[dict[str, Any], ...]]]
    """The layers that judge: by scenario id, then by the condition's `rulebook`."""
    prompts: dict[str, dict[str, str]]
    """The text of each prompt edition, by name, then by language."""
    version: str
    """The Saniwa version that prepared it."""

    @property
    def fingerprint(self) -> str:
        """16 hex digits over all of it: what resumes must be what began."""
        return sha256(self.encode()).hexdigest()[:16]

    def encode(self) -> bytes:
        """All of it as it is written and sent; keys stand as their authors wrote them.

        Their order means something: the first of the characters speaks first.
        """
        return msgspec.json.encode(self)


warm_decoders(PreparedPlan, StandInFaults)


class ExperimentCell(msgspec.Struct, frozen=True, kw_only=True):
    """One run that is to be played."""

    number: int
    """Its place in the plan; from 0."""
    key: str
    """`{experiment_id}_{condition}_{scenario}_{seed}`: also the name of its folder."""
    condition: Condition
    """How it is played."""
    scenario: str
    """What is played."""
    seed: int
    """Where its chance starts."""


def count_cells(plan: ExperimentPlan) -> int:
    """How many cells a plan has."""
    return len(plan.scenarios) * len(plan.seeds) * len(plan.conditions)


def iterate_cells(plan: ExperimentPlan) -> Iterator[ExperimentCell]:
    """All cells in the order they are begun, one at a time."""
    number = 0
    for seed in plan.seeds:
        for scenario in plan.scenarios:
            block = random.derive_state(plan.order_seed, f"{scenario} {seed}")
            for place in random.draw_permutation(block, len(plan.conditions)):
                condition = plan.conditions[place]
                yield ExperimentCell(
                    number=number,
                    key=make_cell_key(plan, condition, scenario, seed),
                    condition=condition,
                    scenario=scenario,
                    seed=seed,
                )
                number += 1


def make_cell_key(
    plan: ExperimentPlan, condition: Condition, scenario: str, seed: int
) -> str:
    """The key of the cell for these."""
    return f"{plan.experiment_id}_{condition.name}_{scenario}_{seed}"
