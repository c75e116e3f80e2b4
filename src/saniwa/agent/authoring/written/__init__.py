"""The parts of an agent as they are written: each read with all its mistakes."""
