"""The mind of a character: what it perceives, believes and remembers.

A mind is built from turns alone; it never holds parts of a world that its owner cannot
perceive.
"""
