"""Runs: playing scenarios and stories turn by turn, and storing every turn.

`run` plays a scenario, `story` plays a story, `playing` is the interface hosts use, and
`table` seats people and agents in one run.
"""
