"""What is true now: a frozen world, the actions that lay claim to it, what they change.

This room does not decide whether an action may happen (the rulebook does), and only a
turn may apply one: `world.apply` is not re-exported here, and must not be.
"""
