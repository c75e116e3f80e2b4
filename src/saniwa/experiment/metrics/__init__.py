"""The numbers of an experiment: counts per cell, metrics, gates."""
