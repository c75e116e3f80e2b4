"""Compares two experiments: differences of their plans and changes of their metrics."""
