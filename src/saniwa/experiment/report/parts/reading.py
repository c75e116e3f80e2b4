"""How the answer is to be read: what was corrected, what is missing, whom it is about."""

from collections.abc import Iterator

from saniwa.experiment.cell import count_cells
from saniwa.experiment.measure.model import HEADLINE, Effect
from saniwa.experiment.measure.reach import blocks_needed, reach_of
from saniwa.experiment.report.blocks import Block, Paragraph, words
from saniwa.experiment.report.figures import (
    SURE,
    count,
    counted,
    metric_named,
    probability,
)
from saniwa.experiment.report.lacking import lacking, lacking_told
from saniwa.experiment.report.material import Material


def reading(material: Material) -> tuple[Block, ...]:
    """A few sentences below the answer."""
    texts = (_figures(material), _runs(material), _meaning(material))
    return tuple(Paragraph(words(text)) for text in texts)


def could_not(material: Material, effect: Effect) -> str:
    """Why an effect could not have been shown; empty where it could have been."""
    if effect.least_p is None or effect.blocks < 1:
        return ""
    least = reach_of(material.analysis)[effect.family].get(effect.least_p, 0.0)
    if least < SURE:
        return ""
    needed = blocks_needed(effect, material.analysis.effects, material.plan)
    return (
        f": with {counted(effect.blocks, 'block')} its p could not have been below "
        f"{probability(least)}{_needed(material, needed)}"
    )


def _needed(material: Material, blocks: int | None) -> str:
    """How many seeds it would take, where it is seeds that lack."""
    if material.analysis.folded:
        return _unheard(material)
    if lacking(material.plan, material.runs):
        return "; the missing runs are to be finished first"
    seeds = -(-(blocks or 0) // max(len(material.plan.scenarios), 1))
    if seeds <= len(material.plan.seeds):
        return ""
    return f"; at least {counted(seeds, 'seed')} would be needed"


def _unheard(material: Material) -> str:
    if material.analysis.blocks > 1:
        return "; some seeds or scenarios change nothing"
    return "; seeds change nothing here, and more of them would not help"


def _figures(material: Material) -> str:
    metric = metric_named(HEADLINE[0])
    about = metric.about.rstrip(".")
    return (
        f"“{metric.label}” counts {about[:1].lower()}{about[1:]}; less is better. In "
        f"brackets are 95 % intervals, each for itself. p is corrected{_family(material)}, "
        "so an interval may lie on one side of nothing where p does not decide. A change "
        f"counts as shown where p < {SURE}."
    )


def _family(material: Material) -> str:
    family = material.analysis.families.get("answer")
    if family is None or not family.tests:
        return " by Holm"
    if family.tests == 1:
        return " by Holm, though there is one test only"
    return f" by Holm over the {counted(family.tests, 'test')} of this answer"


def _runs(material: Material) -> str:
    return " ".join(_about_runs(material))


def _about_runs(material: Material) -> Iterator[str]:
    blocks = len({(each.scenario, each.seed) for each in material.numbers})
    who = "stand-ins" if material.plan.mode == "sim" else "models"
    yield (
        f"{counted(len(material.numbers), 'run')} in {counted(blocks, 'block')} of scenario "
        f"and seed, played by {who}."
    )
    if folded := material.analysis.folded:
        yield (
            f"{counted(folded, 'block')} had the very same answers as another and "
            f"{'counts' if folded == 1 else 'count'} in no test: a copy is no further "
            "evidence."
        )
    yield from _missing(material)
    yield _whom(material)


def _missing(material: Material) -> Iterator[str]:
    """What was planned and is not there; means of conditions then are of other blocks."""
    missing = lacking(material.plan, material.runs)
    if not missing:
        return
    many = sum(missing.values())
    yield (
        f"Of {counted(count_cells(material.plan), 'planned run')} {count(many)} "
        f"{'is' if many == 1 else 'are'} missing ({lacking_told(missing)}): means of "
        "conditions are not over the same blocks, and effects are reckoned in those that "
        "are whole."
    )


def _whom(material: Material) -> str:
    scenarios = material.plan.scenarios
    if len(scenarios) == 1:
        return "It is about this scenario; of others it says nothing."
    return (
        f"It is about these {len(scenarios)} scenarios together, each with its seeds; of "
        "others it says nothing."
    )


def _meaning(material: Material) -> str:
    """What the two words of the question stand for."""
    retries = material.plan.max_retries
    return (
        "Telling is putting into the prompt what is true where the speaker stands. "
        "Refusing is a game master's work as a whole: a refused answer comes back with a "
        f"card and is asked for again, up to {counted(retries, 'time')} and with other "
        "seeds; what happened is told to the next speaker; and the talk goes on with what "
        "came true. Asking again alone would mend some answers too."
    )
