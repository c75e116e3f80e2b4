"""The numbers of an experiment: per cell, per condition, between conditions."""

from typing import Final, Literal

import msgspec

Better = Literal["less", "more", ""]
"""Which way a number is better; empty where neither is."""
GateName = Literal["Gate-3A", "Gate-3B"]
"""What holds a release back, and what is advice."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Records are written in snake_case, as the published results are."""


class Metric(_Record, frozen=True, kw_only=True):
    """One number that is told of every cell."""

    name: str
    """What `measure.metrics.value` knows it by."""
    label: str
    """What it is called in a report."""
    unit: Literal["rate", "count", "score", "ms", "tokens", "usd"]
    """What it is measured in; a rate is a share, between 0 and 1; a count is a mean
    number of things and may be more than 1."""
    better: Better
    """Which way is better."""
    about: str
    """What it is, in a sentence."""
    guided: bool = False
    """Whether it is told only of conditions with a game master: without one it is 0 by
    definition, and nothing to compare."""
    pools: bool = True
    """Whether it means the same of many cells counted together."""


class CellNumbers(_Record, frozen=True, kw_only=True):
    """What is counted in one cell."""

    key: str
    """The cell."""
    condition: str
    """Its condition, by name."""
    scenario: str
    """What was played."""
    seed: int
    """Its seed; with the scenario it names the block."""
    answers: str
    """16 hex digits over all answers, letter for letter; empty where there was none."""
    turns: int
    """Turns played."""
    success: bool
    """Whether it ran to its end without an error."""
    goal_reached: bool | None
    """Whether the story ended well; None where it has no goal."""
    generation_calls: int
    """Answers paid for, those of a turn that an error ended too."""
    actions: int
    """Intents of first tries that are deeds, not words."""
    refused_actions: int
    """Of those, how many were refused."""
    invented_actions: int
    """Of those, how many have a target that is nowhere in the world."""
    kept_actions: int
    """Intents of the answers that stand that are deeds."""
    refused_kept_actions: int
    """Of those, how many were refused."""
    milestones: int
    """Milestones of the story's goal that can be passed."""
    milestones_passed: int
    """Of those, how many were passed."""
    first_try_valid: int
    """Turns whose first answer might happen as it is."""
    first_turns: int
    """First turns: 1, or 0 where none was played."""
    acting_first_turns: int
    """Of those, whose first answer claimed something that could be refused."""
    first_turn_valid: int
    """Of those, whose first answer might happen as it is."""
    impossible_first: int
    """Refused intents of first tries."""
    impossible: int
    """Refused intents of the answers that stand: what reached the story as a claim."""
    impossible_by_code: dict[str, int]
    """The same by the game master's code, all eight."""
    impossible_first_by_code: dict[str, int]
    """Those of first tries, by code."""
    invented: int
    """Refused intents of all attempts whose target is nowhere in the world."""
    invented_first: int
    """Those of first tries."""
    invented_names: tuple[str, ...]
    """What they were called, sorted, once each."""
    retries: int
    """Retries made."""
    retried_turns: int
    """Turns with at least one."""
    retry_successes: int
    """Retries whose answer might happen."""
    silent_corrections: int
    """Turns corrected without an apology."""
    give_ups: int
    """Turns given up; every one of them."""
    fail_reasons: dict[str, int]
    """Why retries did not help, for each retry that did not."""
    hard_denied: int
    """Turns that were refused whole and lost their speech as well."""
    stall_mean: float
    """The mean stall score."""
    stall_events: int
    """Standstills announced."""
    stall_recoveries: int
    """Of those, how many were followed by a lively turn before the next."""
    format_breaks: int
    """First answers that broke the format."""
    breaks_by_type: dict[str, int]
    """The same by kind, over all attempts."""
    repairs_by_method: dict[str, int]
    """How they were mended."""
    unread: int
    """Deeds nobody understood, in the answers that stand."""
    addressing_violations: int
    """Turns addressed to somebody who cannot hear."""
    interventions: dict[str, int]
    """What made the game master speak up, by trigger."""
    latency_ms: tuple[int, ...]
    """Milliseconds of each turn, all its attempts together."""
    input_tokens: int
    """Tokens told."""
    output_tokens: int
    """Tokens said."""
    cost: int
    """Millionths of a US dollar."""
    unpriced: int
    """Answers whose price nobody knows."""
    unsent: tuple[str, ...]
    """Settings that at least one answer's model was not given, such as `temperature`."""


class Estimate(_Record, frozen=True, kw_only=True):
    """A mean over cells and how sure it is."""

    mean: float | None
    """The mean over the cells of a condition; None where there was nothing to count."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None where there is none."""
    high: float | None
    """The upper end."""
    n: int
    """Cells it is made of."""
    note: str = ""
    """What is missing or unusual here, in a few words; mostly empty."""


class ConditionComparison(_Record, frozen=True, kw_only=True):
    """Two conditions, compared block by block."""

    metric: str
    """What is compared."""
    first: str
    """A condition."""
    second: str
    """Another; differences are second minus first."""
    difference: float | None
    """The mean difference over blocks; None where no block has both."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None where there is none."""
    high: float | None
    """The upper end."""
    p: float | None
    """The paired test's probability; None where there is nothing to test."""
    p_corrected: float | None
    """The same, corrected by Holm over the family `pairs`."""
    effect: float | None
    """The paired effect size (Cohen's d of the differences); None where undefined."""
    size: str
    """The effect in a word: `none`, `small`, `medium`, `large`; empty where undefined."""
    blocks: int
    """Blocks in which both were played and have a value."""
    least_p: float | None = None
    """With so many blocks no probability could be below this; None without a test."""
    factor: str = ""
    """The one factor the two differ in."""
    note: str = ""
    """What is missing or unusual here, in a few words; mostly empty."""


class FactorEffect(_Record, frozen=True, kw_only=True):
    """What one factor, or two together, do to a number.

    Every block gives one value: what the factor does in that block, on the average over
    everything else that varies.
    """

    metric: str
    """The number."""
    factors: tuple[str, ...]
    """One factor: a main effect. Two: their interaction."""
    estimate: float | None
    """For factors of two levels: how much the number changes, on the average."""
    low: float | None
    """The lower end of its 95 % bootstrap interval over blocks, not corrected."""
    high: float | None
    """The upper end."""
    f: float | None
    """How large it is beside its changes from block to block; described, not tested."""
    p: float | None
    """Its probability by permutation within blocks; never 0."""
    p_corrected: float | None
    """The same, corrected by Holm over its family."""
    eta_squared: float | None
    """The share of what differs within blocks that it explains (partial)."""
    blocks: int = 0
    """Blocks that have every cell it needs."""
    least_p: float | None = None
    """With so many blocks no probability could be below this; None without a test."""
    family: Literal["answer", "effects"] = "effects"
    """Which effects it is corrected with."""
    note: str = ""
    """What is missing or unusual here, in a few words; mostly empty."""


class CorrectionFamily(_Record, frozen=True, kw_only=True):
    """Tests that are corrected together: 1 in 20 times one of them errs, if none is true."""

    about: str
    """Which tests they are, as a part of a sentence."""
    tests: int
    """How many of them could be made."""
    blocks: int
    """The most blocks any of them had."""
    least_p: float | None
    """None of their probabilities could have been below this; None without a test."""
    least_corrected: float | None
    """The same after correction."""
    blocks_needed: int | None
    """So few blocks could show something, if all of them say the same; None where no
    number of blocks could, or nothing was tested."""


class GateCheck(_Record, frozen=True, kw_only=True):
    """One line of a gate."""

    name: str
    """What is looked at, such as `give_up_rate`."""
    value: float | None
    """What it is; None where there is nothing to count."""
    limit: str
    """What it must be, such as `< 0.10`."""
    passed: bool
    """Whether it is; false where there is nothing to count."""
    judged: bool = True
    """Whether there was something to count; where not, the line neither passes nor
    fails."""


class GateVerdict(_Record, frozen=True, kw_only=True):
    """Gate-3A or Gate-3B, for one condition."""

    gate: GateName
    """Which."""
    condition: str
    """For which condition."""
    blocking: bool
    """Whether failing it stops anything, or is advice."""
    passed: bool
    """Whether all its checks passed; false where the gate is not judged."""
    checks: tuple[GateCheck, ...]
    """One by one."""
    judged: bool = True
    """Whether a check failed, or every check had something to count. A gate that is not
    judged neither passes nor fails."""
    deeds_per_turn: float | None = None
    """How active the condition was: deeds of first answers for each turn; None where no
    turn was played."""


class Analysis(_Record, frozen=True, kw_only=True):
    """Everything that is said about an experiment in numbers."""

    estimates: dict[str, dict[str, Estimate]]
    """By condition, then by metric."""
    comparisons: tuple[ConditionComparison, ...]
    """Every pair of conditions that differ in one factor, for every metric."""
    effects: tuple[FactorEffect, ...]
    """Main effects and interactions of the factors with more than one level."""
    gates: tuple[GateVerdict, ...]
    """For every condition with a game master, in order of name."""
    method: str
    """How intervals, tests and corrections were made, in a few sentences."""
    families: dict[str, CorrectionFamily] = {}
    """What was corrected together: `answer`, `effects` and `pairs`."""
    blocks: int = 0
    """Blocks that were tested: all but those left out as copies."""
    folded: int = 0
    """Blocks left out as copies: all of their scenario, or one of another scenario, have
    the very same answers in every condition."""
    by_scenario: dict[str, dict[str, dict[str, Estimate]]] = {}
    """By scenario, condition and metric: those a reader sees first, where there are two
    scenarios or more."""


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
"""The metrics a reader sees first; `measure.metrics` defines all of them."""
