"""Experiments: a plan crosses conditions, repeats runs, and keeps what came of them.

Every condition is judged by the same rulebook; conditions differ in what a model is told.
Read `playing.cell` first: it is one run of one condition, from first prompt to last turn.
"""
