"""Prompts: found in an agent's folder, read as templates, filled with variables."""
