"""Everything one server serves: runs, stories, scenarios, a gate, experiments."""
