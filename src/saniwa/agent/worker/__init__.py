"""An agent at a gate: it reads what a state asks for, hands in evidence, and waits."""
