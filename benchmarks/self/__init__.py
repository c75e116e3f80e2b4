"""Ours beside ours: has the work become dearer? Counted in instructions, never in times."""
