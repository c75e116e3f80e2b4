"""Authored starting positions: found by id, checked whole, turned into worlds.

An id the registry does not name is an error before anything runs, never a quiet default.
"""
