"""What was impossible, by code: at first, and in what stands."""

from saniwa.experiment.report.blocks import (
    Block,
    Heading,
    Line,
    Link,
    Paragraph,
    Words,
    words,
)
from saniwa.experiment.report.figures import count
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.crossing import crossed
from saniwa.experiment.telling.deny import DENY_CODES

_ALL = "all"


def refusals(material: Material) -> tuple[Block, ...]:
    """Refused deeds by code and condition."""
    return (
        Heading("Impossible actions", "impossible"),
        Paragraph(words(_about(material))),
        crossed(
            material,
            (*DENY_CODES, _ALL),
            lambda code: code,
            lambda name, code: _cell(material, name, code),
            anchor="by-code",
            caption="Impossible actions by code: in first answers → in those that stand",
            corner="Code",
            note=(
                "A figure with a link leads to a turn in which it happened, be it at a "
                "retry. All turns: examples_index.csv, where first_deny_codes or "
                "final_deny_codes has the code; or saniwa experiment show with "
                "--where deny=CODE."
            ),
        ),
    )


def _about(material: Material) -> str:
    names = sorted({name for each in material.numbers for name in each.invented_names})
    said = "Every answer in every condition was judged by the same rulebook."
    if not names:
        return f"{said} Nothing was acted on that does not exist."
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    listed = ", ".join(f"“{name[:40]}”" for name in names[:12])
    return f"{said} Acted on though it exists nowhere: {listed}{more}."


def _cell(material: Material, condition: str, code: str) -> Line:
    cell = material.pooled(condition)
    tallies = (cell.impossible_first_by_code, cell.impossible_by_code)
    first, standing = (
        sum(each.values()) if code == _ALL else each.get(code, 0) for each in tallies
    )
    codes = DENY_CODES if code == _ALL else (code,)
    found = (material.sample(condition, each) for each in codes)
    anchor = next((each for each in found if each), "")
    shown = f"{count(first)} → {count(standing)}"
    return (Link(shown, f"#{anchor}"),) if anchor else (Words(shown),)
