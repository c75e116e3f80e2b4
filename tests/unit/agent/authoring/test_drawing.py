from pathlib import Path
from typing import Any

from saniwa.agent.authoring.drawing import graph_of
from saniwa.agent.authoring.reading import read_agent
from saniwa.core.drawing.graph import Graph
from tests.fakes.agent_folder import with_steps, write_agent

P = "close.md"


def _graph(folder: Path, steps: Any, entry: str = "") -> Graph:
    path = write_agent(folder, registry=with_steps(steps, entry))
    definition, report = read_agent(path)
    assert definition is not None, report
    return graph_of(definition)


def test_every_way_is_drawn_with_when_it_is_taken(tmp_path: Path) -> None:
    """Checks, retries and fallbacks, routes, parts and escalations."""
    check = {
        "keywords": ["OK"],
        "onPass": {"next": "way"},
        "onFail": {"retry": True, "onExhausted": "fallback", "fallbackStep": "help"},
    }
    steps = {
        "help": {"prompt": P, "complete": True},
        "ask": {"prompt": P, "check": check, "escalation": {"escalateTo": "help"}},
        "way": {
            "type": "gateway",
            "routes": [{"variable": "x", "equals": 1, "next": "all"}],
            "complete": True,
        },
        "all": {"subSteps": ["part"], "complete": True},
        "part": {"prompt": P},
    }
    graph = _graph(tmp_path, steps, "ask")
    names = {node.id: node.name for node in graph.nodes}
    drawn = {(names[e.start], names[e.end], e.kind, e.labels) for e in graph.edges}

    assert {
        ("help", "complete", "event", ()),
        ("ask", "◇ way", "event", ("pass",)),
        ("ask", "help", "call", ("fail 4 times", "escalate")),
        ("ask", "ask", "event", ("fail: retry up to 3",)),
        ("◇ way", "all", "event", ("x = 1",)),
        ("◇ way", "complete", "event", ()),
        ("all", "complete", "event", ()),
        ("all", "· part", "call", ("part 1",)),
    } == drawn
    assert ("ask", "start") == (graph.nodes[0].name, graph.nodes[0].kind)
    assert ("complete", "final") == (graph.nodes[-1].name, graph.nodes[-1].kind)
