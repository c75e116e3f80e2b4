"""Fuzzing of every reader of foreign bytes: `python -m tests.fuzz --minutes 10`."""
