"""A run as a host meets it: one form for a scenario, a story, and a story on a world."""
