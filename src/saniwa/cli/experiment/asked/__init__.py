"""What somebody typed, made into a plan and a way to carry it out: start with `planning`."""
