"""A reader at a terminal, and the story they read."""
