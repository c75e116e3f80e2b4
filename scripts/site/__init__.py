"""Builds the documentation site, in English and in Japanese."""
