"""Markdown stories: parsing, compiling, linting, playing and saving them.

A story never sees a world directly; facts about one come in through a port. The package
reads only story files and assets, and uses no clock and no unseeded randomness.
"""
