"""LangGraph's half of the comparison of loops; run by the Python of its own environment.

A graph of one node that answers at once, with its messages kept by its saver in memory.
"""

import json
import sys
from importlib.metadata import version

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from turning import ANSWER, QUESTION, SYSTEM, idle_kb, times

THREAD = {"configurable": {"thread_id": "tea"}}


async def answer_messages(state: MessagesState) -> dict:
    """The one answer."""
    told = [SystemMessage(SYSTEM), *state["messages"]]
    assert told
    return {"messages": [AIMessage(ANSWER)]}


def build_graph():
    """A new graph."""
    made = StateGraph(MessagesState)
    made.add_node("answer", answer_messages)
    made.add_edge(START, "answer")
    made.add_edge("answer", END)
    return made.compile(checkpointer=InMemorySaver())


async def begin():
    """A new conversation."""
    keeper = build_graph()

    async def take(turn: int) -> None:
        asked = HumanMessage(QUESTION.format(turn=turn))
        state = await keeper.ainvoke({"messages": [asked]}, THREAD)
        assert state["messages"][-1].content == ANSWER

    return take


def main(rounds: int, turns: int, count: int) -> None:
    """Measure, and print what was measured."""
    report = {
        "version": version("langgraph"),
        "idle_kb": idle_kb(build_graph, count),
        "turns": times(begin, rounds, turns),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
