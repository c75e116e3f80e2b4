"""Experiments and scenarios in other people's tools: tables, evaluations, environments.

Each module names one library and is imported only by whoever wants it; nothing here opens
a file by name, `saniwa.wiring.abroad` does.
"""
