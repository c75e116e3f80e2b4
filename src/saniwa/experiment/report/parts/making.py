"""How it was made: enough to make it again."""

from collections.abc import Iterable

from saniwa.experiment.cell import count_cells
from saniwa.experiment.layout import (
    ANALYSIS,
    CONVERSATION,
    EXAMPLES,
    PREPARED,
    RESULTS,
    TIMES,
    TURNS_LOG,
)
from saniwa.experiment.plan import Setting
from saniwa.experiment.report.blocks import (
    Block,
    Bullets,
    Heading,
    Line,
    Link,
    Name,
    Paragraph,
    Table,
    Words,
    words,
)
from saniwa.experiment.report.figures import NOTHING, count, counted
from saniwa.experiment.report.material import Material

_FILES = (RESULTS, ANALYSIS, CONVERSATION, TURNS_LOG, EXAMPLES, PREPARED, TIMES)
_MOST = 20


def making(material: Material) -> tuple[Block, ...]:
    """Plan, seeds, versions, hashes, method, files."""
    return (
        Heading("How it was made", "making"),
        Table("plan", "The plan", ("What", "Value"), tuple(_plan(material)), texts=2),
        _scenarios(material),
        Paragraph(words(material.analysis.method)),
        *_crashes(material),
        Paragraph(_files()),
    )


def _plan(material: Material) -> list[tuple[Line, ...]]:
    plan, prepared = material.plan, material.prepared
    facts = {
        "Experiment": plan.experiment_id,
        "Mode": "stand-ins (sim)" if plan.mode == "sim" else "models (real)",
        "Profile": plan.profile or NOTHING,
        "Models": _some(sorted({c.model for c in plan.conditions if c.model})),
        "Temperatures": _temperatures(material),
        "Prompt editions": _some(sorted({c.prompt for c in plan.conditions})),
        "Rulebooks": _some(sorted({c.rulebook or "scenario" for c in plan.conditions})),
        "Seeds": _some(plan.seeds),
        "Order seed": str(plan.order_seed),
        "Turns, retries, tokens": (
            f"{plan.max_turns}, {plan.max_retries}, {plan.max_tokens} at most"
        ),
        "Settings that models were not given": _some(_unsent(material)),
        "Runs": f"{count(len(material.numbers))} of {count(count_cells(plan))} planned",
        "Saniwa": prepared.version,
        "Fingerprint of all of it": prepared.fingerprint,
    }
    return [(words(name), (Name(value),)) for name, value in facts.items()]


def _unsent(material: Material) -> list[str]:
    return sorted({name for each in material.numbers for name in each.unsent})


def _temperatures(material: Material) -> str:
    """Those that were sent; stand-ins are given none."""
    plan = material.plan
    without = {n.condition for n in material.numbers if "temperature" in n.unsent}
    if plan.mode == "sim":
        return NOTHING
    return _some(
        sorted({c.temperature for c in plan.conditions if c.name not in without})
    )


def _some(values: Iterable[object]) -> str:
    listed = [str(each) for each in values]
    if len(listed) > _MOST:
        return f"{', '.join(listed[:_MOST])} and {len(listed) - _MOST} more"
    return ", ".join(listed) or NOTHING


def _scenarios(material: Material) -> Table:
    settings = sorted(material.prepared.settings.items())
    more = len(settings) - _MOST
    return Table(
        "scenarios",
        "The scenarios",
        ("Scenario", "scenario_hash", "world_hash", "Description"),
        tuple(_scenario(each) for _, each in settings[:_MOST]),
        f"{more} more are in {PREPARED}." if more > 0 else "",
        texts=4,
    )


def _scenario(setting: Setting) -> tuple[Line, ...]:
    told = [
        str(setting.meta.get(key) or NOTHING)[:200]
        for key in ("scenario_hash", "world_hash", "description")
    ]
    return (
        (Name(setting.scenario_id),),
        (Name(told[0]),),
        (Name(told[1]),),
        words(told[2]),
    )


def _crashes(material: Material) -> tuple[Block, ...]:
    crashes = sorted(material.gathered.crashes.items())
    if not crashes:
        return ()
    lines = [
        (Name(code), Words(f": {counted(n, 'run')} ended so")) for code, n in crashes
    ]
    return (Bullets(tuple(lines[:_MOST])),)


def _files() -> Line:
    links: list[Link | Words] = [Words("Beside this report: ")]
    for name in _FILES:
        links += [Link(name, name), Words(", ")]
    links[-1] = Words(".")
    return tuple(links)
