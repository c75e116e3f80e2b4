"""Whether an agent as a whole is done: one module for each kind of completion.

`build.completion_of` makes the one a definition asks for. A completion looks at what is
told it after each iteration and asks nobody; the model's word counts only where the
author made a word of it.
"""
