"""Saniwa broken on purpose: `python -m tests.torture --minutes 10`."""
