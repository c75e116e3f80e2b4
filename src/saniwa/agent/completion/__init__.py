"""Whether an agent as a whole is done.

`factory.build_completion` makes the handler that a definition asks for; `handlers` has
one class for each kind. A handler looks only at the case it gets after each iteration
and calls no model; the model's words count only where the author defined a keyword or
signal.
"""
