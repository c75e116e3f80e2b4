"""The command line: one door among several, and no decisions of its own."""
