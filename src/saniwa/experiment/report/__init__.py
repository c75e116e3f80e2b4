"""Reports: what came of an experiment, for people to read."""
