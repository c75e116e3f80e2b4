"""Check a process definition for mistakes across its parts; each adds findings.

Nothing here reads a file or builds a process.
"""
