"""A story as a picture."""
