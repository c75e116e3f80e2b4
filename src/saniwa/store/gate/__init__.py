"""The gate's storage: runs in files, PostgreSQL or memory, evidence, and people.

Decisions are made in `saniwa.process`; this package implements its ports.
"""
