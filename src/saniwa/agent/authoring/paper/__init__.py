"""What may be written in an agent's files: keys, shapes, and places to tell of."""
