"""The gate: the states a run passes through, and the evidence each transition needs.

This package makes the decisions and defines the records. Storing records and reading
files is left to the implementations of `ports`.
"""
