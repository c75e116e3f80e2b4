"""Graphs as pictures: where boxes stand, how lines run, in SVG and in Mermaid."""
