"""Who else keeps processes: three that are durable or claim it, two in memory."""

from benchmarks.peers import Peer

LANGGRAPH = Peer(
    "langgraph", "1.2.20", "langgraph_walk.py", also=("langgraph-checkpoint-sqlite==3.1.2",)
)
BURR = Peer("burr", "0.42.0", "burr_walk.py")
DBOS = Peer("dbos", "3.3.0", "dbos_walk.py", python=(3, 11))
"""On newer Pythons it does not start with the SQLite of Debian 12."""
TRANSITIONS = Peer("transitions", "0.9.3", "transitions_walk.py")
STATEMACHINE = Peer("python-statemachine", "3.2.2", "statemachine_walk.py")
