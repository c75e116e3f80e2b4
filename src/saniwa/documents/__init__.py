"""Reads authored JSON and YAML files with the place of every value.

Mistakes become findings with file, line and column. What the values mean is decided by
the packages that use this one.
"""
