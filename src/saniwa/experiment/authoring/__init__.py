"""Plans as people write them, in YAML, JSON or options: start with `reading`."""
