"""Runs an agent: its lifecycle, its loop, and its way through the flow."""
