"""Adapters for other tools: Gymnasium, PettingZoo, inspect-ai, TextWorld, tables.

Each adapter's libraries are optional extras; no other package depends on them.
"""
