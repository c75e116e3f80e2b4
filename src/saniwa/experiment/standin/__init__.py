"""Characters that are played without a model, and err as they are told to."""
