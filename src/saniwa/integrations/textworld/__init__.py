"""Converts TextWorld games to scenarios.

Games whose rules no shipped rulebook implements are reported, not approximated.
"""
