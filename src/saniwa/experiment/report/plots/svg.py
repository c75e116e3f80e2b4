"""From matplotlib's SVG to one that may stand within a page.

No style attributes, no ids but those that are used, no addresses, few digits: the same
bytes every time, and nothing that a strict content policy would refuse.
"""

import re
from io import StringIO
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from saniwa.experiment.report.plots.ink import CLASSES

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.figure import Figure

_DROPPED: Final = ("metadata", "style", "clipPath")
_KEPT_STYLES: Final = frozenset(
    ("font-size", "text-anchor", "stroke-width", "stroke-dasharray", "opacity")
)
_PAINTS: Final = {"fill": "f", "stroke": "s"}
_NUMBER: Final = re.compile(r"(?:-|(?<!\d))\d++\.\d++")
_SCALE: Final = 1.5


def svg_of(figure: "Figure", anchor: str) -> str:
    """The figure's SVG; ids within begin with the anchor."""
    written = StringIO()
    figure.savefig(
        written,
        format="svg",
        transparent=True,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    root = ElementTree.fromstring(written.getvalue())
    _clean(root, anchor)
    _frame(root)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _frame(root: "Element") -> None:
    """How large it wants to be; the page may make it smaller."""
    box = root.get("viewBox", "0 0 0 0").split()
    root.attrib.clear()
    root.set("viewBox", " ".join(box))
    root.set("width", f"{float(box[2]) * _SCALE:.0f}")
    root.set("height", f"{float(box[3]) * _SCALE:.0f}")
    root.set("aria-hidden", "true")


def _clean(element: "Element", anchor: str) -> None:
    for child in list(element):
        if _local(child.tag) in _DROPPED:
            element.remove(child)
        else:
            _clean(child, anchor)
            if _local(child.tag) in ("g", "defs") and not len(child):
                element.remove(child)
    element.tag = _local(element.tag)
    element.text = (element.text or "").strip() or None
    element.tail = None
    attributes = {_local(name): value for name, value in element.attrib.items()}
    element.attrib.clear()
    element.attrib.update(_attributes(element.tag, attributes, anchor))


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _attributes(tag: str, given: dict[str, str], anchor: str) -> dict[str, str]:
    style = _declared(given.pop("style", ""))
    kept = {
        name: _rounded(value)
        for name, value in given.items()
        if name not in ("id", "href", "clip-path", "type")
    }
    if tag in ("path", "use") and "id" in given:
        kept["id"] = f"{anchor}-{given['id']}"
    if "href" in given:
        kept["href"] = f"#{anchor}-{given['href'][1:]}"
    if kept.get("transform", "").startswith("rotate(-0 "):
        del kept["transform"]
    kept.update({n: _rounded(v) for n, v in style.items() if n in _KEPT_STYLES})
    return kept | _painted(tag, style)


def _declared(style: str) -> dict[str, str]:
    pairs = (each.partition(":") for each in style.split(";") if each.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _painted(tag: str, style: dict[str, str]) -> dict[str, str]:
    """Colours as classes; none stays none, and what is unnamed is ink."""
    classes, kept = [], {}
    for name, letter in _PAINTS.items():
        value = style.get(name)
        if value == "none":
            kept[name] = "none"
        elif value is not None:
            classes.append(f"{letter}-{CLASSES.get(value, 'ink')}")
        elif name == "fill" and tag == "text":
            classes.append("f-ink")
    if classes:
        kept["class"] = " ".join(classes)
    return kept


def _rounded(value: str) -> str:
    """Two digits are finer than a screen; the last bits differ between machines."""
    short = _NUMBER.sub(
        lambda met: f"{float(met[0]):.2f}".rstrip("0").rstrip("."), value
    )
    return " ".join(short.split())
