from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.files.agent_folder import read_agent
from saniwa.agent.files.flow_graph import build_graph
from saniwa.core.graph import Graph
from tests.fakes.agent_folder import make_flow, write_agent

P = "close.md"


def _draw_agent(folder: Path, steps: Any, entry: str = "") -> Graph:
    path = write_agent(folder, registry=make_flow(steps, entry))
    definition, report = read_agent(path)
    assert definition is not None, report
    return build_graph(definition)


Drawn = set[tuple[str, str, str, tuple[str, ...]]]


def _list_edges(graph: Graph) -> Drawn:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[e.start], names[e.end], e.kind, e.labels) for e in graph.edges}


def test_every_way_is_drawn_with_when_it_is_taken(tmp_path: Path) -> None:
    """Every transition is drawn with its condition: checks, retries, fallbacks and routes."""
    check = {
        "keywords": ["OK"],
        "onPass": {"next": "way"},
        "onFail": {"retry": True, "onExhausted": "fallback", "fallbackStep": "help"},
    }
    steps = {
        "help": {"prompt": P, "complete": True},
        "ask": {"prompt": P, "check": check},
        "way": {
            "type": "gateway",
            "routes": [{"variable": "iteration", "equals": 1, "next": "all"}],
            "complete": True,
        },
        "all": {"subSteps": ["part"], "complete": True},
        "part": {"prompt": P},
    }
    graph = _draw_agent(tmp_path, steps, "ask")

    assert {
        ("help", "complete", "event", ()),
        ("ask", "◇ way", "event", ("pass",)),
        ("ask", "help", "call", ("fail 4 times",)),
        ("ask", "ask", "event", ("fail: retry up to 3",)),
        ("◇ way", "all", "event", ("iteration = 1",)),
        ("◇ way", "complete", "event", ()),
        ("all", "complete", "event", ()),
        ("all", "· part", "call", ("part 1",)),
    } == _list_edges(graph)
    assert ("ask", "start") == (graph.nodes[0].name, graph.nodes[0].kind)
    assert ("complete", "final") == (graph.nodes[-1].name, graph.nodes[-1].kind)


_CHECK = {"keywords": ["OK"], "onPass": {"complete": True}, "onFail": {"escalate": True}}


@pytest.mark.parametrize(
    ("back", "to"), [("resume", "ask"), ("restart", "first"), ("abort", "abort")]
)
def test_an_escalation_is_drawn_there_and_back(tmp_path: Path, back: str, to: str) -> None:
    """An escalation is drawn with its way back."""
    escalation = {"escalateTo": "help", "returnFlow": back}
    steps = {
        "first": {"prompt": P, "next": "ask"},
        "ask": {"prompt": P, "check": _CHECK, "escalation": escalation},
        "help": {"prompt": P, "next": "more"},
        "more": {"prompt": P},
    }
    drawn = _list_edges(_draw_agent(tmp_path, steps))

    assert {
        ("first", "ask", "event", ()),
        ("ask", "complete", "event", ("pass",)),
        ("ask", "help", "call", ("escalate",)),
        ("help", "more", "event", ()),
        ("more", to, "call", (back,)),
    } == drawn


def test_the_end_of_a_part_is_not_drawn_as_the_flows(tmp_path: Path) -> None:
    """Only a step of the flow itself is drawn with an edge to the end."""
    steps = {
        "all": {"subSteps": ["part"], "complete": True},
        "part": {"prompt": P, "complete": True},
    }
    drawn = _list_edges(_draw_agent(tmp_path, steps))

    assert {("all", "complete", "event", ()), ("all", "· part", "call", ("part 1",))} == drawn


def test_retries_before_an_escalation_end_in_it(tmp_path: Path) -> None:
    """The retries of a step that escalates end with the escalation."""
    check = {"keywords": ["OK"], "onPass": {"complete": True}}
    escalation = {"escalateTo": "mentor", "notificationMethod": "log"}
    steps = {"ask": {"prompt": P, "check": check, "escalation": escalation}}
    drawn = _list_edges(_draw_agent(tmp_path, steps))

    assert ("ask", "ask", "event", ("fail: retry up to 3",)) in drawn


@pytest.mark.parametrize(
    ("method", "to", "named"),
    [
        ("webhook", "https://example.org/hook?key=secret", "webhook: https://example.org/hook?…"),
        ("log", "mentor", "log: mentor"),
    ],
)
def test_the_target_of_an_escalation_is_drawn(
    tmp_path: Path, method: str, to: str, named: str
) -> None:
    """The target of an escalation is drawn without secrets, and with the way back."""
    escalation = {"escalateTo": to, "notificationMethod": method}
    steps = {"ask": {"prompt": P, "check": _CHECK, "escalation": escalation}}
    drawn = _list_edges(_draw_agent(tmp_path, steps))

    assert {
        ("ask", "complete", "event", ("pass",)),
        ("ask", named, "call", ("escalate",)),
        (named, "ask", "call", ("resume",)),
    } == drawn


@pytest.mark.parametrize("in_check", [True, False])
def test_a_skip_is_drawn_where_it_leads(tmp_path: Path, in_check: bool) -> None:
    """A skip is drawn to the same target as a pass."""
    check: dict[str, Any] = {"keywords": ["OK"], "onFail": {"retry": True, "onExhausted": "skip"}}
    leads = {"next": "end"}
    check |= {"onPass": leads} if in_check else {}
    steps = {
        "ask": {"prompt": P, "check": check, **({} if in_check else leads)},
        "end": {"prompt": P, "complete": True},
    }
    drawn = _list_edges(_draw_agent(tmp_path, steps))

    assert {
        ("ask", "end", "event", ("pass",)),
        ("ask", "end", "call", ("fail 4 times: skip",)),
        ("ask", "ask", "event", ("fail: retry up to 3",)),
        ("end", "complete", "event", ()),
    } == drawn
