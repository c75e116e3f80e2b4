"""Whether one step has done what it is for: one module for each type of check.

`build.checker_of` makes the one a step asks for. Each looks at its own part of the case
and no other; only a prompt check asks a model, once, and only that model's own answer
counts.
"""
