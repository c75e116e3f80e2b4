"""Shelves for finished cells of an experiment: exactly one outcome for each.

Whoever comes first with a cell's outcome has it kept; what comes later changes nothing.
"""
