"""Plots as SVG that takes its colours from the page, light or dark."""
