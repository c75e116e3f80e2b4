"""Turns that are shown as they were: which, and how they are told."""
