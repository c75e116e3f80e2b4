"""The records of an experiment's numbers: per cell, per condition, between conditions."""

from typing import Final, Literal

import msgspec

Better = Literal["less", "more", ""]
"""Which direction of a metric is better; empty if neither."""
GateName = Literal["Gate-3A", "Gate-3B"]
"""Gate-3A blocks a release; Gate-3B is advice."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Records are encoded in snake_case, as the published results are."""


class Metric(_Record, frozen=True, kw_only=True):
    """A metric, measured for each cell."""

    name: str
    """The name that `compute_metric` accepts."""
    label: str
    """Its name in a report."""
    unit: Literal["rate", "count", "score", "ms", "tokens", "usd"]
    """The unit; a rate is a share between 0 and 1, a count is a mean number that may be
    more than 1.
    """
    better: Better
    """Which direction is better."""
    about: str
    """A description in one sentence."""
    guided: bool = False
    """Whether it applies only to conditions with a game master: without one it is 0 by
    definition, with nothing to compare.
    """
    pools: bool = True
    """Whether it has the same meaning for many cells counted together."""


class CellNumbers(_Record, frozen=True, kw_only=True):
    """The counts of one cell."""

    key: str
    """The key of the cell."""
    condition: str
    """The name of its condition."""
    scenario: str
    """The id of its scenario."""
    seed: int
    """Its seed; with the scenario it names the block."""
    answers: str
    """16 hex digits of a hash over all answers; empty if there was none."""
    turns: int
    """Turns played."""
    success: bool
    """Whether it ran to its end without an error."""
    goal_reached: bool | None
    """Whether the story ended well; None if it has no goal."""
    generation_calls: int
    """Answers paid for, including those of a turn that ended with an error."""
    actions: int
    """Intents of first answers that are actions, not speech."""
    refused_actions: int
    """Of those, how many were refused."""
    invented_actions: int
    """Of those, how many have a target that does not exist in the world."""
    kept_actions: int
    """Intents of final answers that are actions."""
    refused_kept_actions: int
    """Of those, how many were refused."""
    milestones: int
    """Milestones of the story's goal that can be passed."""
    milestones_passed: int
    """Of those, how many were passed."""
    first_try_valid: int
    """Turns whose first answer is allowed as it is."""
    first_turns: int
    """First turns: 1, or 0 if none was played."""
    acting_first_turns: int
    """Of those, how many have a first answer with an action or a refusal."""
    first_turn_valid: int
    """First turns whose first answer is allowed as it is."""
    impossible_first: int
    """Refused intents of first answers."""
    impossible: int
    """Refused intents of final answers: what reached the story as a claim."""
    impossible_by_code: dict[str, int]
    """Refused intents of final answers by the game master's code, all eight."""
    impossible_first_by_code: dict[str, int]
    """Refused intents of first answers by code."""
    invented: int
    """Refused intents of all attempts whose target does not exist in the world."""
    invented_first: int
    """Those of first answers."""
    invented_names: tuple[str, ...]
    """The names of those targets, sorted, without duplicates."""
    retries: int
    """Retries made."""
    retried_turns: int
    """Turns with at least one retry."""
    retry_successes: int
    """Retries whose answer is allowed."""
    silent_corrections: int
    """Turns corrected without an apology."""
    give_ups: int
    """Turns given up."""
    fail_reasons: dict[str, int]
    """How often retries failed, by reason."""
    hard_denied: int
    """Turns that were refused completely and lost their speech too."""
    stall_mean: float
    """The mean stall score."""
    stall_events: int
    """Stalls reported."""
    stall_recoveries: int
    """Of those, how many were followed by an active turn before the next."""
    format_breaks: int
    """First answers that broke the format."""
    breaks_by_type: dict[str, int]
    """Broken formats of all attempts, by type."""
    repairs_by_method: dict[str, int]
    """Repairs of broken formats, by method."""
    unread: int
    """Actions in final answers that were not understood."""
    addressing_violations: int
    """Turns that address a character who cannot hear."""
    interventions: dict[str, int]
    """Interventions of the game master, by trigger."""
    latency_ms: tuple[int, ...]
    """Milliseconds of each turn, over all its attempts."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    cost: int
    """Cost in millionths of a US dollar."""
    unpriced: int
    """Answers whose price is unknown."""
    unsent: tuple[str, ...]
    """Settings that were not sent with at least one request, such as `temperature`."""
    runs: int = 0
    """Runs of agents at a gate: 1, or 0 if characters were played."""
    submissions: int = 0
    """Events that an agent has sent."""
    refused_submissions: int = 0
    """Of those, how many the gate refused."""
    refusals_by_code: dict[str, int] = {}
    """Refused submissions, by code."""
    fabricated_submissions: int = 0
    """Of the refused ones, how many had evidence that the gate found fabricated."""
    fabrications_by_kind: dict[str, int] = {}
    """How often the gate found each kind of fabrication."""
    tool_calls: int = 0
    """Tool calls of an agent."""
    failed_tool_calls: int = 0
    """Of those, how many failed or were refused."""


class Estimate(_Record, frozen=True, kw_only=True):
    """A mean over cells, with its confidence interval."""

    mean: float | None
    """The mean over the cells of a condition; None if there was nothing to count."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None if there is none."""
    high: float | None
    """The upper end of that interval."""
    n: int
    """The number of cells."""
    note: str = ""
    """What is missing or unusual, in a few words; usually empty."""


class ConditionComparison(_Record, frozen=True, kw_only=True):
    """Two conditions, compared block by block."""

    metric: str
    """The name of the metric."""
    first: str
    """The first condition."""
    second: str
    """The second condition; differences are second minus first."""
    difference: float | None
    """The mean difference over blocks; None if no block has both."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None if there is none."""
    high: float | None
    """The upper end of that interval."""
    p: float | None
    """The paired test's probability; None if there is nothing to test."""
    p_corrected: float | None
    """The probability after Holm's correction over its family."""
    effect: float | None
    """The paired effect size (Cohen's d of the differences); None if undefined."""
    size: str
    """The effect as a word: `none`, `small`, `medium`, `large`; empty if undefined."""
    blocks: int
    """Blocks in which both were played and have a value."""
    least_p: float | None = None
    """The smallest probability possible with so many blocks; None without a test."""
    factor: str = ""
    """The factor that the two differ in."""
    family: Literal["pairs", "other_pairs"] = "pairs"
    """The family it is corrected with."""
    note: str = ""
    """What is missing or unusual, in a few words; usually empty."""


class FactorEffect(_Record, frozen=True, kw_only=True):
    """What one factor, or two together, do to a number.

    Every block gives one value: what the factor does in that block, on the average over
    everything else that varies.
    """

    metric: str
    """The name of the metric."""
    factors: tuple[str, ...]
    """One factor: a main effect. Two factors: their interaction."""
    estimate: float | None
    """The mean change of the metric, for factors with two levels."""
    low: float | None
    """The lower end of its 95 % bootstrap interval over blocks, not corrected."""
    high: float | None
    """The upper end of that interval."""
    f: float | None
    """Its size relative to its variation between blocks; described, not tested."""
    p: float | None
    """Its probability by permutation within blocks; never 0."""
    p_corrected: float | None
    """The probability after Holm's correction over its family."""
    eta_squared: float | None
    """The share of the variation within blocks that it explains (partial)."""
    blocks: int = 0
    """Blocks that have every cell it needs."""
    least_p: float | None = None
    """The smallest probability possible with so many blocks; None without a test."""
    family: Literal["answer", "effects"] = "effects"
    """The family it is corrected with."""
    note: str = ""
    """What is missing or unusual, in a few words; usually empty."""


class BestConditions(_Record, frozen=True, kw_only=True):
    """The conditions with the best mean of a metric, and how the others compare."""

    metric: str
    """The name of the metric."""
    conditions: tuple[str, ...]
    """The conditions with the best mean."""
    mean: float
    """That mean."""
    are_all: bool
    """Whether all conditions have that mean."""
    unshown: tuple[str, ...]
    """Conditions that were not shown to be worse."""
    untestable: tuple[str, ...]
    """Conditions that so few blocks could never show to be worse."""
    uncompared: tuple[str, ...]
    """Conditions that differ from the best ones in more than one factor."""


class CorrectionFamily(_Record, frozen=True, kw_only=True):
    """Tests that are corrected together.

    If no effect is real, at least one of them reports an effect in 1 of 20 cases.
    """

    about: str
    """Which tests they are, as a part of a sentence."""
    tests: int
    """How many of them could be made."""
    blocks: int
    """The most blocks any of them had."""
    least_p: float | None
    """The smallest probability that was possible; None without a test."""
    least_corrected: float | None
    """That probability after correction."""
    blocks_needed: int | None
    """The fewest blocks that could show an effect, if all of them agree; None if no
    number of blocks could, or nothing was tested.
    """


class GateCheck(_Record, frozen=True, kw_only=True):
    """One check of Gate-3A or Gate-3B."""

    name: str
    """The name of the value, such as `give_up_rate`."""
    value: float | None
    """The value; None if there is nothing to count."""
    limit: str
    """The limit, such as `< 0.10`."""
    passed: bool
    """Whether the value is within the limit; false if there is nothing to count."""
    judged: bool = True
    """Whether there was something to count; if not, the check neither passes nor fails.
    """


class GateVerdict(_Record, frozen=True, kw_only=True):
    """The result of Gate-3A or Gate-3B for one condition."""

    gate: GateName
    """Which gate."""
    condition: str
    """The name of the condition."""
    blocking: bool
    """Whether failing it blocks a release, or is advice."""
    passed: bool
    """Whether all checks passed; false if the gate is not judged."""
    checks: tuple[GateCheck, ...]
    """The checks."""
    judged: bool = True
    """Whether a check failed, or every check had something to count. A gate that is not
    judged neither passes nor fails.
    """
    deeds_per_turn: float | None = None
    """How active the condition was: actions of first answers per turn; None if no turn
    was played.
    """


class Analysis(_Record, frozen=True, kw_only=True):
    """All figures of an experiment."""

    estimates: dict[str, dict[str, Estimate]]
    """Estimates by condition, then by metric."""
    comparisons: tuple[ConditionComparison, ...]
    """Every pair of conditions that differ in one factor, for every metric."""
    effects: tuple[FactorEffect, ...]
    """Main effects and interactions of the factors with more than one level."""
    gates: tuple[GateVerdict, ...]
    """For every condition with a game master, sorted by name."""
    method: str
    """How intervals, tests and corrections were computed, in a few sentences."""
    families: dict[str, CorrectionFamily] = {}
    """The families of tests corrected together: `answer`, `effects`, `pairs` and
    `other_pairs`.
    """
    blocks: int = 0
    """Blocks that were tested: all but those left out as copies."""
    folded: int = 0
    """Blocks left out as copies: all blocks of their scenario, or a block of another
    scenario, have exactly the same answers in every condition.
    """
    by_scenario: dict[str, dict[str, dict[str, Estimate]]] = {}
    """Estimates of the headline metrics by scenario, condition and metric, if there are
    two scenarios or more.
    """


HEADLINE_METRICS: Final = (
    "impossible_deed_rate",
    "deeds_per_turn",
    "goal_reached",
    "milestone_rate",
    "final_impossible_deed_rate",
    "invented_deed_rate",
    "give_up_rate",
    "retry_success_rate",
    "silent_correction_rate",
    "stall_mean",
    "format_break_rate",
)
"""The metrics that a report shows first; `metrics` defines all of them."""
WORK_HEADLINE_METRICS: Final = (
    "pass_rate",
    "fabrication_rate",
    "submission_refusal_rate",
    "model_calls_per_run",
    "tool_calls_per_run",
    "iterations_per_run",
    "tokens_per_run",
    "cost_per_run",
)
"""The metrics that a report on agents shows first."""
ANSWER_METRICS: Final = (HEADLINE_METRICS[0], WORK_HEADLINE_METRICS[0])
"""The metrics that answer the question of a plan."""
ALL_HEADLINE_METRICS: Final = (*HEADLINE_METRICS, *WORK_HEADLINE_METRICS)
"""The metrics that any report shows first."""
