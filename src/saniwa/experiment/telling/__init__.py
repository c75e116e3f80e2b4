"""What a model is told in an experiment: facts, cards, the talk so far, and the prompt."""
