"""Stores for runs, plays, experiment outcomes and gate logs.

One module per backend; all pass the same contract suite. What a store acknowledges is
durable. Nothing here knows how a run is played.
"""
