"""Broken formats, and how they were mended."""

from collections import Counter

from saniwa.experiment.report.blocks import Block, Heading, Line, Link, Paragraph, words
from saniwa.experiment.report.figures import count
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.crossing import crossed


def form(material: Material) -> tuple[Block, ...]:
    """Breaks by kind and repairs by method, by condition."""
    cells = {each.name: material.pooled(each.name) for each in material.listed}
    breaks = {name: _some(cell.breaks_by_type) for name, cell in cells.items()}
    repairs = {name: _some(cell.repairs_by_method) for name, cell in cells.items()}
    kinds = [("broken", kind) for kind in sorted(set().union(*breaks.values()))]
    methods = [("mended", how) for how in sorted(set().union(*repairs.values()))]
    if not kinds and not methods:
        fine = "Every answer kept to the format."
        return Heading("Format", "format"), Paragraph(words(fine))

    def cell(name: str, row: tuple[str, str]) -> Line:
        found = (breaks if row[0] == "broken" else repairs)[name][row[1]]
        anchor = material.sample(name, row[1]) if found else ""
        return (Link(count(found), f"#{anchor}"),) if anchor else words(count(found))

    return (
        Heading("Format", "format"),
        crossed(
            material,
            [*kinds, *methods],
            lambda row: f"{row[0]}: {row[1]}",
            cell,
            anchor="breaks",
            caption="Answers that broke the format, and how they were mended",
            corner="What",
            note=(
                "All attempts are counted. The turns: examples_index.csv, where break_type "
                "or repair_method is the name."
            ),
        ),
    )


def _some(tally: dict[str, int]) -> Counter[str]:
    return Counter({kind: n for kind, n in tally.items() if n})
