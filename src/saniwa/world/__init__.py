"""What is true now: an immutable world, the actions that claim to change it, changes.

This package does not decide whether an action may happen (the rulebook does), and only
a turn may apply one: `world.apply` is not re-exported here, and must not be.
"""
