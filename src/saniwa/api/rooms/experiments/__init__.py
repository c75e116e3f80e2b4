"""Experiments: listed, looked at, measured, compared, down to the turns behind a number."""

from saniwa.api.rooms.experiments import cells, comparing, line, measures, report, turns

OPERATIONS = (
    *line.OPERATIONS,
    *measures.OPERATIONS,
    *report.OPERATIONS,
    *cells.OPERATIONS,
    *turns.OPERATIONS,
    *comparing.OPERATIONS,
)
"""Everything that can be asked about experiments."""
