"""The commands of `saniwa gate`: process runs, events, decisions, people and hooks."""
