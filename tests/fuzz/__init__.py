"""Every reader of foreign bytes under fuzzing: `python -m tests.fuzz --minutes 10`."""
