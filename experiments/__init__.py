"""What experiments are made of: the scenario registry, its scenarios and walkthroughs."""
