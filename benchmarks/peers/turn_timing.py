"""How the scripts of all loops measure, Saniwa's included; run by any environment's Python.

An agent takes turns in one conversation with a model that answers at once.
"""

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from statistics import median
from time import process_time_ns

SYSTEM = "You are the keeper of a small tea house. Answer in one short sentence."
QUESTION = "A guest says: is there any tea left? This is turn {turn}."
ANSWER = "There is a pot on the stove, and the second cup is free."
TOOL, FREE = "count_cups", "2"
"""The tool of an agent that has one, and what it says: it does nothing."""

Conversation = Callable[[], Awaitable[Callable[[int], Awaitable[None]]]]
"""Begins a conversation: returns what takes the next turn, by its number."""


def time_turns(
    begin: Conversation, rounds: int, turns: int, clock: Callable[[], int] = process_time_ns
) -> list[float]:
    """CPU milliseconds of each turn of a conversation, in the median of the rounds."""
    asyncio.run(_time_round(begin, turns, clock))  # the first does not count
    taken = [asyncio.run(_time_round(begin, turns, clock)) for _ in range(rounds)]
    return [median(each) for each in zip(*taken, strict=True)]


async def _time_round(begin: Conversation, turns: int, clock: Callable[[], int]) -> list[float]:
    take = await begin()
    spent = []
    gc.collect()
    for turn in range(turns):
        start = clock()
        await take(turn)
        spent.append((clock() - start) / 1e6)
    return spent


def measure_idle_kb(make: Callable[[], object], count: int) -> float:
    """Kilobytes of Python's memory that one more of them holds, when there are many.

    Counted by allocation: what a process holds altogether hardly moves, because imports
    leave room behind.
    """
    first = [make() for _ in range(10)]  # whatever the first of them loads
    gc.collect()
    tracemalloc.start()
    held = [make() for _ in range(count)]
    gc.collect()
    spent, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(first) + len(held) == count + 10
    return spent / count / 1024
