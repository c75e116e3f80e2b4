"""The gate: the states a run passes through, and the evidence each passage needs.

Decides and remembers; where records are kept and files are read is behind `ports`.
"""
