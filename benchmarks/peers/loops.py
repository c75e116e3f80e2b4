"""Who else runs agents: three loops, each with a model that costs nothing."""

from benchmarks.peers import Peer
from benchmarks.peers.gates import LANGGRAPH

PYDANTIC_AI = Peer("pydantic-ai-slim", "2.66.0", "pydantic_ai_turns.py")
LANGGRAPH_TURNS = LANGGRAPH._replace(script="langgraph_turns.py")
"""In the environment that the gate's comparison has made."""
OPENAI_AGENTS = Peer("openai-agents", "0.24.0", "openai_agents_turns.py")
