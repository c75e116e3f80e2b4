"""What an experiment will do: its conditions, its blocks, and how each run is played.

A plan is data and decides everything: the same plan gives the same cells in the same
order, on one machine or on twenty.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, Literal

import msgspec

from saniwa.core import random
from saniwa.core.decoder_warming import warm_decoders

PlanMode = Literal["sim", "real", "work"]
"""Whether stand-ins play the characters, models do, or agents work at a gate."""
FactorName = Literal[
    "inject", "gm", "model", "temperature", "rulebook", "prompt", "language", "faults", "agent"
]
"""What conditions can differ in."""
PlayerKind = Literal["stand-ins", "canned", "fuzz", "models"]
"""Who answers: stand-ins, answers from a file, random answers, or models."""
_WRITTEN_PLAYERS: Final[dict[str, PlayerKind]] = {"canned": "canned", "fuzz": "fuzz"}
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
"""The number added to the seed for every retry."""
DEFAULT_FAULTS: Final = "usual"
"""The fault profile of stand-ins if a plan names none."""
DEFAULT_PROMPT: Final = "plain"
"""The prompt edition if a plan names none."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Records are encoded in snake_case, as the published results are."""


class PlanProfile(_Record, frozen=True, kw_only=True):
    """A named size of experiment."""

    conditions: tuple[str, ...]
    """The letters of the 2×2 that are run."""
    seeds: int
    """The number of seeds, starting at 0."""
    max_turns: int
    """Turns of a run."""
    max_tokens: int
    """The most tokens of an answer."""


PROFILES: Final[dict[str, PlanProfile]] = {
    "dev": PlanProfile(conditions=("D",), seeds=1, max_turns=15, max_tokens=192),
    "gate": PlanProfile(conditions=("B", "D"), seeds=5, max_turns=10, max_tokens=256),
    "full": PlanProfile(conditions=("A", "B", "C", "D"), seeds=20, max_turns=10, max_tokens=300),
}
"""The profiles a registry's `recommended_profile` names."""


class Condition(_Record, frozen=True, kw_only=True):
    """A combination of factor levels."""

    name: str
    """`A` to `D`, followed by the levels of further factors: `D+model=small`.

    The condition of an agent is named by its levels alone.
    """
    inject: bool = True
    """Whether the prompt states what is true where the speaker is."""
    gm: bool = True
    """Whether refusals come back as guidance for another attempt."""
    model: str = ""
    """The model; empty for a stand-in."""
    temperature: float = 0.7
    """The sampling temperature."""
    rulebook: str = ""
    """The book that judges; empty for the scenario's own."""
    prompt: str = DEFAULT_PROMPT
    """The edition of the prompt."""
    language: str = ""
    """The language of prompts and answers; empty for the scenario's own."""
    faults: str = DEFAULT_FAULTS
    """The fault profile of a stand-in."""
    agent: str = ""
    """The agent that works at a gate; empty where characters are played."""

    @property
    def letter(self) -> str:
        """The letter of the 2×2."""
        return LETTERS[self.inject, self.gm]


class StandInFaults(_Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a stand-in makes each mistake, in percent of its turns.

    It makes only mistakes that its prompt allows: a stand-in that receives the facts and
    keeps to them invents nothing.
    """

    invent: int = 30
    """Acts on something that does not exist."""
    misplace: int = 25
    """Acts on something that is elsewhere, or goes where there is no way."""
    force: int = 40
    """Tries what is locked or closed as if it were open."""
    garble: int = 10
    """Breaks the format of its answer."""
    repeat: int = 10
    """Repeats what it said before."""
    heed: int = 80
    """Follows a guidance card, rather than repeating its action."""
    trust: int = 85
    """Keeps to the facts in the prompt."""
    apologise: int = 30
    """Apologises when it is corrected."""
    pace_ms: int = 20
    """Simulated milliseconds per token."""


class ExperimentPlan(_Record, frozen=True, kw_only=True):
    """An experiment to be run."""

    experiment_id: str
    """Its name; letters, digits, `-`, `_` and `.`."""
    question: str = ""
    """The question it is meant to answer."""
    mode: PlanMode = "sim"
    """Whether stand-ins or models play the characters."""
    profile: str = ""
    """The profile it was made from, if any."""
    scenarios: tuple[str, ...] = ("default",)
    """The scenarios, by id or file; for agents at a gate, the processes."""
    conditions: tuple[Condition, ...] = ()
    """The conditions: by letter, then by their levels in the order of `factors`."""
    factors: dict[str, tuple[Level, ...]] = {}
    """The factors with their levels, including those with one level."""
    seeds: tuple[int, ...] = (0,)
    """One block per scenario and seed; every condition is run in every block."""
    order_seed: int = 0
    """The seed of the random order of conditions within a block."""
    max_turns: int = 10
    """Turns of a run."""
    max_retries: int = MAX_RETRIES
    """Attempts after the first, if there is a game master."""
    max_tokens: int = 256
    """The most tokens of an answer."""
    stop_after_give_ups: int = 0
    """The number of give-ups after which a run ends; 0 for no limit."""
    llm_url: str = ""
    """The address of the models, if not their providers' own; no secrets."""
    prices: dict[str, tuple[float, float]] = {}
    """US dollars per million input and output tokens, by model; used instead of the
    known prices.
    """
    faults: dict[str, StandInFaults] = {}
    """Fault profiles of stand-ins, by name; the default one needs no entry."""
    accepted: tuple[str, ...] = ()
    """The states in which an agent's run has passed; empty for all final states."""
    allow_tools: tuple[str, ...] = ()
    """Tools that an agent may use without asking a person; all others are refused then."""
    arguments: dict[str, Any] = {}
    """The arguments of the agents."""
    files: tuple[str, ...] = ()
    """Files and folders that every agent finds in its project, besides its own."""


class PreparedScenario(_Record, frozen=True, kw_only=True):
    """A scenario with everything needed to run it, so that no file is needed later."""

    scenario_id: str
    """Its id."""
    document: dict[str, Any]
    """The scenario's document; for an agent's process, its definition."""
    meta: dict[str, Any]
    """Its entry in `run_meta`."""
    canonical: dict[str, Any]
    """The world at the start, in its canonical form; empty for a process."""


class PreparedPlan(_Record, frozen=True, kw_only=True):
    """A plan with everything it names, checked: any machine can run any of its cells."""

    plan: ExperimentPlan
    """The plan."""
    settings: dict[str, PreparedScenario]
    """The scenarios, by id."""
    books: dict[str, dict[str, tuple[dict[str, Any], ...]]]
    """The rulebook layers: by scenario id, then by the condition's `rulebook`."""
    prompts: dict[str, dict[str, str]]
    """The text of each prompt edition, by name, then by language."""
    version: str
    """The Saniwa version that prepared it."""
    files: dict[str, bytes] = {}
    """The files of the projects in which agents work, by their paths."""
    is_profile_recommended: bool = False
    """Whether the registry recommended the profile, so that its gate is not required."""

    @property
    def fingerprint(self) -> str:
        """16 hex digits of a hash over all of it; a resumed plan must have the same."""
        return sha256(self.encode()).hexdigest()[:16]

    def to_document(self) -> dict[str, Any]:
        """Return the plan with its fingerprint, and all default values written out."""
        fields = msgspec.structs.asdict(self.plan) | {"fingerprint": self.fingerprint}
        document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(fields))
        return document

    def encode(self) -> bytes:
        """Encode the plan as it is written and sent; keys are in their authors' order.

        Their order matters: the first of the characters speaks first.
        """
        return msgspec.json.encode(self)


warm_decoders(ExperimentPlan, PreparedPlan, StandInFaults)


class ExperimentCell(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one condition."""

    number: int
    """Its index in the plan; from 0."""
    key: str
    """`{experiment_id}_{condition}_{scenario}_{seed}`: also the name of its folder."""
    condition: Condition
    """The condition."""
    scenario: str
    """The id of the scenario."""
    seed: int
    """The seed of its random numbers."""


def list_players(plan: ExperimentPlan) -> tuple[PlayerKind, ...]:
    """List who answers in an experiment, each once, in the order of its conditions."""
    if plan.mode == "sim":
        return ("stand-ins",)
    kinds = (each.model.partition(":")[0] for each in plan.conditions)
    return tuple(dict.fromkeys(_WRITTEN_PLAYERS.get(kind, "models") for kind in kinds))


def count_cells(plan: ExperimentPlan) -> int:
    """Return the number of cells in a plan."""
    return len(plan.scenarios) * len(plan.seeds) * len(plan.conditions)


def count_missing_runs(plan: ExperimentPlan, runs: Mapping[str, int]) -> dict[str, int]:
    """Count missing runs by condition; conditions without any are left out.

    Args:
        plan: What was planned.
        runs: Runs that exist, by condition.
    """
    of_each = len(plan.scenarios) * len(plan.seeds)
    short = {each.name: of_each - runs.get(each.name, 0) for each in plan.conditions}
    return {name: missing for name, missing in short.items() if missing > 0}


def iterate_cells(plan: ExperimentPlan) -> Iterator[ExperimentCell]:
    """Yield all cells in the order in which they are started."""
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


def make_cell_key(plan: ExperimentPlan, condition: Condition, scenario: str, seed: int) -> str:
    """Return the key of the cell with this condition, scenario and seed."""
    return f"{plan.experiment_id}_{condition.name}_{scenario}_{seed}"
