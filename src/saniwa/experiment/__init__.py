"""Experiments: a plan crosses conditions, repeats runs and records their outcomes.

Every condition is judged by the same rulebook; conditions differ in what a model is
told. Read `cell_player` first: it plays one run of one condition, from first prompt to
last turn.
"""
