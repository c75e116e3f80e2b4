"""Whether a narration is so: no model, no chance, only the turn and the worlds around it.

Strict on purpose: a false alarm costs a model's wording, and the plain narrator tells
the turn in its place.
"""
