"""A story in other languages, by the ids of its lines."""
