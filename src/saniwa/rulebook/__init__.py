"""Data that decides whether an action may happen.

A rulebook is read from JSON or YAML and holds no code; judging never changes a world.
"""
