"""Stand-ins play characters without a model, deterministically, with set faults."""
