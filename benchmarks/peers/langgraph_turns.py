"""LangGraph's part of the comparison of loops; run by the Python of its own environment.

A graph of one node that answers at once, and one of a model and its tools, with its messages kept by its saver in memory.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.metadata import version

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool as make_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from turn_timing import ANSWER, FREE, QUESTION, SYSTEM, TOOL, measure_idle_kb, time_turns

THREAD = {"configurable": {"thread_id": "tea"}}


async def answer_messages(state: MessagesState) -> dict[str, list[AIMessage]]:
    """The one answer."""
    told = [SystemMessage(SYSTEM), *state["messages"]]
    assert told
    return {"messages": [AIMessage(ANSWER)]}


async def call_tool(state: MessagesState) -> dict[str, list[AIMessage]]:
    """A call of the tool, and the one answer once it has said something."""
    if isinstance(state["messages"][-1], ToolMessage):
        return await answer_messages(state)
    call = {"name": TOOL, "args": {}, "id": "c", "type": "tool_call"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


@make_tool(TOOL)
async def _count_cups() -> str:
    """Count the free cups."""
    return FREE


def build_tool_graph() -> CompiledStateGraph:
    """A new graph of a model and its tools, as LangGraph's own guide draws it."""
    made = StateGraph(MessagesState)
    made.add_node("answer", call_tool)
    made.add_node("tools", ToolNode([_count_cups]))
    made.add_edge(START, "answer")
    made.add_conditional_edges("answer", tools_condition)
    made.add_edge("tools", "answer")
    return made.compile(checkpointer=InMemorySaver())


def build_graph() -> CompiledStateGraph:
    """A new graph."""
    made = StateGraph(MessagesState)
    made.add_node("answer", answer_messages)
    made.add_edge(START, "answer")
    made.add_edge("answer", END)
    return made.compile(checkpointer=InMemorySaver())


async def begin(*, tool: bool = False) -> Callable[[int], Awaitable[None]]:
    """A new conversation."""
    keeper = build_tool_graph() if tool else build_graph()

    async def take(turn: int) -> None:
        asked = HumanMessage(QUESTION.format(turn=turn))
        state = await keeper.ainvoke({"messages": [asked]}, THREAD)
        assert state["messages"][-1].content == ANSWER

    return take


def main(rounds: int, turns: int, count: int) -> None:
    """Measure, and print what was measured."""
    report = {
        "version": version("langgraph"),
        "idle_kb": measure_idle_kb(build_graph, count),
        "turns": time_turns(begin, rounds, turns),
        "tool_turns": time_turns(partial(begin, tool=True), rounds, turns),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
