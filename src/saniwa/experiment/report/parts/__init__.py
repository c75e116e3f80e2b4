"""The parts of a report, each made of blocks."""
