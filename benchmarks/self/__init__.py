"""Compares Saniwa with its own earlier state, in instructions instead of times."""
