"""Runs experiments: prepares plans, plays cells, stores outcomes and writes results.

This package connects `saniwa.experiment` to files, models, worker processes and the
gate.
"""
