"""Prompt files of an agent: safe reading, templates, and filling in variables."""
