"""Scenarios: authored starting positions, found by id, checked, built into worlds.

An id the registry does not name is an error before anything runs, never a silent
default.
"""
