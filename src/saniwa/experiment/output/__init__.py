"""Writes the published files of an experiment: results, turns, conversations."""
