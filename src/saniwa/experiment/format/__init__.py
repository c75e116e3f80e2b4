"""The authored format of an experiment plan, read with positions for findings."""
