"""Whether an agent as a whole is done: see `factory`."""
