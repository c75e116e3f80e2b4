"""A graph in Mermaid, which many hosts of Markdown draw by themselves."""

from collections.abc import Iterator

from saniwa.core.drawing.graph import DASHED, LONGEST, Edge, Graph, Node
from saniwa.core.quoted import cut

_PLAIN = frozenset(" .,!?-'")
_SHAPES = {
    "start": ('["', '"]'),
    "section": ('["', '"]'),
    "ending": ('(["', '"])'),
    "end": ('(["', '"])'),
    "missing": ('["', '"]'),
    "state": ('["', '"]'),
    "final": ('(["', '"])'),
}
_MISSING = "classDef missing fill:#fdd,stroke:#c00,color:#900"


def mermaid(graph: Graph) -> str:
    """The graph as a flowchart from top to bottom."""
    return "\n".join(["flowchart TD", *_lines(graph)]) + "\n"


def _lines(graph: Graph) -> Iterator[str]:
    longest = max(LONGEST, graph.longest)
    for node in graph.nodes:
        yield f"    {_node(node)}"
    for edge in graph.edges:
        yield f"    {edge.start} {_arrow(edge, longest)} {edge.end}"
    missing = [node.id for node in graph.nodes if node.kind == "missing"]
    if missing:
        yield f"    {_MISSING}"
        yield f"    class {','.join(missing)} missing"


def _node(node: Node) -> str:
    before, after = _SHAPES[node.kind]
    return f"{node.id}{before}{escaped(cut(node.name, LONGEST)) or ' '}{after}"


def _arrow(edge: Edge, longest: int) -> str:
    arrow = "-.->" if edge.kind in DASHED else "-->"
    text = escaped(edge.words(longest))
    return f'{arrow}|"{text}"|' if text.strip() else arrow


def escaped(text: str) -> str:
    """The text with everything that Mermaid could read as its own written as a number."""
    return "".join(
        letter if letter.isalnum() or letter in _PLAIN else _number(letter)
        for letter in text
    )


def _number(letter: str) -> str:
    return f"#{ord(letter)};" if letter.isprintable() else " "
