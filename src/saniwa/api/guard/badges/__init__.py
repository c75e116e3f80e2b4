"""Badges and credentials: how somebody becomes known, and stops being it."""
