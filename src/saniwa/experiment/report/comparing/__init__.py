"""Two experiments beside each other."""
