"""Parse a Markdown story file into elements with places, and collect its findings.

Any text can be parsed; mistakes become findings. `markdown.parse_scene` is the entry
point.
"""
