"""Keeping a gate's runs in files: a sealed record, the published table, an index.

The record (`metadata/{run_id}.jsonl`) is what lasts: one sealed line for each event,
synced before it is acknowledged. The table (`runs/{run_id}.csv`) is made from it and is
completed from it after a crash; the index only saves time and may be thrown away.
"""
