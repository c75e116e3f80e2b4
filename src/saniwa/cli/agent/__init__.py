"""The commands of `saniwa agent`: check, list, draw, create and run agents."""
