"""Rulebooks: data that decides whether an action may happen.

A rulebook is read from JSON or YAML and contains no code, apart from installed
predicate plugins. Judging never changes a world.
"""
